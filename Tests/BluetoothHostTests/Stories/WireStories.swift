// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

@Suite("Transports that lose bytes")
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

    @Test("The controller is reset after a framing error, and the transport stays open")
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

    @Test("On a socket a framing error closes the connection")
    func socket() {
        var bench = Bench.ready()
        bench.feed([0x55])
        #expect(bench.core.state == .unavailable(.desynchronised))
        bench.advance(by: .seconds(1))
        #expect(bench.openCount == 2)
        #expect(bench.core.state == .ready)
    }

    @Test("Scans, advertising and pending connections continue after noise")
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

    @Test("Bytes before the response to the first Reset are ignored")
    func before() {
        var bench = Self.opened()
        let old: [UInt8] = [0x02, 0x01, 0x20, 0xFF, 0x00, 0x3E, 0x13, 0x04, 0x3E]
        bench.feed(old)
        bench.drive()
        #expect(bench.states == [.ready])
        #expect(bench.openCount == 1)
    }

    @Test("The rest of a packet may be delayed, up to its timeout")
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

    @Test("A packet that is complete in time leaves no deadline")
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

    @Test("Each packet has its own timeout, so that a continuous stream is valid")
    func endless() {
        var bench = Self.ready()
        // The end of one packet and the start of the next, repeatedly.
        bench.feed([0x04])
        for _ in 0..<20 {
            bench.advance(by: .milliseconds(300))
            bench.feed([0xFF, 0x01, 0x00, 0x04])
        }
        #expect(bench.states == [.ready])
    }

    @Test("On a socket a partial packet has no timeout")
    func socketPause() {
        var bench = Bench.ready()
        bench.feed([0x04, 0x3E])
        bench.advance(by: .seconds(60))
        #expect(bench.states == [.ready])
    }

    @Test("A corrupted length swallows at most two seconds of data")
    func swallowed() throws {
        var bench = Self.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        // A data packet with 65,535 bytes that the controller did not send.
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
        "Packets that no controller sends are noise",
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

    @Test("A Reset without a response is repeated a limited number of times")
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

    @Test("A later Reset succeeds if the first ones were lost", arguments: 1..<Wire.resetLimit)
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

    @Test("Start-up survives noise before every response", arguments: 0..<40)
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

    @Test("Data is limited to the longest packet, unless the controller's limit is smaller")
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

    @Test("A controller that reports a framing error with a hardware error is reset")
    func hardwareError() throws {
        var bench = Self.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        // Any bytes may follow, up to the response to Reset.
        bench.feed([0x04, 0x10, 0x01, 0x00, 0x04, 0x3E, 0x40, 0x01])
        bench.drive()
        #expect(bench.states == [.ready, .resetting(.hardwareError(0)), .ready])
        #expect(bench.ends[link] == [.adapter(.hardwareError(0))])
        #expect(bench.openCount == 1)
    }

    @Test("A transport with endless noise is opened again")
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
        "Random bytes at any time never trap, and the host recovers",
        arguments: RunSeed.seeds(50)
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
        // The noise may have caused another fault, so a definite framing error follows.
        bench.feed([0x99])
        bench.advance(by: .seconds(60))
        #expect(bench.core.state == .ready, "seed \(seed)")
    }
}
