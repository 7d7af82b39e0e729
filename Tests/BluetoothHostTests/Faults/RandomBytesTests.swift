// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// A host with a faulty controller: valid packets, corrupted packets and noise.
@Suite("Random bytes from the controller")
struct RandomBytesTests {
    static let packetCount = 20_000

    @Test(
        "Random bytes never trap, and the host recovers after the controller restarts",
        arguments: [801_399] + RunSeed.seeds(4)
    )
    func survive(seed: UInt64) throws {
        let peers = (1...3).map { ModelPeer($0) }
        var generator = SplitMix64(seed: seed)
        let corpus = try Self.corpus(peers)
        var harness = Harness.ready(peers: peers)
        for number in 0..<Self.packetCount {
            if number.isMultiple(of: 50) { Self.useHost(&harness, peers, &generator) }
            harness.feed(Self.packet(from: corpus, &generator))
            if number.isMultiple(of: 20) { harness.drive(atMost: 10) }
        }
        // These bytes complete an unfinished packet. Otherwise, the bytes that the controller sends
        // after its restart below would become a part of that packet.
        harness.feed([UInt8](repeating: 0, count: 0x1_0000 + 5))
        harness.advance(by: .seconds(60))
        harness.controller.restart()
        harness.advance(by: .seconds(60))
        #expect(harness.core.state == .ready)
        for peer in peers where !harness.core.linkList.contains(where: { $0.peer == peer.address })
        {
            let id = harness.requestConnection(peer.address, .whenAvailable)
            harness.advance(by: .seconds(5))
            #expect(harness.error(id) == nil || harness.error(id) == .alreadyConnecting)
        }
        #expect(Set(harness.core.linkList.map(\.peer)) == Set(peers.map(\.address)))
    }

    /// Returns the packets of a controller during a whole session.
    private static func corpus(_ peers: [ModelPeer]) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var harness = Harness(peers: peers)
        func listen(_ harness: inout Harness) {
            harness.performActions()
            while let packet = harness.controller.nextPacket() {
                packets.append(packet)
                harness.feed(packet)
            }
        }
        harness.open()
        listen(&harness)
        _ = harness.scan()
        listen(&harness)
        for peer in peers {
            let pending = harness.requestConnection(peer.address)
            listen(&harness)
            let link = try harness.link(of: pending)
            for request in Exploration.requests() + Procedure.all.map(\.request) {
                _ = harness.ask(request, of: link)
            }
            listen(&harness)
            harness.controller.notify([1, 2, 3], from: peer.address)
            harness.controller.dropLink(to: peer.address, .connectionTimeout)
            listen(&harness)
        }
        return packets
    }

    private static func useHost(
        _ harness: inout Harness,
        _ peers: [ModelPeer],
        _ generator: inout SplitMix64
    ) {
        if let peer = peers.randomElement(using: &generator) {
            _ = harness.requestConnection(peer.address)
        }
        if let link = harness.core.linkList.randomElement(using: &generator)?.identifier {
            for request in Exploration.requests() { _ = harness.ask(request, of: link) }
        }
        harness.advance(by: .milliseconds(300))
    }

    private static func packet(
        from corpus: [[UInt8]],
        _ generator: inout SplitMix64
    ) -> [UInt8] {
        var packet = corpus.randomElement(using: &generator) ?? []
        switch Int.random(in: 0..<20, using: &generator) {
        case 0...4: break
        case 5...11:
            // The packet is corrupted after its header, so that the framing remains intact.
            let header = packet.first == 0x02 ? 5 : 3
            for _ in 0..<Int.random(in: 1...4, using: &generator) where packet.count > header {
                let index = Int.random(in: header..<packet.count, using: &generator)
                packet[index] = UInt8(truncatingIfNeeded: generator.next())
            }
        case 12...14: packet = event(generator.bytes(1)[0], &generator)
        case 15: packet = event(0x3E, &generator)
        case 16...17:
            let payload = generator.bytes(Int.random(in: 0...60, using: &generator))
            let handle = UInt16(0x40 + Int.random(in: 0..<4, using: &generator))
            packet = [0x02, UInt8(handle), UInt8.random(in: 0...0x3F, using: &generator) & 0x30]
            packet += [UInt8(payload.count), 0] + payload
        case 18: packet = Array(packet.dropLast(Int.random(in: 0...3, using: &generator)))
        default:
            if generator.happens(oneIn: 20) { packet = generator.bytes(30) }
        }
        return packet
    }

    private static func event(_ code: UInt8, _ generator: inout SplitMix64) -> [UInt8] {
        let parameters = generator.bytes(Int.random(in: 0...40, using: &generator))
        return [0x04, code, UInt8(parameters.count)] + parameters
    }
}
