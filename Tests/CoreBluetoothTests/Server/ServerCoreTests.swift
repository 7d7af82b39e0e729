// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothClients
@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("The updates of values")
struct UpdateQueueTests {
    @Test("11.2 After a refusal, the app is informed once when there is space")
    func room() {
        var updates = PendingUpdateCount()
        let taken = (0..<PendingUpdateCount.limit).map { _ in updates.reserve() }
        #expect(taken.allSatisfy { $0 } && updates.count == PendingUpdateCount.limit)
        let refused = [updates.reserve(), updates.reserve()]
        #expect(refused == [false, false])
        let results = [updates.release(), updates.release()]
        #expect(results == [true, false])
        #expect(updates.count == PendingUpdateCount.limit - 2)
    }

    @Test("11.2 Without a refusal, the app is not informed")
    func silence() {
        var updates = PendingUpdateCount()
        let isTaken = updates.reserve()
        let isReported = updates.release()
        #expect(isTaken && !isReported && updates.count == 0)
    }

    @Test("11.2 Many threads cannot exceed the limit")
    func threads() async {
        let updates = LockedState(PendingUpdateCount())
        let takenCount = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<100).count { _ in updates.change { $0.reserve() } }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(takenCount == PendingUpdateCount.limit)
    }
}

@Suite("Unanswered requests")
struct PendingRequestsTests {
    private let link = LinkIdentifier(rawValue: 1)
    private let sessions = [SessionIdentifier.next(), .next()]

    @Test("10.4 The first answer to a request counts, and further answers are unknown")
    func once() {
        var cache = PendingRequests()
        cache.ask(7, [sessions[0]], on: link)
        let verdicts = [
            cache.answer(7, by: sessions[1], agrees: true),
            cache.answer(7, by: sessions[0], agrees: true),
            cache.answer(7, by: sessions[0], agrees: true),
        ]
        #expect(verdicts == [.unknown, .settled, .unknown])
    }

    @Test("10.4 A request succeeds only if all managers accept it")
    func unit() {
        var cache = PendingRequests()
        cache.ask(7, Set(sessions), on: link)
        let agreed = sessions.map { cache.answer(7, by: $0, agrees: true) }
        #expect(agreed == [.open, .settled])
        cache.ask(8, Set(sessions), on: link)
        let refused = sessions.map { cache.answer(8, by: $0, agrees: false) }
        #expect(refused == [.settled, .unknown])
    }

    @Test("Requests end with their link and their manager, and are bounded")
    func ends() {
        var cache = PendingRequests()
        cache.ask(1, [sessions[0]], on: link)
        cache.ask(2, Set(sessions), on: LinkIdentifier(rawValue: 2))
        cache.linkClosed(link)
        #expect(cache.count == 1)
        let orphaned = cache.leave(sessions[1])
        #expect(orphaned == [2] && cache.count == 0)
        for id in 0..<UInt64(1_000) { cache.ask(id, [sessions[0]], on: link) }
        #expect(cache.count == PendingRequests.limitPerLink)
        let last = cache.answer(999, by: sessions[0], agrees: true)
        #expect(last == .settled)
    }
}

@Suite("The subscriptions of centrals")
struct SubscriptionRegistryTests {
    private let session = SessionIdentifier.next()
    private let peer = PeerIdentifier(bytes: Array(repeating: 1, count: 16))
    private let other = PeerIdentifier(bytes: Array(repeating: 2, count: 16))
    private let links = (1...3).map { LinkIdentifier(rawValue: $0) }

    private func characteristicID(_ service: Int) -> PublishedCharacteristicID {
        PublishedCharacteristicID(session: session, service: service, characteristic: 0)
    }

    @Test("11.1 A subscription exists once, and ends with its link or its service")
    func subscriptions() {
        var registry = SubscriptionRegistry()
        let characteristicIDs = (0..<3).map(characteristicID)
        let inserted = (characteristicIDs + characteristicIDs).map {
            registry.insert($0, of: peer, on: links[0])
        }
        #expect(Array(inserted.joined()) == characteristicIDs.map { .begun($0, on: links[0]) })
        let removed = (1...2).map { _ in registry.remove(characteristicIDs[1], on: links[0]) }
        #expect(removed == [[.ended(characteristicIDs[1], on: links[0])], []])
        registry.remove(service: 0, of: session)
        let rest = registry.removeAll(on: links[0])
        #expect(rest == [.ended(characteristicIDs[2], on: links[0])])
        let none = registry.removeAll(on: links[0])
        #expect(none == [])
    }

    @Test("11.1 Of the links of a peer with a subscription, the newest is the current one")
    func newest() {
        var registry = SubscriptionRegistry()
        let characteristicID = characteristicID(0)
        var changes = registry.insert(characteristicID, of: peer, on: links[0])
        changes += registry.insert(characteristicID, of: other, on: links[1])
        changes += registry.insert(characteristicID, of: peer, on: links[2])
        #expect(
            changes == [
                .begun(characteristicID, on: links[0]), .begun(characteristicID, on: links[1]),
                .ended(characteristicID, on: links[0]), .begun(characteristicID, on: links[2]),
            ]
        )
        #expect(registry.link(of: peer, to: characteristicID) == links[2])
        #expect(registry.link(of: other, to: characteristicID) == links[1])
        let silent = registry.removeAll(on: links[0])
        #expect(silent == [], "The app knows only the newer link")
        let ended = registry.removeAll(on: links[2])
        #expect(ended == [.ended(characteristicID, on: links[2])])
        #expect(registry.link(of: peer, to: characteristicID) == nil)
    }

    @Test("11.1 An older link with a subscription becomes current when the newer one ends")
    func olderFollows() {
        var registry = SubscriptionRegistry()
        let characteristicID = characteristicID(0)
        _ = registry.insert(characteristicID, of: peer, on: links[1])
        let unseen = registry.insert(characteristicID, of: peer, on: links[0])
        #expect(unseen == [])
        let changes = registry.remove(characteristicID, on: links[1])
        #expect(
            changes == [
                .ended(characteristicID, on: links[1]), .begun(characteristicID, on: links[0]),
            ]
        )
    }
}

@Suite("The links of the server")
struct ServedLinksTests {
    private let peer = PeerIdentifier(bytes: Array(repeating: 1, count: 16))
    private let other = PeerIdentifier(bytes: Array(repeating: 2, count: 16))
    private let links = (1...4).map { LinkIdentifier(rawValue: $0) }

    @Test("A central that connects again supersedes its own former links only")
    func superseded() {
        var served = ServedLinks()
        served.open(links[0], to: peer, isIncoming: true)
        served.open(links[1], to: peer, isIncoming: false)
        served.open(links[2], to: other, isIncoming: true)
        #expect(served.superseded(by: links[0]) == [])
        served.open(links[3], to: peer, isIncoming: true)
        #expect(served.superseded(by: links[3]) == [links[0]])
        #expect(
            served.superseded(by: links[0]) == [],
            "An older link does not supersede a newer link"
        )
        #expect(
            served.superseded(by: links[1]) == [],
            "A link that this device opened supersedes no links"
        )
        #expect(served.newest(to: peer) == links[3])
    }

    @Test("11.4 The length of a value fits on all links of the peer")
    func lengths() {
        var served = ServedLinks()
        served.open(links[0], to: peer, isIncoming: true)
        served.setMTU(247, of: links[0])
        #expect(served.central(on: links[0])?.maximumUpdateValueLength == 244)
        served.open(links[3], to: peer, isIncoming: true)
        #expect(served.central(on: links[0])?.maximumUpdateValueLength == 20)
        served.setMTU(100, of: links[3])
        served.close(links[0])
        #expect(served.central(on: links[0]) == nil)
        #expect(served.central(peer).maximumUpdateValueLength == 97)
    }
}

@Suite("Published services as values")
struct AddedServiceTests {
    @Test("9.8 Each answer to an add reports its own service, even if an earlier add is unanswered")
    func added() {
        var snapshot = PeripheralManagerSnapshot()
        let services = (0..<3).map { _ in
            CBMutableService(type: CBUUID(string: "B000"), primary: true)
        }
        let numbers = services.map { snapshot.add($0, includes: []).number }
        #expect(Set(numbers).count == 3)
        let again = snapshot.add(services[1], includes: [])
        #expect(again.number == numbers[1])
        // The `add` of the first service stays unanswered, as if Bluetooth had been turned off. The
        // other answers do not report it.
        #expect(snapshot.takeAdded(numbers[2]) === services[2])
        #expect(snapshot.takeAdded(numbers[1]) === services[1])
        #expect(snapshot.takeAdded(numbers[1]) === services[1])
        #expect(snapshot.takeAdded(numbers[1]) == nil)
        #expect(snapshot.removeAll().count == 3)
        #expect(
            snapshot.takeAdded(numbers[0]) === services[0],
            "The answer to an add is reported after the services were removed"
        )
        #expect(snapshot.takeAdded(numbers[2]) == nil)
    }

    @Test("13.4 A service is stored and made again unchanged, in the widths of its UUIDs")
    func roundTrip() throws {
        let (sample, _) = SampleService.make()
        let long = "0000180D-0000-1000-8000-00805F9B34FB"
        let described = SampleService.characteristic(long, [.read, .notify], .readable)
        described.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Words"),
            CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data(repeating: 1, count: 7)),
        ]
        let including = CBMutableService(type: CBUUID(string: long), primary: false)
        including.characteristics = [described]
        including.includedServices = [sample]
        var value = AddedService(including, number: 2, includes: [1])
        value.handle = 0x1234
        let sampleValue = AddedService(sample, number: 1, includes: [])
        let intents = PeripheralManagerIntents(services: [sampleValue, value])
        let decoded = try stored(intents).services
        #expect(decoded == [sampleValue, value])
        let newSample = decoded[0].makeService(included: [:])
        let new = decoded[1].makeService(included: [1: newSample])
        #expect(new.includedServices?.first === newSample)
        #expect(new.uuid.uuidString == long && !new.isPrimary)
        #expect(AddedService(newSample, number: 1, includes: []) == sampleValue)
        let first = try #require(new.characteristics?.first)
        #expect(first.uuid.uuidString == long)
        #expect(first.descriptors?.first?.value as? String == "Words")
        #expect(newSample.characteristics?.first?.value == Data([1, 2, 3]))
        #expect(newSample.characteristics?[1].value == nil)
    }

    /// Returns the intents as they are read again from their record.
    private func stored(_ intents: PeripheralManagerIntents) throws -> PeripheralManagerIntents {
        try RestorationRecord.decode(RestorationRecord.encode(intents, of: "app"), of: "app")
    }

    @Test("13.4 Advertisement data is stored, too")
    func advertisement() throws {
        let dictionary: [String: Any] = [
            CBAdvertisementDataLocalNameKey: "Shop",
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "A000")],
        ]
        let operation = AdvertisementRequest(dictionary, hasBackgroundRules: false)
        let decoded = try stored(PeripheralManagerIntents(advertisement: operation)).advertisement
        #expect(decoded == operation)
        let again = try #require(decoded).dictionary
        #expect(again[CBAdvertisementDataLocalNameKey] as? String == "Shop")
        let services = again[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        #expect(services == [CBUUID(string: "A000")])
    }

    @Test(
        "9.2, 10.8 Permissions and properties become those of the host's database",
        arguments: [
            (0x102, 0x1, 0x12, GATT.Permissions(read: .open, subscribe: .encrypted)),
            (0x22A, 0xC, 0x2A, .init(read: .encrypted, write: .encrypted, subscribe: .encrypted)),
            (0x00A, 0x7, 0x0A, .init(read: .encrypted, write: .open, subscribe: .open)),
            (0x010, 0x0, 0x10, .init(subscribe: .open)),
        ] as [(UInt, UInt, UInt8, GATT.Permissions)]
    )
    func definition(
        properties: UInt,
        permissions: UInt,
        air: UInt8,
        expected: GATT.Permissions
    ) {
        let characteristic = AddedCharacteristic(
            uuid: "A001",
            properties: ServedProperties(rawValue: properties),
            permissions: ServedPermissions(rawValue: permissions),
            value: nil,
            descriptors: []
        )
        #expect(characteristic.definition.properties.rawValue == air)
        #expect(characteristic.definition.permissions == expected)
        #expect(characteristic.definition.value == .dynamic)
    }
}
