// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothL2CAP

@Suite("Channels between two ends")
struct LogicalLinkTests {
    @Test(
        "A channel opens, carries SDUs in both directions, and closes",
        arguments: [
            L2CAP.Mode.credit, .enhanced,
        ]
    )
    func life(mode: L2CAP.Mode) throws {
        var (pair, ours, peers) = try ChannelPair.open(mode)
        try pair.us.link.send(pattern(2000), on: ours, id: 5)
        try pair.peer.link.send([1, 2, 3], on: peers, id: 6)
        pair.drive()
        #expect(pair.us.reported.contains(.sent(5)))
        #expect(pair.us.reported.contains(.arrived(ours)))
        #expect(pair.peer.reported.contains(.sent(6)))
        #expect(pair.peer.link.take(from: peers) == pattern(2000))
        #expect(pair.us.link.take(from: ours) == [1, 2, 3])
        pair.us.reported = []
        pair.peer.reported = []
        pair.us.reported += pair.us.link.close(ours, now: .zero)
        pair.drive()
        #expect(pair.us.reported == [.closed(ours, .closed, unread: []), .released(ours)])
        #expect(pair.peer.reported == [.closed(peers, .closedByPeer, unread: [])])
        #expect(pair.us.link.channels.isEmpty)
        #expect(pair.peer.link.channels.isEmpty)
        #expect(pair.us.link.nextDeadline == nil)
    }

    @Test("One request opens five channels")
    func several() throws {
        var pair = ChannelPair.listening()
        try pair.us.link.open(0x0080, .enhanced, count: 5, options: .init(), id: 1, now: .zero)
        pair.drive()
        let ours = pair.us.link.openChannels
        #expect(ours.count == 5)
        #expect(pair.us.reported == [.opened(1, ours)])
        #expect(pair.peer.reported == [.accepted(0x0080, pair.peer.link.openChannels)])
    }

    @Test("A listener with too few free channels opens all of its free channels")
    func partly() throws {
        var pair = ChannelPair.listening { $0.freeChannelCount = 2 }
        try pair.us.link.open(0x0080, .enhanced, count: 5, options: .init(), id: 1, now: .zero)
        pair.drive()
        #expect(pair.us.link.openChannels.count == 2)
        #expect(pair.us.link.channels.count == 2, "The refused channels are removed")
    }

    @Test("A link refuses channels beyond its limit")
    func limit() throws {
        var pair = ChannelPair.listening()
        for id in 0..<UInt64(LogicalLink.channelLimit) {
            try pair.us.link.open(0x0080, .credit, options: .init(), id: id, now: .zero)
            pair.drive()
        }
        #expect(throws: L2CAP.Failure.noRoom) {
            try pair.us.link.open(0x0080, .credit, options: .init(), id: 99, now: .zero)
        }
        // The peer has the same number of channels, so its requests fail too.
        pair.us.conditions.listeners[0x0081] = ListenerTerms()
        #expect(throws: L2CAP.Failure.noRoom) {
            try pair.peer.link.open(0x0081, .credit, options: .init(), id: 1, now: .zero)
        }
    }

    @Test("A channel identifier is reused only after all others")
    func identifiers() throws {
        var pair = ChannelPair.listening()
        var seen: [UInt16] = []
        for id in 0..<UInt64(80) {
            try pair.us.link.open(0x0080, .credit, options: .init(), id: id, now: .zero)
            pair.drive()
            let channel = try #require(pair.us.link.openChannels.first)
            seen.append(channel.rawValue)
            _ = pair.us.link.close(channel, now: .zero)
            pair.drive()
        }
        #expect(Array(seen.prefix(64)) == Array(LogicalLink.channelRange))
        #expect(seen[64] == 0x0040)
    }

    @Test("If the application stops reading, the peer sends no more than the window")
    func backPressure() throws {
        let options = L2CAP.ChannelOptions(mtu: 100, mps: 50, window: 8)
        var (pair, ours, peers) = try ChannelPair.open(peers: options)
        for id in 0..<UInt64(ChannelSender.queueLimit) {
            try pair.us.link.send(pattern(40), on: ours, id: id)
        }
        #expect(throws: L2CAP.Failure.noRoom) {
            try pair.us.link.send([1], on: ours, id: 100)
        }
        pair.drive()
        #expect(pair.us.reported.count == 8, "Each frame of the window is sent")
        #expect(pair.us.link.description(of: ours)?.sendCredits == 0)
        for _ in 0..<64 {
            pair.drive()
            #expect(pair.peer.link.take(from: peers) == pattern(40))
        }
        #expect(pair.us.reported.count == 64)
        #expect(pair.peer.link.take(from: peers) == nil)
    }

    @Test("A long SDU does not block another channel")
    func turns() throws {
        var pair = ChannelPair.listening()
        for id in 0..<UInt64(2) {
            try pair.us.link.open(0x0080, .credit, options: .init(), id: id, now: .zero)
            pair.drive()
        }
        let (one, other) = (pair.us.link.openChannels[0], pair.us.link.openChannels[1])
        pair.us.reported = []
        try pair.us.link.send(pattern(2000), on: one, id: 10)
        try pair.us.link.send(pattern(10), on: other, id: 11)
        pair.drive()
        #expect(pair.us.reported == [.sent(11), .sent(10)])
    }

    @Test("SDUs that arrived before the peer closed are delivered with the end")
    func unread() throws {
        var (pair, ours, peers) = try ChannelPair.open()
        try pair.us.link.send([1], on: ours, id: 1)
        try pair.us.link.send([2], on: ours, id: 2)
        pair.drive()
        _ = pair.us.link.close(ours, now: .zero)
        pair.drive()
        #expect(pair.peer.reported.last == .closed(peers, .closedByPeer, unread: [[1], [2]]))
    }

    @Test("Both ends can close at the same time")
    func crossing() throws {
        var (pair, ours, peers) = try ChannelPair.open()
        pair.us.reported += pair.us.link.close(ours, now: .zero)
        pair.peer.reported += pair.peer.link.close(peers, now: .zero)
        pair.drive()
        #expect(pair.us.link.channels.isEmpty)
        #expect(pair.peer.link.channels.isEmpty)
        let reported = pair.us.reported.filter { if case .closed = $0 { true } else { false } }
        #expect(reported.count == 1)
    }

    @Test("Without a response, an open request fails and a close ends the channel")
    func silence() throws {
        var link = LogicalLink(role: .central)
        try link.open(0x0080, .credit, options: .init(), id: 1, now: .zero)
        #expect(link.nextDeadline == .zero + .seconds(30))
        #expect(link.deadlinePassed(now: .zero + .seconds(30)) == [.refused(1, .timedOut)])
        #expect(link.channels.isEmpty)

        var (pair, ours, _) = try ChannelPair.open()
        _ = pair.us.link.close(ours, now: .zero)
        #expect(pair.us.link.channels.count == 1, "The identifier of the channel is still in use")
        #expect(pair.us.link.deadlinePassed(now: .zero + .seconds(30)) == [.released(ours)])
        #expect(pair.us.link.channels.isEmpty)
    }

    @Test("Channels whose request was canceled close when they open")
    func canceled() throws {
        var pair = ChannelPair.listening()
        try pair.us.link.open(0x0080, .enhanced, count: 3, options: .init(), id: 1, now: .zero)
        pair.us.link.cancelOpening(1)
        pair.drive()
        #expect(pair.us.reported.count == 3, "One event for each channel")
        #expect(pair.us.link.channels.isEmpty)
        #expect(pair.peer.link.channels.isEmpty)
    }

    @Test("The end of the link ends every pending request")
    func linkEnd() throws {
        var (pair, ours, _) = try ChannelPair.open(.enhanced)
        try pair.us.link.open(0x0080, .credit, options: .init(), id: 2, now: .zero)
        try pair.us.link.send([1], on: ours, id: 3)
        try pair.us.link.reconfigure([ours], mtu: 4000, mps: 300, id: 4, now: .zero)
        #expect(Set(pair.us.link.end()) == [2, 3, 4])
        #expect(pair.us.link.end().isEmpty)
    }

    @Test("Both ends agree on new sizes")
    func resizing() throws {
        var (pair, ours, peers) = try ChannelPair.open(.enhanced)
        try pair.us.link.reconfigure([ours], mtu: 4000, mps: 100, id: 4, now: .zero)
        pair.drive()
        #expect(pair.us.reported == [.reconfigured(4, .done)])
        #expect(pair.peer.reported == [.resized(peers)])
        #expect(pair.peer.link.description(of: peers)?.sendMTU == 4000)
        try pair.peer.link.send(pattern(4000), on: peers, id: 5)
        pair.peer.frames = []
        pair.drive()
        #expect(pair.us.link.take(from: ours) == pattern(4000))
        #expect(pair.peer.frames.max() == 100)
        #expect(throws: L2CAP.Failure.invalidParameters) {
            try pair.us.link.reconfigure([ours], mtu: 3999, mps: 100, id: 6, now: .zero)
        }
    }

    @Test("Invalid requests of the host are refused before they are sent")
    func ownMistakes() {
        var link = LogicalLink(role: .central)
        func attempt(_ spsm: L2CAP.SPSM, _ mode: L2CAP.Mode, _ count: Int, _ mtu: Int) -> Bool {
            let options = L2CAP.ChannelOptions(mtu: mtu)
            do throws(L2CAP.Failure) {
                try link.open(spsm, mode, count: count, options: options, id: 1, now: .zero)
                return true
            } catch {
                #expect(error == .invalidParameters)
                return false
            }
        }
        #expect(!attempt(0x0000, .credit, 1, 100))
        #expect(!attempt(0x0100, .credit, 1, 100))
        #expect(!attempt(0x0080, .credit, 2, 100))
        #expect(!attempt(0x0080, .enhanced, 6, 100))
        #expect(!attempt(0x0080, .credit, 1, 22))
        #expect(!attempt(0x0080, .enhanced, 1, 63))
        #expect(!attempt(0x0080, .credit, 1, 65_536))
        #expect(link.channels.isEmpty)
        #expect(attempt(0x0080, .credit, 1, 23))
        #expect(link.nextUrgentFrame() != nil)
    }
}
