// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Database of a peer")
struct DatabaseTests {
    private static let hashHandle = AttributeHandle(8)

    /// Returns a peer with a Database Hash at the end of its database.
    private static func peerWithHash(_ hash: [UInt8]) -> ModelPeer {
        var peer = ModelPeer(1)
        peer.server.attributes += [
            .init(handle: .init(7), type: .init(0x2803), value: [2, 8, 0, 0x2A, 0x2B]),
            .init(handle: hashHandle, type: .init(0x2B2A), value: hash),
        ]
        return peer
    }

    private let peer = DatabaseTests.peerWithHash(Array(0..<16))

    private func requests(_ harness: Harness) -> [ATT.PDU] {
        harness.controller.peers[peer.address]?.server.received ?? []
    }

    private func database(_ harness: Harness, _ id: RequestIdentifier) throws -> GATT.Database {
        guard case .database(let database) = try harness.answer(id)
        else { throw Harness.UnexpectedAnswer() }
        return database
    }

    private func reconnect(_ harness: inout Harness, _ link: LinkIdentifier) throws
        -> LinkIdentifier
    {
        _ = harness.ask(.disconnect, of: link)
        harness.drive()
        return try harness.connect(peer.address)
    }

    @Test("Requests at the same time share one discovery")
    func shared() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        let ids = (0..<5).map { _ in harness.ask(.database, of: link) }
        harness.drive()
        let found = try ids.map { try database(harness, $0) }
        #expect(Set(found).count == 1)
        let characteristic = found[0].characteristic(ModelServer.readable)
        #expect(characteristic?.characteristic == ModelServer.characteristic)
        let discoveries = requests(harness).filter { $0.opcode == .readByGroupTypeRequest }
        #expect(discoveries.count == 2, "Two requests discover all services")
    }

    @Test("On the next link, a request for the database sends one read")
    func oneRead() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        let first = harness.ask(.database, of: link)
        harness.drive()
        let second = try reconnect(&harness, link)
        let before = requests(harness).count
        let again = harness.ask(.database, of: second)
        harness.drive()
        #expect(try database(harness, again) == (try database(harness, first)))
        #expect(requests(harness).dropFirst(before).map(\.opcode) == [.readByTypeRequest])
    }

    @Test("The database is discovered again if its hash differs")
    func otherHash() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        _ = harness.ask(.database, of: link)
        harness.drive()
        let second = try reconnect(&harness, link)
        harness.controller.peers[peer.address]?.server.set(Array(1...16), at: Self.hashHandle)
        let before = requests(harness).count
        let again = harness.ask(.database, of: second)
        harness.drive()
        #expect(throws: Never.self) { try database(harness, again) }
        #expect(requests(harness).count - before > 3)
    }

    @Test("The database of a peer without a hash and without a bond is discovered on each link")
    func withoutHash() throws {
        let plain = ModelPeer(1)
        var harness = Harness.ready(peers: [plain])
        var link = try harness.connect(plain.address)
        for _ in 0..<2 {
            let before = requests(harness).count
            let id = harness.ask(.database, of: link)
            harness.drive()
            #expect(throws: Never.self) { try database(harness, id) }
            #expect(requests(harness).count - before > 3)
            link = try reconnect(&harness, link)
        }
    }

    @Test("The database is checked again after an operation fails as out of sync")
    func outOfSync() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        _ = harness.ask(.database, of: link)
        harness.drive()
        let handle = ModelServer.readableHandle
        harness.controller.peers[peer.address]?.server.refusals[handle] = .databaseOutOfSync
        let read = harness.ask(.gatt(.read(handle)), of: link)
        harness.drive()
        let refusal = GATT.Failure.attribute(.databaseOutOfSync, handle: handle)
        #expect(throws: refusal) { try harness.answer(read) }
        #expect("\(refusal)".hasPrefix("Database Out Of Sync"))
        let before = requests(harness).count
        let again = harness.ask(.database, of: link)
        harness.drive()
        #expect(throws: Never.self) { try database(harness, again) }
        #expect(requests(harness).dropFirst(before).map(\.opcode) == [.readByTypeRequest])
    }

    @Test("After a change, handles are refused until the database is requested again")
    func staleHandles() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        let before = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        _ = harness.ask(.database, of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(before) }
        let now = harness.now
        harness.core.withLink(link, now: now) { $0.databaseChanged(&$1) }
        let count = requests(harness).count
        let stale = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        #expect(
            throws: GATT.Failure.attribute(
                .databaseOutOfSync,
                handle: ModelServer.readableHandle
            )
        ) { try harness.answer(stale) }
        #expect(requests(harness).count == count, "The host sends no request")
        let found = harness.ask(.gatt(.discoverPrimaryServices(uuid: nil)), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(found) }
        _ = harness.ask(.database, of: link)
        harness.drive()
        let fresh = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(fresh) }
    }

    @Test("The end of the link fails every request for the database")
    func linkEnds() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.peers[peer.address]?.isSilent = true
        let ids = (0..<3).map { _ in harness.ask(.database, of: link) }
        harness.drive()
        _ = harness.ask(.disconnect, of: link)
        harness.drive()
        #expect(harness.unfinished(ids).isEmpty)
        for id in ids { #expect(harness.error(id) != nil) }
        harness.controller.peers[peer.address]?.isSilent = false
        let next = try harness.connect(peer.address)
        let id = harness.ask(.database, of: next)
        harness.drive()
        #expect(throws: Never.self) { try database(harness, id) }
    }

    @Test("The end of the link at any packet of the discovery leaves no state")
    func everyStep() throws {
        var whole = Harness.ready(peers: [peer])
        let link = try whole.connect(peer.address)
        _ = whole.ask(.database, of: link)
        var steps = 0
        while !whole.drive(atMost: 1) { steps += 1 }
        #expect(steps > 10)
        for limit in 0...steps {
            var harness = Harness.ready(peers: [peer])
            let link = try harness.connect(peer.address)
            let id = harness.ask(.database, of: link)
            harness.drive(atMost: limit)
            harness.controller.dropLink(to: peer.address, .connectionTimeout)
            harness.drive()
            #expect(harness.unfinished([id]).isEmpty, "cut after \(limit)")
            #expect(harness.core.links.isEmpty)
            let next = try harness.connect(peer.address)
            let again = harness.ask(.database, of: next)
            harness.drive()
            #expect(throws: Never.self) { try database(harness, again) }
        }
    }

    @Test("A discovery stops when no request waits for it")
    func cancelled() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.peers[peer.address]?.isSilent = true
        let ids = (0..<2).map { _ in harness.ask(.database, of: link) }
        harness.drive()
        harness.core.cancelRequest(ids[0], of: link, now: harness.now)
        #expect(
            harness.core.links.cores.first?.lookup.isSearching == true,
            "The lookup is in progress"
        )
        harness.core.cancelRequest(ids[1], of: link, now: harness.now)
        #expect(harness.core.links.cores.first?.lookup.isSearching == false)
        #expect(harness.core.links.cores.first?.databaseRequests == [])
        let before = requests(harness).count
        harness.advance(by: .seconds(1))
        #expect(requests(harness).count == before)
    }

    @Test("The number of peers with a stored database is limited")
    func bound() throws {
        let peers = (1...DatabaseCache.peerLimit + 3).map { ModelPeer($0) }
        var harness = Harness.ready(peers: peers)
        for peer in peers {
            let link = try harness.connect(peer.address)
            let id = harness.ask(.database, of: link)
            harness.drive()
            #expect(throws: Never.self) { try database(harness, id) }
            _ = harness.ask(.disconnect, of: link)
            harness.drive()
        }
        #expect(harness.core.context.databases.count == DatabaseCache.peerLimit)
        #expect(harness.core.links.isEmpty)
    }
}
