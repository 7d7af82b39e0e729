// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports
import Testing

@testable import BluetoothHost

@Suite("Records of bonded clients")
struct MemoryStories {
    private let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.key = Bonded.key
        return peer
    }()

    private func serving(
        _ store: [StoreKey: [UInt8]] = [:],
        hasStore: Bool = true,
        publishing definitions: [GATT.ServiceDefinition] = [Clinic.definition]
    ) throws -> (Bench, GATT.PublishedService) {
        let bond = Bond(peer: peer.address, longTermKey: try #require(Bonded.key))
        var bench = Bench.ready(peers: [peer]) {
            $0.bonds = [bond]
            if hasStore { $0.store = MemoryStore() }
        }
        bench.store = store
        let services = try definitions.map { try bench.publish($0) }
        return (bench, try #require(services.first))
    }

    private func encrypted(_ bench: inout Bench) throws -> LinkIdentifier {
        bench.controller.endlessCommands = []
        let link = try bench.connect(peer.address)
        #expect(bench.core.security(of: link)?.isEncrypted == true)
        return link
    }

    /// Returns a link whose peer has a bonded address and is not authenticated.
    private func unproven(_ bench: inout Bench) throws -> LinkIdentifier {
        bench.controller.endlessCommands = [.leEnableEncryption]
        _ = bench.dial(peer.address)
        bench.drive()
        return try #require(bench.core.linkList.first).identifier
    }

    private func part(_ bench: inout Bench) {
        bench.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
        bench.drive()
    }

    @Test("A subscription is inactive while its client is disconnected", arguments: [true, false])
    func reconnection(_ hasStore: Bool) throws {
        var (bench, service) = try serving(hasStore: hasStore)
        _ = try encrypted(&bench)
        _ = bench.write([1, 0], to: try service.configuration(0), by: peer.address)
        #expect(bench.store.isEmpty != hasStore)
        part(&bench)
        let doubtful = try unproven(&bench)
        #expect(bench.core.subscriptions(of: doubtful).isEmpty, "it has not shown who it is")
        part(&bench)
        let link = try encrypted(&bench)
        #expect(bench.core.subscriptions(of: link) == [service.value(0): .notification])
        let told = bench.news.filter { news in
            guard news.link == link, case .subscribed = news.news else { return false }
            return true
        }
        #expect(told.count == 1, "the application is told of what came back")
        let id = bench.notify([(service.value(0), [5])], on: link)
        bench.drive()
        #expect(bench.error(id) == nil && bench.values(heardBy: peer.address) == [[5]])
    }

    @Test("A subscription survives a restart with a store, and not without one")
    func restart() throws {
        var (bench, service) = try serving()
        _ = try encrypted(&bench)
        _ = bench.write([1, 0], to: try service.configuration(0), by: peer.address)
        let key = RecordName.client(peer.address).key
        #expect(bench.store.keys.map(\.description) == ["client-random-c00000000001"])
        var (next, _) = try serving([key: try #require(bench.store[key])])
        let link = try encrypted(&next)
        #expect(next.core.subscriptions(of: link) == [service.value(0): .notification])
        var (other, _) = try serving()
        let otherLink = try encrypted(&other)
        #expect(other.core.subscriptions(of: otherLink).isEmpty)
    }

    @Test("No record is stored for a client that is not authenticated")
    func unencrypted() throws {
        var (bench, service) = try serving()
        let link = try unproven(&bench)
        let configuration = try service.configuration(0)
        let refused = bench.write([1, 0], to: configuration, by: peer.address)
        #expect(refused == [.refusal(.writeRequest, configuration, .insufficientEncryption)])
        #expect(bench.core.subscriptions(of: link).isEmpty)
        #expect(bench.store.isEmpty)
        part(&bench)
        let later = try encrypted(&bench)
        #expect(bench.core.subscriptions(of: later).isEmpty)
    }

    @Test("Invalid contents of a client's record have no effect")
    func corruptStore() throws {
        let key = RecordName.client(peer.address).key
        for bytes: [UInt8] in [[], [0xFF], [1, 0], [UInt8](repeating: 1, count: 5_000)] {
            var (bench, service) = try serving([key: bytes])
            let link = try encrypted(&bench)
            #expect(bench.core.subscriptions(of: link).isEmpty)
            #expect(bench.read(service.value(0), by: peer.address) == [.value([1, 2, 3])])
        }
    }

    @Test("Removing the bond removes the record")
    func removal() throws {
        var (bench, service) = try serving()
        _ = try encrypted(&bench)
        _ = bench.write([1, 0], to: try service.configuration(0), by: peer.address)
        #expect(bench.store.count == 1)
        bench.core.dropBond(of: peer.address, now: bench.now)
        bench.performActions()
        #expect(bench.store.isEmpty)
        #expect(bench.core.context.clientRecords.isEmpty)
    }

    @Test("A client that returns to a changed table is refused until it confirms Service Changed")
    func serviceChanged() throws {
        var (bench, service) = try serving()
        _ = try encrypted(&bench)
        let robust = try #require(handle(0x2B29, &bench))
        let changed = try #require(handle(0x2A05, &bench, isDeclaration: true))
        #expect(bench.write([0x01], to: robust, by: peer.address) == [.writeResponse])
        let configured = bench.write(
            [2, 0],
            to: AttributeHandle(changed.rawValue + 1),
            by: peer.address
        )
        #expect(configured == [.writeResponse])
        part(&bench)
        _ = try bench.publish(GATT.ServiceDefinition(BluetoothUUID(0x180F), []))
        bench.controller.peers[peer.address]?.server.confirms = false
        _ = try encrypted(&bench)
        let handle = service.value(0)
        let told = bench.heard(by: peer.address).compactMap { pdu -> AttributeHandle? in
            if case .handleValueIndication(let told) = pdu { told.handle } else { nil }
        }
        #expect(told == [changed])
        let refused = bench.read(handle, by: peer.address)
        #expect(refused == [.refusal(.readRequest, handle, .databaseOutOfSync)])
        bench.controller.sendPDU(.handleValueConfirmation, from: peer.address)
        bench.drive()
        #expect(bench.read(handle, by: peer.address) == [.value([1, 2, 3])])
    }

    @Test("A client that returns to a changed table is refused before encryption, too")
    func staleHandlesUnencrypted() throws {
        var (bench, service) = try serving()
        _ = try encrypted(&bench)
        let robust = try #require(handle(0x2B29, &bench))
        #expect(bench.write([0x01], to: robust, by: peer.address) == [.writeResponse])
        let kept = bench.store
        part(&bench)
        _ = try bench.publish(GATT.ServiceDefinition(BluetoothUUID(0x180F), []))
        _ = try unproven(&bench)
        let handle = service.value(0)
        let refused = bench.read(handle, by: peer.address)
        #expect(refused == [.refusal(.readRequest, handle, .databaseOutOfSync)])
        let unproved = bench.read(handle, by: peer.address)
        #expect(unproved == [.refusal(.readRequest, handle, .insufficientEncryption)])
        #expect(bench.store == kept, "what comes without proof was kept")
    }

    /// Returns the handle of a characteristic's value by its type.
    private func handle(
        _ type: UInt16,
        _ bench: inout Bench,
        isDeclaration: Bool = false
    ) -> AttributeHandle? {
        guard isDeclaration else {
            return bench.handle(ofType: BluetoothUUID(type), for: peer.address)
        }
        // One that cannot be read is found among the attributes of the table.
        return bench.core.context.server.database.attributes.first {
            $0.type == BluetoothUUID(type)
        }?.handle
    }
}
