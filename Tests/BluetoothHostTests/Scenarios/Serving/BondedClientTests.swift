// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports
import Testing

@testable import BluetoothHost

@Suite("Records of bonded clients")
struct BondedClientTests {
    private let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.key = Bonded.key
        return peer
    }()

    private func serving(
        _ store: [StoreKey: [UInt8]] = [:],
        hasStore: Bool = true,
        publishing definitions: [GATT.ServiceDefinition] = [TestService.definition]
    ) throws -> (Harness, GATT.DiscoveredService) {
        let bond = Bond(peer: peer.address, longTermKey: try #require(Bonded.key))
        var harness = Harness.ready(peers: [peer]) {
            $0.bonds = [bond]
            if hasStore { $0.store = MemoryStore() }
        }
        harness.store = store
        let services = try definitions.map { try harness.publish($0) }
        return (harness, try #require(services.first))
    }

    private func encrypted(_ harness: inout Harness) throws -> LinkIdentifier {
        harness.controller.endlessCommands = []
        let link = try harness.connect(peer.address)
        #expect(harness.core.security(of: link)?.isEncrypted == true)
        return link
    }

    /// Returns a link whose peer has a bonded address and is not authenticated.
    private func unencrypted(_ harness: inout Harness) throws -> LinkIdentifier {
        harness.controller.endlessCommands = [.leEnableEncryption]
        _ = harness.requestConnection(peer.address)
        harness.drive()
        return try #require(harness.core.linkList.first).identifier
    }

    private func disconnectPeer(_ harness: inout Harness) {
        harness.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
        harness.drive()
    }

    @Test("A bonded client's subscription is restored after encryption", arguments: [true, false])
    func reconnection(_ hasStore: Bool) throws {
        var (harness, service) = try serving(hasStore: hasStore)
        _ = try encrypted(&harness)
        _ = harness.write([1, 0], to: try service.configuration(0), by: peer.address)
        #expect(harness.store.isEmpty != hasStore)
        disconnectPeer(&harness)
        let unencryptedLink = try unencrypted(&harness)
        #expect(
            harness.core.subscriptions(of: unencryptedLink).isEmpty,
            "A client that is not authenticated has no subscriptions"
        )
        disconnectPeer(&harness)
        let link = try encrypted(&harness)
        #expect(harness.core.subscriptions(of: link) == [service.value(0): .notification])
        let events = harness.clientEvents.filter { entry in
            guard entry.link == link, case .subscribed = entry.event else { return false }
            return true
        }
        #expect(events.count == 1, "The application gets one event for the restored subscription")
        let id = harness.notify([(service.value(0), [5])], on: link)
        harness.drive()
        #expect(harness.error(id) == nil && harness.values(receivedBy: peer.address) == [[5]])
    }

    @Test("GATT/SR/GAI/BV-02-C: The configuration for indications of a bonded client remains")
    func indicationReconnection() throws {
        var (harness, service) = try serving()
        _ = try encrypted(&harness)
        let configuration = try service.configuration(2)
        _ = harness.write([2, 0], to: configuration, by: peer.address)
        disconnectPeer(&harness)
        let link = try encrypted(&harness)
        let answers = harness.read(configuration, by: peer.address)
        #expect(answers.last == .readResponse(.init(value: [2, 0])))
        _ = harness.notify([(service.value(2), [5])], on: link)
        harness.drive()
        #expect(harness.values(receivedBy: peer.address) == [[5]])
    }

    @Test("A subscription survives a restart if the store contains its record")
    func restart() throws {
        var (harness, service) = try serving()
        _ = try encrypted(&harness)
        _ = harness.write([1, 0], to: try service.configuration(0), by: peer.address)
        let key = RecordName.client(peer.address).key
        #expect(harness.store.keys.map(\.description) == ["client-random-c00000000001"])
        var (next, _) = try serving([key: try #require(harness.store[key])])
        let link = try encrypted(&next)
        #expect(next.core.subscriptions(of: link) == [service.value(0): .notification])
        var (other, _) = try serving()
        let otherLink = try encrypted(&other)
        #expect(other.core.subscriptions(of: otherLink).isEmpty)
    }

    @Test("No record is stored for a client that is not authenticated")
    func unencrypted() throws {
        var (harness, service) = try serving()
        let link = try unencrypted(&harness)
        let configuration = try service.configuration(0)
        let refused = harness.write([1, 0], to: configuration, by: peer.address)
        #expect(refused == [.refusal(.writeRequest, configuration, .insufficientEncryption)])
        #expect(harness.core.subscriptions(of: link).isEmpty)
        #expect(harness.store.isEmpty)
        disconnectPeer(&harness)
        let later = try encrypted(&harness)
        #expect(harness.core.subscriptions(of: later).isEmpty)
    }

    @Test("Invalid contents of a client's record have no effect")
    func corruptStore() throws {
        let key = RecordName.client(peer.address).key
        for bytes: [UInt8] in [[], [0xFF], [1, 0], [UInt8](repeating: 1, count: 5_000)] {
            var (harness, service) = try serving([key: bytes])
            let link = try encrypted(&harness)
            #expect(harness.core.subscriptions(of: link).isEmpty)
            #expect(harness.read(service.value(0), by: peer.address) == [.value([1, 2, 3])])
        }
    }

    @Test("Removing the bond removes the record")
    func removal() throws {
        var (harness, service) = try serving()
        _ = try encrypted(&harness)
        _ = harness.write([1, 0], to: try service.configuration(0), by: peer.address)
        #expect(harness.store.count == 1)
        harness.core.dropBond(of: peer.address, now: harness.now)
        harness.performActions()
        #expect(harness.store.isEmpty)
        #expect(harness.core.context.clientRecords.isEmpty)
    }

    @Test("A client returning to a changed database is refused until it confirms Service Changed")
    func serviceChanged() throws {
        var (harness, service) = try serving()
        _ = try encrypted(&harness)
        let robust = try #require(handle(0x2B29, &harness))
        let changed = try #require(handle(0x2A05, &harness, isUnreadable: true))
        #expect(harness.write([0x01], to: robust, by: peer.address) == [.writeResponse])
        let configured = harness.write(
            [2, 0],
            to: AttributeHandle(changed.rawValue + 1),
            by: peer.address
        )
        #expect(configured == [.writeResponse])
        disconnectPeer(&harness)
        _ = try harness.publish(GATT.ServiceDefinition(BluetoothUUID(0x180F), []))
        harness.controller.peers[peer.address]?.server.confirms = false
        _ = try encrypted(&harness)
        let handle = service.value(0)
        let handles = harness.received(by: peer.address).compactMap { pdu -> AttributeHandle? in
            if case .handleValueIndication(let indication) = pdu { indication.handle } else { nil }
        }
        #expect(handles == [changed])
        let refused = harness.read(handle, by: peer.address)
        #expect(refused == [.refusal(.readRequest, handle, .databaseOutOfSync)])
        harness.controller.sendPDU(.handleValueConfirmation, from: peer.address)
        harness.drive()
        #expect(harness.read(handle, by: peer.address) == [.value([1, 2, 3])])
    }

    @Test("A client that returns to a changed database is refused before encryption, too")
    func staleHandlesUnencrypted() throws {
        var (harness, service) = try serving()
        _ = try encrypted(&harness)
        let robust = try #require(handle(0x2B29, &harness))
        #expect(harness.write([0x01], to: robust, by: peer.address) == [.writeResponse])
        let kept = harness.store
        disconnectPeer(&harness)
        _ = try harness.publish(GATT.ServiceDefinition(BluetoothUUID(0x180F), []))
        _ = try unencrypted(&harness)
        let handle = service.value(0)
        let refused = harness.read(handle, by: peer.address)
        #expect(refused == [.refusal(.readRequest, handle, .databaseOutOfSync)])
        let refusal = harness.read(handle, by: peer.address)
        #expect(refusal == [.refusal(.readRequest, handle, .insufficientEncryption)])
        #expect(
            harness.store == kept,
            "The host stores no record of a client that is not authenticated"
        )
    }

    /// Returns the handle of a characteristic's value by its type.
    private func handle(
        _ type: UInt16,
        _ harness: inout Harness,
        isUnreadable: Bool = false
    ) -> AttributeHandle? {
        guard isUnreadable else {
            return harness.handle(ofType: BluetoothUUID(type), for: peer.address)
        }
        // The peer cannot read this value, so the test searches the attributes of the database.
        return harness.core.context.server.database.attributes.first {
            $0.type == BluetoothUUID(type)
        }?.handle
    }
}
