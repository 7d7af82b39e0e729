// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Database of a peer")
struct DatabaseStories {
    private static let hashHandle = AttributeHandle(8)

    /// Returns a peer with a Database Hash at the end of its table.
    private static func peerWithHash(_ hash: [UInt8]) -> ModelPeer {
        var peer = ModelPeer(1)
        peer.server.attributes += [
            .init(handle: .init(7), type: .init(0x2803), value: [2, 8, 0, 0x2A, 0x2B]),
            .init(handle: hashHandle, type: .init(0x2B2A), value: hash),
        ]
        return peer
    }

    private let peer = DatabaseStories.peerWithHash(Array(0..<16))

    private func requests(_ bench: Bench) -> [ATT.PDU] {
        bench.controller.peers[peer.address]?.server.received ?? []
    }

    private func database(_ bench: Bench, _ id: RequestIdentifier) throws -> GATT.Database {
        guard case .database(let database) = try bench.answer(id)
        else { throw Bench.UnexpectedAnswer() }
        return database
    }

    private func reconnect(_ bench: inout Bench, _ link: LinkIdentifier) throws -> LinkIdentifier {
        _ = bench.ask(.disconnect, of: link)
        bench.drive()
        return try bench.connect(peer.address)
    }

    @Test("Requests at the same time share one discovery")
    func shared() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        let ids = (0..<5).map { _ in bench.ask(.database, of: link) }
        bench.drive()
        let found = try ids.map { try database(bench, $0) }
        #expect(Set(found).count == 1)
        let characteristic = found[0].characteristic(ModelServer.readable)
        #expect(characteristic?.characteristic == ModelServer.characteristic)
        let discoveries = requests(bench).filter { $0.opcode == .readByGroupTypeRequest }
        #expect(discoveries.count == 2, "the services, and that there are no more")
    }

    @Test("The database costs one read on the next link")
    func oneRead() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        let first = bench.ask(.database, of: link)
        bench.drive()
        let second = try reconnect(&bench, link)
        let before = requests(bench).count
        let again = bench.ask(.database, of: second)
        bench.drive()
        #expect(try database(bench, again) == (try database(bench, first)))
        #expect(requests(bench).dropFirst(before).map(\.opcode) == [.readByTypeRequest])
    }

    @Test("The database is discovered again if its hash differs")
    func otherHash() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        _ = bench.ask(.database, of: link)
        bench.drive()
        let second = try reconnect(&bench, link)
        bench.controller.peers[peer.address]?.server.set(Array(1...16), at: Self.hashHandle)
        let before = requests(bench).count
        let again = bench.ask(.database, of: second)
        bench.drive()
        #expect(throws: Never.self) { try database(bench, again) }
        #expect(requests(bench).count - before > 3)
    }

    @Test("The database of a peer without a hash and without a bond is discovered on each link")
    func withoutHash() throws {
        let plain = ModelPeer(1)
        var bench = Bench.ready(peers: [plain])
        var link = try bench.connect(plain.address)
        for _ in 0..<2 {
            let before = requests(bench).count
            let id = bench.ask(.database, of: link)
            bench.drive()
            #expect(throws: Never.self) { try database(bench, id) }
            #expect(requests(bench).count - before > 3)
            link = try reconnect(&bench, link)
        }
    }

    @Test("The database is checked again after an operation fails as out of sync")
    func outOfSync() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        _ = bench.ask(.database, of: link)
        bench.drive()
        let handle = ModelServer.readableHandle
        bench.controller.peers[peer.address]?.server.refusals[handle] = .databaseOutOfSync
        let read = bench.ask(.gatt(.read(handle)), of: link)
        bench.drive()
        let refusal = GATT.Failure.attribute(.databaseOutOfSync, handle: handle)
        #expect(throws: refusal) { try bench.answer(read) }
        #expect("\(refusal)".hasPrefix("Database Out Of Sync"))
        let before = requests(bench).count
        let again = bench.ask(.database, of: link)
        bench.drive()
        #expect(throws: Never.self) { try database(bench, again) }
        #expect(requests(bench).dropFirst(before).map(\.opcode) == [.readByTypeRequest])
    }

    @Test("After a change, handles are refused until the database is requested again")
    func staleHandles() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        let before = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        _ = bench.ask(.database, of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(before) }
        let now = bench.now
        bench.core.withLink(link, now: now) { $0.databaseChanged(&$1) }
        let count = requests(bench).count
        let stale = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        #expect(
            throws: GATT.Failure.attribute(
                .databaseOutOfSync,
                handle: ModelServer.readableHandle
            )
        ) { try bench.answer(stale) }
        #expect(requests(bench).count == count, "the peer is not asked")
        let found = bench.ask(.gatt(.discoverPrimaryServices(uuid: nil)), of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(found) }
        _ = bench.ask(.database, of: link)
        bench.drive()
        let fresh = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(fresh) }
    }

    @Test("A failure of the link fails every request for the database")
    func linkEnds() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.peers[peer.address]?.isSilent = true
        let ids = (0..<3).map { _ in bench.ask(.database, of: link) }
        bench.drive()
        _ = bench.ask(.disconnect, of: link)
        bench.drive()
        #expect(bench.unfinished(ids).isEmpty)
        for id in ids { #expect(bench.error(id) != nil) }
        bench.controller.peers[peer.address]?.isSilent = false
        let next = try bench.connect(peer.address)
        let id = bench.ask(.database, of: next)
        bench.drive()
        #expect(throws: Never.self) { try database(bench, id) }
    }

    @Test("The end of the link at any packet of the discovery leaves no state")
    func everyStep() throws {
        var whole = Bench.ready(peers: [peer])
        let link = try whole.connect(peer.address)
        _ = whole.ask(.database, of: link)
        var steps = 0
        while !whole.drive(atMost: 1) { steps += 1 }
        #expect(steps > 10)
        for limit in 0...steps {
            var bench = Bench.ready(peers: [peer])
            let link = try bench.connect(peer.address)
            let id = bench.ask(.database, of: link)
            bench.drive(atMost: limit)
            bench.controller.dropLink(to: peer.address, .connectionTimeout)
            bench.drive()
            #expect(bench.unfinished([id]).isEmpty, "cut after \(limit)")
            #expect(bench.core.links.isEmpty)
            let next = try bench.connect(peer.address)
            let again = bench.ask(.database, of: next)
            bench.drive()
            #expect(throws: Never.self) { try database(bench, again) }
        }
    }

    @Test("A discovery stops when no request waits for it")
    func cancelled() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.peers[peer.address]?.isSilent = true
        let ids = (0..<2).map { _ in bench.ask(.database, of: link) }
        bench.drive()
        bench.core.cancelRequest(ids[0], of: link, now: bench.now)
        #expect(bench.core.links.cores.first?.lookup.isLooking == true, "the lookup has ended")
        bench.core.cancelRequest(ids[1], of: link, now: bench.now)
        #expect(bench.core.links.cores.first?.lookup.isLooking == false)
        #expect(bench.core.links.cores.first?.databaseRequests == [])
        let before = requests(bench).count
        bench.advance(by: .seconds(1))
        #expect(requests(bench).count == before)
    }

    @Test("The number of peers with a stored database is limited")
    func bound() throws {
        let peers = (1...DatabaseCache.peerLimit + 3).map { ModelPeer($0) }
        var bench = Bench.ready(peers: peers)
        for peer in peers {
            let link = try bench.connect(peer.address)
            let id = bench.ask(.database, of: link)
            bench.drive()
            #expect(throws: Never.self) { try database(bench, id) }
            _ = bench.ask(.disconnect, of: link)
            bench.drive()
        }
        #expect(bench.core.context.databases.count == DatabaseCache.peerLimit)
        #expect(bench.core.links.isEmpty)
    }
}
