// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothL2CAP

@Suite("Peers that flood or violate the protocol")
struct ChannelFloodTests {
    private static func request(_ identifier: UInt8, source: UInt16) -> ArraySlice<UInt8> {
        Signaling.LECreditBasedConnectionRequest(
            spsm: 0x0080,
            source: ChannelIdentifier(rawValue: source),
            mtu: 100,
            mps: 100,
            initialCredits: 1
        ).encode(identifier: identifier)[...]
    }

    @Test("A peer that sends requests without reading gets a limited number of responses")
    func answers() {
        var pair = ChannelPair.listening()
        for round in 0..<1000 {
            let asked = Self.request(UInt8(round % 255 + 1), source: 0x0039)
            _ = pair.peer.link.receiveSignaling(
                asked,
                under: pair.peer.conditions,
                now: .zero
            )
        }
        var count = 0
        while pair.peer.link.nextUrgentFrame() != nil { count += 1 }
        #expect(count == LogicalLink.answerLimit)
    }

    @Test("Requests for channels beyond the limit are refused with a reason")
    func channels() {
        var pair = ChannelPair.listening()
        var results: [UInt8] = []
        for source in UInt16(0x40)...0x7F {
            _ = pair.peer.link.receiveSignaling(
                Self.request(UInt8(source), source: source),
                under: pair.peer.conditions,
                now: .zero
            )
            let frame = pair.peer.link.nextUrgentFrame() ?? []
            results += frame.suffix(2).prefix(1)
        }
        #expect(results.count { $0 == 0 } == LogicalLink.channelLimit)
        #expect(results.suffix(32) == ArraySlice(repeating: UInt8(4), count: 32))
    }

    @Test("A channel is released at once if the peer leaves too many disconnections unanswered")
    func disconnections() throws {
        var pair = ChannelPair.listening()
        var released = 0
        for _ in 0...OutstandingRequests.limit {
            let source = ChannelIdentifier(rawValue: 0x40)
            _ = pair.peer.link.receiveSignaling(
                Self.request(1, source: source.rawValue),
                under: pair.peer.conditions,
                now: .zero
            )
            let channel = try #require(pair.peer.link.openChannels.first)
            var actions = pair.peer.link.close(channel, now: .zero)
            // The peer requests the end as well, and does not answer the host's request.
            let request = Signaling.DisconnectionRequest(destination: channel, source: source)
            actions += pair.peer.link.receiveSignaling(
                request.encode(identifier: 2)[...],
                under: pair.peer.conditions,
                now: .zero
            )
            released += actions.count { $0 == .released(channel) }
            while pair.peer.link.nextUrgentFrame() != nil {}
        }
        #expect(released == OutstandingRequests.limit + 1)
    }

    @Test("Frames for unknown channels are ignored", arguments: [0x40, 0x7F, 0x80])
    func strays(channel: UInt16) {
        var link = LogicalLink(role: .central)
        let channel = ChannelIdentifier(rawValue: channel)
        let reported = link.receive([1, 0, 9], on: channel, now: .zero)
        #expect(reported == [.ignore(.noSuchChannel(channel))])
    }

    @Test("Repeated pending responses do not extend the wait")
    func pending() throws {
        var link = LogicalLink(role: .central)
        try link.open(0x0080, .enhanced, options: .init(), id: 1, now: .zero)
        let pending = Signaling.CreditBasedConnectionResponse(
            mtu: 0,
            mps: 0,
            initialCredits: 0,
            result: 0x000D,
            destinations: [.none]
        ).encode(identifier: 129)
        for second in 1...29 {
            let now = Instant.zero + .seconds(second)
            #expect(link.receiveSignaling(pending[...], under: .init(), now: now).isEmpty)
        }
        #expect(link.nextDeadline == .zero + .seconds(61))
        #expect(link.deadlinePassed(now: .zero + .seconds(61)) == [.refused(1, .timedOut)])
    }

    /// One end makes random requests and receives random commands. Its peer receives random
    /// frames. Nothing traps, and the number of channels stays within its limit.
    @Test("Random dialogues stay within the limits", arguments: RunSeed.seeds(12))
    func randomDialogues(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var pair = ChannelPair.listening(.init(mtu: 200, mps: 64, window: 3))
        pair.us.conditions = pair.peer.conditions
        for round in 0..<3000 {
            step(&pair, id: UInt64(round), &generator)
            #expect(pair.us.link.channels.count <= LogicalLink.channelLimit)
            #expect(pair.peer.link.channels.count <= LogicalLink.channelLimit)
        }
        pair.drive()
        pair.now = pair.now + .seconds(200)
        _ = pair.us.link.deadlinePassed(now: pair.now)
        _ = pair.peer.link.deadlinePassed(now: pair.now)
        pair.drive()
        #expect(pair.us.link.nextDeadline == nil || pair.us.link.nextCommand() == nil)
    }

    private func step(_ pair: inout ChannelPair, id: UInt64, _ generator: inout SplitMix64) {
        pair.now = pair.now + .milliseconds(Int.random(in: 0...100, using: &generator))
        switch Int.random(in: 0...9, using: &generator) {
        case 0:
            let mode: L2CAP.Mode = generator.happens(oneIn: 2) ? .credit : .enhanced
            try? pair.us.link.open(0x0080, mode, options: .init(), id: id, now: pair.now)
        case 1:
            if let channel = pair.us.link.openChannels.randomElement(using: &generator) {
                try? pair.us.link.send(generator.bytes(upTo: 200), on: channel, id: id)
            }
        case 2:
            if let channel = pair.peer.link.openChannels.randomElement(using: &generator) {
                _ = pair.peer.link.take(from: channel)
            }
        case 3:
            if generator.happens(oneIn: 4),
                let channel = pair.us.link.openChannels.randomElement(using: &generator)
            {
                _ = pair.us.link.close(channel, now: pair.now)
            }
        case 4: invent(&pair, &generator)
        case 5:
            let channel = UInt16.random(in: 0x3F...0x80, using: &generator)
            let payload = generator.bytes(upTo: 80)
            _ = pair.peer.link.receive(payload[...], on: .init(rawValue: channel), now: pair.now)
        default:
            _ = ChannelPair.pass(from: &pair.us, to: &pair.peer, now: pair.now)
            _ = ChannelPair.pass(from: &pair.peer, to: &pair.us, now: pair.now)
        }
    }

    /// Injects a well-formed command with random content.
    private func invent(_ pair: inout ChannelPair, _ generator: inout SplitMix64) {
        let parameters = generator.bytes(upTo: 19)
        let command = Signaling.Packet(
            code: .init(rawValue: UInt8.random(in: 1...0x1B, using: &generator)),
            identifier: UInt8.random(in: 1...255, using: &generator),
            parameters: parameters[...]
        ).encode()
        let conditions = pair.us.conditions
        pair.us.reported += pair.us.link.receiveSignaling(
            command[...],
            under: conditions,
            now: pair.now
        )
    }
}
