// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Credit-based channels")
struct ChannelStories {
    private let peer: ModelPeer
    /// Small enough to fill quickly.
    private let small = L2CAP.ChannelOptions(mtu: 40, mps: 23, window: 4)

    init() {
        var peer = ModelPeer(1)
        peer.channels = .listening(for: 0x0080, .init(mtu: 40, mps: 23, window: 4))
        self.peer = peer
    }

    private func connected(
        _ profile: ModelProfile = .rich
    ) throws -> (Bench, LinkIdentifier) {
        var bench = Bench.ready(profile, peers: [peer])
        let link = try bench.connect(peer.address)
        return (bench, link)
    }

    private func withChannel(
        _ profile: ModelProfile = .rich
    ) throws -> (Bench, LinkIdentifier, ChannelNumber) {
        var (bench, link) = try connected(profile)
        let opening = bench.ask(.open(0x0080, .credit, count: 1, small), of: link)
        bench.drive()
        let channel = try #require(try bench.channels(opening).first)
        return (bench, link, channel)
    }

    private func listen(_ bench: inout Bench, backlog: Int = 8) throws -> ListenerKey {
        var terms = ListenerTerms()
        terms.options = small
        return try bench.core.listen(0x0090, terms: terms, backlogLimit: backlog)
    }

    private func accept(_ key: ListenerKey, _ bench: inout Bench) -> RequestIdentifier {
        let id = bench.takeRequest()
        bench.core.accept(key, id: id)
        bench.performActions()
        return id
    }

    @Test(
        "A channel opens, carries SDUs in both directions, and closes",
        arguments: [
            ModelProfile.rich, .poor, .shared,
        ]
    )
    func life(profile: ModelProfile) throws {
        var (bench, link, channel) = try withChannel(profile)
        let long = [UInt8](repeating: 7, count: 40)
        let send = bench.ask(.send(long, channel), of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(send) }
        bench.channels(of: peer.address) { channels in
            let taken = channels.take()
            #expect(taken == long)
            channels.send([1, 2, 3])
        }
        let receive = bench.ask(.receive(channel), of: link)
        #expect(try bench.sdu(receive) == [1, 2, 3])
        let close = bench.ask(.close(channel), of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(close) }
        #expect(bench.core.description(of: channel) == nil)
        let late = bench.ask(.send([1], channel), of: link)
        #expect(bench.failure(late) == .closed)
        let end = bench.ask(.awaitEnd(channel), of: link)
        #expect(try bench.channelEnd(end) == .closed)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("An unknown SPSM is refused, and a request to a peer without channels times out")
    func refusals() throws {
        var (bench, link) = try connected()
        let opening = bench.ask(.open(0x0081, .enhanced, count: 3, .init()), of: link)
        bench.drive()
        #expect(bench.failure(opening) == .refused(.spsmNotSupported))
        bench.controller.peers[peer.address]?.channels = nil
        let unanswered = bench.ask(.open(0x0080, .credit, count: 1, .init()), of: link)
        bench.advance(by: .seconds(31))
        #expect(bench.failure(unanswered) == .timedOut)
        let impossible = bench.ask(.open(0x0080, .credit, count: 2, .init()), of: link)
        #expect(bench.failure(impossible) == .invalidParameters)
    }

    @Test("Sending waits for the peer's credits and resumes with them")
    func waitsForCredits() throws {
        var (bench, link, channel) = try withChannel()
        let sends = (0..<10).map { bench.ask(.send([UInt8($0)], channel), of: link) }
        bench.drive()
        #expect(sends.filter { !bench.isPending($0) }.count == 4)
        for number in 0..<10 {
            bench.channels(of: peer.address) { channels in
                let taken = channels.take()
                #expect(taken == [UInt8(number)])
            }
        }
        #expect(bench.unfinished(sends).isEmpty)
    }

    @Test("SDUs that are not received stop the peer, and credits limit their number")
    func backPressure() throws {
        var (bench, link, channel) = try withChannel()
        bench.channels(of: peer.address) { channels in
            for number in 0..<20 { channels.send([UInt8(number)]) }
        }
        #expect(bench.core.description(of: channel)?.receiveCredits == 0)
        for number in 0..<20 {
            let receive = bench.ask(.receive(channel), of: link)
            bench.drive()
            #expect(try bench.sdu(receive) == [UInt8(number)])
        }
    }

    @Test("SDUs that a peer sent before it closed are received before the end")
    func closedByPeer() throws {
        var (bench, link, channel) = try withChannel()
        bench.channels(of: peer.address) { channels in channels.send([1]) }
        bench.channels(of: peer.address) { channels in channels.send([2]) }
        bench.channels(of: peer.address) { channels in channels.close() }
        for expected: [UInt8]? in [[1], [2], nil, nil] {
            let receive = bench.ask(.receive(channel), of: link)
            #expect(try bench.sdu(receive) == expected)
        }
        let end = bench.ask(.awaitEnd(channel), of: link)
        #expect(try bench.channelEnd(end) == .closedByPeer)
        let late = bench.ask(.send([1], channel), of: link)
        #expect(bench.failure(late) == .closedByPeer)
    }

    @Test("The end of the link completes every waiting request once")
    func linkEnds() throws {
        var (bench, link, channel) = try withChannel()
        let receive = bench.ask(.receive(channel), of: link)
        let another = bench.ask(.receive(channel), of: link)
        #expect(bench.error(another) == .busy)
        let end = bench.ask(.awaitEnd(channel), of: link)
        let sends = (0..<6).map { bench.ask(.send([UInt8($0)], channel), of: link) }
        let opening = bench.ask(.open(0x0080, .credit, count: 1, small), of: link)
        bench.controller.dropLink(to: peer.address, .connectionTimeout)
        bench.drive()
        let reason = HostError.disconnected(.connectionTimeout)
        #expect(bench.error(receive) == reason)
        #expect(try bench.channelEnd(end) == .linkEnded(reason))
        #expect(bench.unfinished(sends + [opening]).isEmpty)
        let late = bench.ask(.send([1], channel), of: link)
        #expect(bench.error(late) == reason)
    }

    @Test("A violation ends the channel and not the link")
    func violation() throws {
        var (bench, link, channel) = try withChannel()
        let handle = try #require(bench.controller.handle(of: peer.address))
        let local = ChannelIdentifier(rawValue: 0x0040)
        bench.controller.sendFrame(L2CAPFrame.encode([41, 0], on: local), on: handle)
        bench.drive()
        let end = bench.ask(.awaitEnd(channel), of: link)
        #expect(try bench.channelEnd(end) == .violated(.sduTooLong))
        let receive = bench.ask(.receive(channel), of: link)
        #expect(bench.failure(receive) == .violated(.sduTooLong))
        let read = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(read) }
    }

    @Test("Reads take turns with a channel that always has data")
    func turns() throws {
        var (bench, link, channel) = try withChannel(.poor)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.keepsPackets = true
        for _ in 0..<20 {
            _ = bench.ask(.send([UInt8](repeating: 1, count: 40), channel), of: link)
        }
        let read = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        bench.controller.keepsPackets = false
        bench.controller.releasePackets(100, on: handle)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(read) }
    }

    @Test("A request that is canceled leaves no state")
    func cancellation() throws {
        var (bench, link) = try connected()
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.keepsPackets = true
        let request = ChannelRequest.open(0x0080, .enhanced, count: 4, .init())
        let opening = bench.ask(request, of: link)
        bench.drive()
        bench.core.cancel(request, opening, of: link, now: bench.now)
        bench.controller.keepsPackets = false
        bench.controller.releasePackets(100, on: handle)
        bench.drive()
        #expect(bench.isPending(opening))
        let channels = bench.controller.peers[peer.address]?.channels
        #expect(channels?.link.openChannels.isEmpty == true)
    }

    @Test("A listener gets the channels of peers, up to its backlog")
    func listening() throws {
        var (bench, _) = try connected()
        let key = try listen(&bench, backlog: 2)
        #expect(throws: L2CAP.Failure.alreadyListening) { try listen(&bench) }
        let early = accept(key, &bench)
        let second = accept(key, &bench)
        #expect(bench.error(second) == .busy)
        for _ in 0..<5 {
            bench.channels(of: peer.address) { channels in channels.open(0x0090) }
        }
        let told = bench.controller.peers[peer.address]?.channels?.told ?? []
        #expect(told.count { if case .opened = $0 { true } else { false } } == 3)
        #expect(told.contains(.refused(1, .refused(.noResources))))
        #expect(try bench.channels(early).count == 1)
        let third = accept(key, &bench)
        #expect(try bench.channels(third).count == 1)
        let fourth = accept(key, &bench)
        let last = try bench.channels(fourth)
        #expect(bench.core.description(of: try #require(last.first))?.spsm == 0x0090)
        let waiting = accept(key, &bench)
        bench.core.stopListening(key, now: bench.now)
        bench.performActions()
        #expect(try bench.channels(waiting).isEmpty)
        bench.channels(of: peer.address) { channels in channels.open(0x0090) }
        let refused = bench.controller.peers[peer.address]?.channels?.told.last
        #expect(refused == .refused(1, .refused(.spsmNotSupported)))
    }

    @Test("Channels that were not accepted are closed with their listener")
    func unaccepted() throws {
        var (bench, _) = try connected()
        let key = try listen(&bench)
        bench.channels(of: peer.address) { channels in channels.open(0x0090) }
        bench.core.stopListening(key, now: bench.now)
        bench.drive()
        let channels = bench.controller.peers[peer.address]?.channels
        #expect(channels?.link.openChannels.isEmpty == true)
    }

    @Test("The host selects unused SPSMs until none is left")
    func dynamicNumbers() throws {
        var (bench, _) = try connected()
        var numbers: Set<UInt16> = []
        for _ in L2CAP.SPSM.dynamicRange {
            let key = try bench.core.listen(nil, terms: ListenerTerms(), backlogLimit: 1)
            numbers.insert(key.spsm.rawValue)
        }
        #expect(numbers == Set(L2CAP.SPSM.dynamicRange))
        #expect(throws: L2CAP.Failure.alreadyListening) {
            try bench.core.listen(nil, terms: ListenerTerms(), backlogLimit: 1)
        }
    }

    @Test("A shutdown completes every request that waits for channels")
    func shutDown() throws {
        var (bench, link, channel) = try withChannel()
        let key = try listen(&bench)
        let waiting = accept(key, &bench)
        let receive = bench.ask(.receive(channel), of: link)
        bench.core.shutDown(now: bench.now)
        bench.advance(by: .seconds(2))
        #expect(bench.error(waiting) == .closed)
        #expect(!bench.isPending(receive))
    }
}
