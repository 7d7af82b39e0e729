// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// A host with a faulty controller: valid packets, corrupted packets and noise.
@Suite("Random bytes from the controller")
struct RandomBytes {
    static let packetCount = 20_000

    @Test(
        "Random bytes never trap, and the host recovers after a reset",
        arguments: RunSeed.seeds(4)
    )
    func survive(seed: UInt64) throws {
        let peers = (1...3).map { ModelPeer($0) }
        var generator = SplitMix64(seed: seed)
        let corpus = try Self.corpus(peers)
        var bench = Bench.ready(peers: peers)
        for number in 0..<Self.packetCount {
            if number.isMultiple(of: 50) { Self.useHost(&bench, peers, &generator) }
            bench.feed(Self.packet(from: corpus, &generator))
            if number.isMultiple(of: 20) { bench.drive(atMost: 10) }
        }
        bench.controller.restart()
        bench.advance(by: .seconds(60))
        #expect(bench.core.state == .ready)
        for peer in peers where !bench.core.linkList.contains(where: { $0.peer == peer.address }) {
            let id = bench.dial(peer.address, .whenAvailable)
            bench.advance(by: .seconds(5))
            #expect(bench.error(id) == nil || bench.error(id) == .alreadyConnecting)
        }
        #expect(Set(bench.core.linkList.map(\.peer)) == Set(peers.map(\.address)))
    }

    /// Returns the packets of a controller during a whole session.
    private static func corpus(_ peers: [ModelPeer]) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var bench = Bench(peers: peers)
        func listen(_ bench: inout Bench) {
            bench.performActions()
            while let packet = bench.controller.nextPacket() {
                packets.append(packet)
                bench.feed(packet)
            }
        }
        bench.open()
        listen(&bench)
        _ = bench.scan()
        listen(&bench)
        for peer in peers {
            let dial = bench.dial(peer.address)
            listen(&bench)
            let link = try bench.link(of: dial)
            for request in Exploration.requests() + Procedure.all.map(\.request) {
                _ = bench.ask(request, of: link)
            }
            listen(&bench)
            bench.controller.notify([1, 2, 3], from: peer.address)
            bench.controller.dropLink(to: peer.address, .connectionTimeout)
            listen(&bench)
        }
        return packets
    }

    private static func useHost(
        _ bench: inout Bench,
        _ peers: [ModelPeer],
        _ generator: inout SplitMix64
    ) {
        if let peer = peers.randomElement(using: &generator) { _ = bench.dial(peer.address) }
        if let link = bench.core.linkList.randomElement(using: &generator)?.identifier {
            for request in Exploration.requests() { _ = bench.ask(request, of: link) }
        }
        bench.advance(by: .milliseconds(300))
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
