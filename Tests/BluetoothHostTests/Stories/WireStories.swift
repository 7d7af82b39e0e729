// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

@Suite("A wire that loses bytes")
struct WireStories {
    private let peer = ModelPeer(1)

    private static func opened(losesBytes: Bool = true, peers: [ModelPeer] = []) -> Bench {
        var bench = Bench(peers: peers)
        bench.losesBytes = losesBytes
        bench.open()
        return bench
    }

    private static func ready(peers: [ModelPeer] = []) -> Bench {
        var bench = opened(peers: peers)
        bench.drive()
        #expect(bench.core.state == .ready)
        return bench
    }

    @Test("Where framing is lost the controller is reset, and the transport stays open")
    func resynchronises() throws {
        var bench = Self.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.feed([0x55, 0xAA])
        bench.drive()
        #expect(bench.states == [.ready, .resetting(.desynchronised), .ready])
        #expect(bench.ends[link] == [.adapter(.desynchronised)])
        #expect(bench.openCount == 1)
        #expect(throws: Never.self) { try bench.connect(peer.address) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("On a socket it is the end of the connection, as ever")
    func socket() {
        var bench = Bench.ready()
        bench.feed([0x55])
        #expect(bench.core.state == .unavailable(.desynchronised))
        bench.advance(by: .seconds(1))
        #expect(bench.openCount == 2)
        #expect(bench.core.state == .ready)
    }

    @Test("What stands goes on after noise: scans, advertising and dials")
    func standing() throws {
        var bench = Self.ready()
        let scan = bench.scan()
        let dial = bench.dial(peer.address, .whenAvailable)
        bench.drive()
        bench.feed([0xFF])
        bench.drive()
        #expect(bench.core.state == .ready)
        #expect(bench.isPending(scan))
        #expect(bench.isPending(dial))
        bench.controller.peers[peer.address] = peer
        bench.drive()
        #expect(bench.controller.isScanning)
    }

    @Test("What comes before the answer to the first Reset is from before")
    func before() {
        var bench = Self.opened()
        let old: [UInt8] = [0x02, 0x01, 0x20, 0xFF, 0x00, 0x3E, 0x13, 0x04, 0x3E]
        bench.feed(old)
        bench.drive()
        #expect(bench.states == [.ready])
        #expect(bench.openCount == 1)
    }

    @Test("The rest of a packet may take its time, but not for ever")
    func pause() {
        var bench = Self.ready()
        let answer: [UInt8] = [0x04, 0x3E, 0x04]
        bench.feed(answer)
        bench.advance(by: Wire.packetTimeout - .milliseconds(1))
        #expect(bench.core.state == .ready)
        bench.feed([0x7F])
        bench.advance(by: .milliseconds(1))
        #expect(bench.states == [.ready, .resetting(.desynchronised), .ready])
        #expect(bench.openCount == 1)
    }

    @Test("A packet that is whole in time leaves no deadline behind")
    func wholeInTime() {
        var bench = Self.ready()
        bench.feed([0x04, 0xFF])
        bench.advance(by: .seconds(1))
        bench.feed([0x01])
        #expect(bench.core.nextDeadline != nil)
        bench.feed([0x00])
        #expect(bench.core.nextDeadline == nil)
        bench.advance(by: .seconds(10))
        #expect(bench.states == [.ready])
    }

    @Test("Each packet has its own time: a stream without a pause is well")
    func endless() {
        var bench = Self.ready()
        // The end of one packet and the beginning of the next, again and again.
        bench.feed([0x04])
        for _ in 0..<20 {
            bench.advance(by: .milliseconds(300))
            bench.feed([0xFF, 0x01, 0x00, 0x04])
        }
        #expect(bench.states == [.ready])
    }

    @Test("On a socket half a packet waits for ever")
    func socketPause() {
        var bench = Bench.ready()
        bench.feed([0x04, 0x3E])
        bench.advance(by: .seconds(60))
        #expect(bench.states == [.ready])
    }

    @Test("A length that became too long swallows no more than two seconds")
    func swallowed() throws {
        var bench = Self.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        // Data of 65,535 octets, of which the controller knows nothing.
        bench.feed([0x02, 0x01, 0x00, 0xFF, 0xFF])
        let read = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        #expect(bench.isPending(read))
        bench.advance(by: Wire.packetTimeout)
        #expect(bench.states == [.ready, .resetting(.desynchronised), .ready])
        #expect(bench.error(read) == .adapter(.desynchronised))
        #expect(throws: Never.self) { try bench.connect(peer.address) }
    }

    @Test(
        "What no controller sends is noise",
        arguments: [
            [0x01, 0x03, 0x0C, 0x00], [0x03, 0x00, 0x00, 0x00], [0x05, 0x00, 0x00, 0x00, 0x00],
        ] as [[UInt8]]
    )
    func impossible(bytes: [UInt8]) {
        var bench = Self.ready()
        bench.feed(bytes)
        bench.drive()
        #expect(bench.states == [.ready, .resetting(.desynchronised), .ready])
        var socket = Bench.ready()
        socket.feed(bytes)
        #expect(socket.states == [.ready])
    }

    @Test("An answer that gets lost is asked for again, a bounded number of times")
    func bounded() {
        var bench = Self.ready()
        bench.controller.isHung = true
        let before = bench.controller.commands.count
        bench.feed([0x55])
        bench.advance(by: .seconds(60))
        let resets = bench.controller.commands[before...].prefix { $0 == .reset }
        #expect(resets.count >= Wire.resetLimit)
        let first = bench.states.firstIndex { if case .unavailable = $0 { true } else { false } }
        #expect(
            bench.states[..<(first ?? 0)]
                == [.ready, .resetting(.desynchronised), .resetting(.unresponsive)]
        )
        #expect(bench.openCount > 1)
        bench.controller.isHung = false
        bench.advance(by: .seconds(30))
        #expect(bench.core.state == .ready)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("The second Reset helps where the first got lost", arguments: 1..<Wire.resetLimit)
    func nextReset(lost: Int) {
        var bench = Self.ready()
        bench.controller.isHung = true
        bench.feed([0x55])
        bench.advance(by: CommandQueueLimits.responseTimeout * lost - .milliseconds(1))
        bench.controller.isHung = false
        bench.controller.forget()
        bench.advance(by: .seconds(3))
        #expect(bench.core.state == .ready)
        #expect(bench.openCount == 1)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Noise in every answer of the start-up is got over", arguments: 0..<40)
    func noisyStart(atPacket count: Int) {
        var bench = Self.opened()
        bench.drive(atMost: count)
        bench.feed([0x99, 0x00, 0xFF])
        bench.drive()
        bench.advance(by: .seconds(10))
        #expect(bench.core.state == .ready)
        #expect(bench.openCount == 1)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Where packets have a limit, data is cut to it, unless the controller's own is less")
    func longestPacket() {
        let wire = Wire(longestPacket: 1028)
        #expect(wire.dataLength(for: 1024) == 1023)
        #expect(wire.dataLength(for: 251) == 251)
        #expect(Wire().dataLength(for: 65_535) == 65_535)
    }

    @Test("Resets are counted from one start of the controller to the next")
    func countedAnew() {
        var bench = Self.ready()
        for _ in 0..<3 * Wire.resetLimit {
            bench.feed([0x99])
            bench.drive()
            #expect(bench.core.state == .ready)
        }
        #expect(bench.openCount == 1)
    }

    @Test("A controller that lost its place says so with a hardware error, and is reset")
    func hardwareError() throws {
        var bench = Self.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        // What follows it up to the answer to Reset may be anything.
        bench.feed([0x04, 0x10, 0x01, 0x00, 0x04, 0x3E, 0x40, 0x01])
        bench.drive()
        #expect(bench.states == [.ready, .resetting(.hardwareError(0)), .ready])
        #expect(bench.ends[link] == [.adapter(.hardwareError(0))])
        #expect(bench.openCount == 1)
    }

    @Test("A line full of noise without an end is opened anew")
    func storm() {
        var bench = Self.ready()
        bench.controller.isHung = true
        bench.feed([0x99])
        let noise = [UInt8](repeating: 0xAA, count: 65_536)
        for _ in 0..<40 { bench.feed(noise) }
        guard case .unavailable = bench.core.state else {
            Issue.record("still \(bench.core.state)")
            return
        }
        #expect(!bench.isOpen)
    }

    @Test(
        "Random bytes at any time never trap, and are got over",
        arguments: 0..<50 as Range<UInt64>
    )
    func anything(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bench = Self.ready(peers: [peer])
        for _ in 0..<20 {
            bench.feed(random.bytes(upTo: 40))
            bench.drive()
            bench.advance(by: .milliseconds(700))
        }
        bench.advance(by: .seconds(30))
        // Noise may have looked like a fault of its own, so once more, for certain.
        bench.feed([0x99])
        bench.advance(by: .seconds(60))
        #expect(bench.core.state == .ready, "seed \(seed)")
    }
}
