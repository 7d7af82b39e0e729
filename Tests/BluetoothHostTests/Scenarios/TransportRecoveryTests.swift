// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

@Suite("Transports that lose bytes")
struct TransportRecoveryTests {
    private let peer = ModelPeer(1)

    private static func opened(losesBytes: Bool = true, peers: [ModelPeer] = []) -> Harness {
        var harness = Harness(peers: peers)
        harness.losesBytes = losesBytes
        harness.open()
        return harness
    }

    private static func ready(peers: [ModelPeer] = []) -> Harness {
        var harness = opened(peers: peers)
        harness.drive()
        #expect(harness.core.state == .ready)
        return harness
    }

    @Test("The controller is reset after a framing error, and the transport stays open")
    func resynchronizes() throws {
        var harness = Self.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.feed([0x55, 0xAA])
        harness.drive()
        #expect(harness.states == [.ready, .resetting(.desynchronized), .ready])
        #expect(harness.ends[link] == [.adapter(.desynchronized)])
        #expect(harness.openCount == 1)
        #expect(throws: Never.self) { try harness.connect(peer.address) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("On a socket, a framing error closes the connection")
    func socket() {
        var harness = Harness.ready()
        harness.feed([0x55])
        #expect(harness.core.state == .unavailable(.desynchronized))
        harness.advance(by: .seconds(1))
        #expect(harness.openCount == 2)
        #expect(harness.core.state == .ready)
    }

    @Test("Scans and pending connections continue after noise")
    func pending() throws {
        var harness = Self.ready()
        let scan = harness.scan()
        let pending = harness.requestConnection(peer.address, .whenAvailable)
        harness.drive()
        harness.feed([0xFF])
        harness.drive()
        #expect(harness.core.state == .ready)
        #expect(harness.isPending(scan))
        #expect(harness.isPending(pending))
        harness.controller.peers[peer.address] = peer
        harness.drive()
        #expect(harness.controller.isScanning)
    }

    @Test("Bytes before the response to the first Reset are ignored")
    func before() {
        var harness = Self.opened()
        let old: [UInt8] = [0x02, 0x01, 0x20, 0xFF, 0x00, 0x3E, 0x13, 0x04, 0x3E]
        harness.feed(old)
        harness.drive()
        #expect(harness.states == [.ready])
        #expect(harness.openCount == 1)
    }

    @Test("The bytes of a packet may arrive separately, until its timeout")
    func pause() {
        var harness = Self.ready()
        let answer: [UInt8] = [0x04, 0x3E, 0x04]
        harness.feed(answer)
        harness.advance(by: TransportRecovery.packetTimeout - .milliseconds(1))
        #expect(harness.core.state == .ready)
        harness.feed([0x7F])
        harness.advance(by: .milliseconds(1))
        #expect(harness.states == [.ready, .resetting(.desynchronized), .ready])
        #expect(harness.openCount == 1)
    }

    @Test("A packet that is complete in time leaves no deadline")
    func wholeInTime() {
        var harness = Self.ready()
        harness.feed([0x04, 0xFF])
        harness.advance(by: .seconds(1))
        harness.feed([0x01])
        #expect(harness.core.nextDeadline != nil)
        harness.feed([0x00])
        #expect(harness.core.nextDeadline == nil)
        harness.advance(by: .seconds(10))
        #expect(harness.states == [.ready])
    }

    @Test("Each packet has its own timeout, so that a continuous stream is valid")
    func endless() {
        var harness = Self.ready()
        // The end of one packet and the start of the next, repeatedly.
        harness.feed([0x04])
        for _ in 0..<20 {
            harness.advance(by: .milliseconds(300))
            harness.feed([0xFF, 0x01, 0x00, 0x04])
        }
        #expect(harness.states == [.ready])
    }

    @Test("On a socket, a partial packet has no timeout")
    func socketPause() {
        var harness = Harness.ready()
        harness.feed([0x04, 0x3E])
        harness.advance(by: .seconds(60))
        #expect(harness.states == [.ready])
    }

    @Test("A corrupted length causes a reset after the timeout of the packet")
    func swallowed() throws {
        var harness = Self.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        // A data packet with 65,535 bytes that the controller did not send.
        harness.feed([0x02, 0x01, 0x00, 0xFF, 0xFF])
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        #expect(harness.isPending(read))
        harness.advance(by: TransportRecovery.packetTimeout)
        #expect(harness.states == [.ready, .resetting(.desynchronized), .ready])
        #expect(harness.error(read) == .adapter(.desynchronized))
        #expect(throws: Never.self) { try harness.connect(peer.address) }
    }

    @Test(
        "Packets that no controller sends count as noise, except on a socket",
        arguments: [
            [0x01, 0x03, 0x0C, 0x00], [0x03, 0x00, 0x00, 0x00], [0x05, 0x00, 0x00, 0x00, 0x00],
        ] as [[UInt8]]
    )
    func impossible(bytes: [UInt8]) {
        var harness = Self.ready()
        harness.feed(bytes)
        harness.drive()
        #expect(harness.states == [.ready, .resetting(.desynchronized), .ready])
        var socket = Harness.ready()
        socket.feed(bytes)
        #expect(socket.states == [.ready])
    }

    @Test("A Reset without a response is repeated a limited number of times")
    func bounded() {
        var harness = Self.ready()
        harness.controller.isHung = true
        let before = harness.controller.commands.count
        harness.feed([0x55])
        harness.advance(by: .seconds(60))
        let resets = harness.controller.commands[before...].prefix { $0 == .reset }
        #expect(resets.count >= TransportRecovery.resetLimit)
        let first = harness.states.firstIndex { if case .unavailable = $0 { true } else { false } }
        #expect(
            harness.states[..<(first ?? 0)]
                == [.ready, .resetting(.desynchronized), .resetting(.unresponsive)]
        )
        #expect(harness.openCount > 1)
        harness.controller.isHung = false
        harness.advance(by: .seconds(30))
        #expect(harness.core.state == .ready)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "A later Reset succeeds if earlier Resets were lost",
        arguments: 1..<TransportRecovery.resetLimit
    )
    func nextReset(lost: Int) {
        var harness = Self.ready()
        harness.controller.isHung = true
        harness.feed([0x55])
        harness.advance(by: CommandQueueLimits.responseTimeout * lost - .milliseconds(1))
        harness.controller.isHung = false
        harness.controller.forget()
        harness.advance(by: .seconds(3))
        #expect(harness.core.state == .ready)
        #expect(harness.openCount == 1)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Startup survives noise before every response", arguments: 0..<40)
    func noisyStart(atPacket count: Int) {
        var harness = Self.opened()
        harness.drive(atMost: count)
        harness.feed([0x99, 0x00, 0xFF])
        harness.drive()
        harness.advance(by: .seconds(10))
        #expect(harness.core.state == .ready)
        #expect(harness.openCount == 1)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Data is limited to the longest packet, unless the controller's limit is smaller")
    func longestPacket() {
        let recovery = TransportRecovery(longestPacket: 1028)
        #expect(recovery.dataLength(for: 1024) == 1023)
        #expect(recovery.dataLength(for: 251) == 251)
        #expect(TransportRecovery().dataLength(for: 65_535) == 65_535)
    }

    @Test("Resets are counted from one start of the controller to the next")
    func countedAnew() {
        var harness = Self.ready()
        for _ in 0..<3 * TransportRecovery.resetLimit {
            harness.feed([0x99])
            harness.drive()
            #expect(harness.core.state == .ready)
        }
        #expect(harness.openCount == 1)
    }

    @Test("A controller that reports a framing error with a hardware error is reset")
    func hardwareError() throws {
        var harness = Self.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        // Any bytes may follow, up to the response to Reset.
        harness.feed([0x04, 0x10, 0x01, 0x00, 0x04, 0x3E, 0x40, 0x01])
        harness.drive()
        #expect(harness.states == [.ready, .resetting(.hardwareError(0)), .ready])
        #expect(harness.ends[link] == [.adapter(.hardwareError(0))])
        #expect(harness.openCount == 1)
    }

    @Test("A transport with endless noise is opened again")
    func storm() {
        var harness = Self.ready()
        harness.controller.isHung = true
        harness.feed([0x99])
        let noise = [UInt8](repeating: 0xAA, count: 65_536)
        for _ in 0..<40 { harness.feed(noise) }
        guard case .unavailable = harness.core.state else {
            Issue.record("The state is \(harness.core.state)")
            return
        }
        #expect(!harness.isOpen)
    }

    @Test(
        "Random bytes at any time never trap, and the host recovers",
        arguments: RunSeed.seeds(50)
    )
    func anything(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var harness = Self.ready(peers: [peer])
        for _ in 0..<20 {
            harness.feed(random.bytes(upTo: 40))
            harness.drive()
            harness.advance(by: .milliseconds(700))
        }
        harness.advance(by: .seconds(30))
        // The noise may have caused another fault, so a definite framing error follows.
        harness.feed([0x99])
        harness.advance(by: .seconds(60))
        #expect(harness.core.state == .ready, "seed \(seed)")
    }
}
