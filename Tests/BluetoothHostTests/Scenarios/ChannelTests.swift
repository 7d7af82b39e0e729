// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Credit-based channels")
struct ChannelTests {
    private let peer: ModelPeer
    /// Options with which a channel is full after a few SDUs.
    private let small = L2CAP.ChannelOptions(mtu: 40, mps: 23, window: 4)

    init() {
        var peer = ModelPeer(1)
        peer.channels = .listening(for: 0x0080, .init(mtu: 40, mps: 23, window: 4))
        self.peer = peer
    }

    private func connected(
        _ profile: ModelProfile = .rich
    ) throws -> (Harness, LinkIdentifier) {
        var harness = Harness.ready(profile, peers: [peer])
        let link = try harness.connect(peer.address)
        return (harness, link)
    }

    private func withChannel(
        _ profile: ModelProfile = .rich
    ) throws -> (Harness, LinkIdentifier, ChannelNumber) {
        var (harness, link) = try connected(profile)
        let opening = harness.ask(.open(0x0080, .credit, count: 1, small), of: link)
        harness.drive()
        let channel = try #require(try harness.channels(opening).first)
        return (harness, link, channel)
    }

    private func listen(_ harness: inout Harness, backlog: Int = 8) throws -> ListenerKey {
        var terms = ListenerTerms()
        terms.options = small
        return try harness.core.listen(0x0090, terms: terms, backlogLimit: backlog)
    }

    private func accept(_ key: ListenerKey, _ harness: inout Harness) -> RequestIdentifier {
        let id = harness.takeRequest()
        harness.core.accept(key, id: id)
        harness.performActions()
        return id
    }

    @Test(
        "A channel opens, carries SDUs in both directions, and closes",
        arguments: [
            ModelProfile.rich, .poor, .shared,
        ]
    )
    func life(profile: ModelProfile) throws {
        var (harness, link, channel) = try withChannel(profile)
        let long = [UInt8](repeating: 7, count: 40)
        let send = harness.ask(.send(long, channel), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(send) }
        harness.channels(of: peer.address) { channels in
            let taken = channels.take()
            #expect(taken == long)
            channels.send([1, 2, 3])
        }
        let receive = harness.ask(.receive(channel), of: link)
        #expect(try harness.sdu(receive) == [1, 2, 3])
        let close = harness.ask(.close(channel), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(close) }
        #expect(harness.core.description(of: channel) == nil)
        let late = harness.ask(.send([1], channel), of: link)
        #expect(harness.failure(late) == .closed)
        let end = harness.ask(.awaitEnd(channel), of: link)
        #expect(try harness.channelEnd(end) == .closed)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("An unknown SPSM is refused, and a request to a peer without channels times out")
    func refusals() throws {
        var (harness, link) = try connected()
        let opening = harness.ask(.open(0x0081, .enhanced, count: 3, .init()), of: link)
        harness.drive()
        #expect(harness.failure(opening) == .refused(.spsmNotSupported))
        harness.controller.peers[peer.address]?.channels = nil
        let unanswered = harness.ask(.open(0x0080, .credit, count: 1, .init()), of: link)
        harness.advance(by: .seconds(31))
        #expect(harness.failure(unanswered) == .timedOut)
        let impossible = harness.ask(.open(0x0080, .credit, count: 2, .init()), of: link)
        #expect(harness.failure(impossible) == .invalidParameters)
    }

    @Test("Sending waits for the peer's credits and resumes with them")
    func waitsForCredits() throws {
        var (harness, link, channel) = try withChannel()
        let sends = (0..<10).map { harness.ask(.send([UInt8($0)], channel), of: link) }
        harness.drive()
        #expect(sends.filter { !harness.isPending($0) }.count == 4)
        for number in 0..<10 {
            harness.channels(of: peer.address) { channels in
                let taken = channels.take()
                #expect(taken == [UInt8(number)])
            }
        }
        #expect(harness.unfinished(sends).isEmpty)
    }

    @Test(
        "A peer without credits stops sending until the application receives its SDUs"
    )
    func backPressure() throws {
        var (harness, link, channel) = try withChannel()
        harness.channels(of: peer.address) { channels in
            for number in 0..<20 { channels.send([UInt8(number)]) }
        }
        #expect(harness.core.description(of: channel)?.receiveCredits == 0)
        for number in 0..<20 {
            let receive = harness.ask(.receive(channel), of: link)
            harness.drive()
            #expect(try harness.sdu(receive) == [UInt8(number)])
        }
    }

    @Test("SDUs that a peer sent before it closed the channel are received before the end")
    func closedByPeer() throws {
        var (harness, link, channel) = try withChannel()
        harness.channels(of: peer.address) { channels in channels.send([1]) }
        harness.channels(of: peer.address) { channels in channels.send([2]) }
        harness.channels(of: peer.address) { channels in channels.close() }
        for expected: [UInt8]? in [[1], [2], nil, nil] {
            let receive = harness.ask(.receive(channel), of: link)
            #expect(try harness.sdu(receive) == expected)
        }
        let end = harness.ask(.awaitEnd(channel), of: link)
        #expect(try harness.channelEnd(end) == .closedByPeer)
        let late = harness.ask(.send([1], channel), of: link)
        #expect(harness.failure(late) == .closedByPeer)
    }

    @Test("The end of the link completes every waiting request once")
    func linkEnds() throws {
        var (harness, link, channel) = try withChannel()
        let receive = harness.ask(.receive(channel), of: link)
        let another = harness.ask(.receive(channel), of: link)
        #expect(harness.error(another) == .busy)
        let end = harness.ask(.awaitEnd(channel), of: link)
        let sends = (0..<6).map { harness.ask(.send([UInt8($0)], channel), of: link) }
        let opening = harness.ask(.open(0x0080, .credit, count: 1, small), of: link)
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        let reason = HostError.disconnected(.connectionTimeout)
        #expect(harness.error(receive) == reason)
        #expect(try harness.channelEnd(end) == .linkEnded(reason))
        #expect(harness.unfinished(sends + [opening]).isEmpty)
        let late = harness.ask(.send([1], channel), of: link)
        #expect(harness.error(late) == reason)
    }

    @Test("A violation ends the channel and not the link")
    func violation() throws {
        var (harness, link, channel) = try withChannel()
        let handle = try #require(harness.controller.handle(of: peer.address))
        let local = ChannelIdentifier(rawValue: 0x0040)
        harness.controller.sendFrame(L2CAPFrame.encode([41, 0], on: local), on: handle)
        harness.drive()
        let end = harness.ask(.awaitEnd(channel), of: link)
        #expect(try harness.channelEnd(end) == .violated(.sduTooLong))
        let receive = harness.ask(.receive(channel), of: link)
        #expect(harness.failure(receive) == .violated(.sduTooLong))
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(read) }
    }

    @Test("A read completes on a link whose channel has queued data")
    func turns() throws {
        var (harness, link, channel) = try withChannel(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        for _ in 0..<20 {
            _ = harness.ask(.send([UInt8](repeating: 1, count: 40), channel), of: link)
        }
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        harness.controller.keepsPackets = false
        harness.controller.releasePackets(100, on: handle)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(read) }
    }

    @Test("The channels of a canceled request are closed")
    func cancellation() throws {
        var (harness, link) = try connected()
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        let request = ChannelRequest.open(0x0080, .enhanced, count: 4, .init())
        let opening = harness.ask(request, of: link)
        harness.drive()
        harness.core.cancel(request, opening, of: link, now: harness.now)
        harness.controller.keepsPackets = false
        harness.controller.releasePackets(100, on: handle)
        harness.drive()
        #expect(harness.isPending(opening))
        let channels = harness.controller.peers[peer.address]?.channels
        #expect(channels?.link.openChannels.isEmpty == true)
    }

    @Test("A listener gets the channels of peers, up to its backlog")
    func listening() throws {
        var (harness, _) = try connected()
        let key = try listen(&harness, backlog: 2)
        #expect(throws: L2CAP.Failure.alreadyListening) { try listen(&harness) }
        let early = accept(key, &harness)
        let second = accept(key, &harness)
        #expect(harness.error(second) == .busy)
        for _ in 0..<5 {
            harness.channels(of: peer.address) { channels in channels.open(0x0090) }
        }
        let reports = harness.controller.peers[peer.address]?.channels?.reports ?? []
        #expect(reports.count { if case .opened = $0 { true } else { false } } == 3)
        #expect(reports.contains(.refused(1, .refused(.noResources))))
        #expect(try harness.channels(early).count == 1)
        let third = accept(key, &harness)
        #expect(try harness.channels(third).count == 1)
        let fourth = accept(key, &harness)
        let last = try harness.channels(fourth)
        #expect(harness.core.description(of: try #require(last.first))?.spsm == 0x0090)
        let waiting = accept(key, &harness)
        harness.core.stopListening(key, now: harness.now)
        harness.performActions()
        #expect(try harness.channels(waiting).isEmpty)
        harness.channels(of: peer.address) { channels in channels.open(0x0090) }
        let refused = harness.controller.peers[peer.address]?.channels?.reports.last
        #expect(refused == .refused(1, .refused(.spsmNotSupported)))
    }

    @Test("Channels that ended before they were accepted leave the backlog")
    func endedBacklog() throws {
        var (harness, _) = try connected()
        let key = try listen(&harness, backlog: 2)
        for _ in 0..<3 {
            harness.channels(of: peer.address) { channels in channels.open(0x0090) }
            harness.channels(of: peer.address) { channels in channels.close() }
        }
        let reports = harness.controller.peers[peer.address]?.channels?.reports ?? []
        #expect(reports.count { if case .opened = $0 { true } else { false } } == 3)
        // A channel with data that the application has not read is still accepted.
        harness.channels(of: peer.address) { channels in channels.open(0x0090) }
        harness.channels(of: peer.address) { channels in channels.send([7]) }
        harness.channels(of: peer.address) { channels in channels.close() }
        let accepted = accept(key, &harness)
        let channel = try #require(try harness.channels(accepted).first)
        let reading = harness.ask(.receive(channel), of: try harness.onlyLink())
        #expect(try harness.sdu(reading) == [7])
    }

    @Test("The channels of a link that has ended leave the backlog")
    func lostBacklog() throws {
        var (harness, _) = try connected()
        _ = try listen(&harness, backlog: 1)
        harness.channels(of: peer.address) { channels in channels.open(0x0090) }
        harness.channels(of: peer.address) { channels in channels.send([7]) }
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        #expect(harness.core.context.listeners[0x0090]?.backlog.isEmpty == true)
    }

    @Test("Channels that were not accepted are closed with their listener")
    func unaccepted() throws {
        var (harness, _) = try connected()
        let key = try listen(&harness)
        harness.channels(of: peer.address) { channels in channels.open(0x0090) }
        harness.core.stopListening(key, now: harness.now)
        harness.drive()
        let channels = harness.controller.peers[peer.address]?.channels
        #expect(channels?.link.openChannels.isEmpty == true)
    }

    @Test("The host selects unused SPSMs until none is left")
    func dynamicNumbers() throws {
        var (harness, _) = try connected()
        var numbers: Set<UInt16> = []
        for _ in L2CAP.SPSM.dynamicRange {
            let key = try harness.core.listen(nil, terms: ListenerTerms(), backlogLimit: 1)
            numbers.insert(key.spsm.rawValue)
        }
        #expect(numbers == Set(L2CAP.SPSM.dynamicRange))
        #expect(throws: L2CAP.Failure.alreadyListening) {
            try harness.core.listen(nil, terms: ListenerTerms(), backlogLimit: 1)
        }
    }

    @Test("A shutdown completes every request that waits for channels")
    func shutDown() throws {
        var (harness, link, channel) = try withChannel()
        let key = try listen(&harness)
        let waiting = accept(key, &harness)
        let receive = harness.ask(.receive(channel), of: link)
        harness.core.shutDown(now: harness.now)
        harness.advance(by: .seconds(2))
        #expect(harness.error(waiting) == .closed)
        #expect(!harness.isPending(receive))
    }
}
