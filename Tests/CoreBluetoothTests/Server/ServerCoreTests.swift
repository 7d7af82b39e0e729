// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("The room for values")
struct UpdateQueueTests {
    @Test("11.2 There is room for so many; who is refused is told once when there is room again")
    func room() {
        var queue = UpdateQueue()
        let taken = (0..<UpdateQueue.limit).map { _ in queue.reserve() }
        #expect(taken.allSatisfy { $0 } && queue.count == UpdateQueue.limit)
        let refused = [queue.reserve(), queue.reserve()]
        #expect(refused == [false, false])
        let told = [queue.release(), queue.release()]
        #expect(told == [true, false])
        #expect(queue.count == UpdateQueue.limit - 2)
    }

    @Test("11.2 Without a refusal nobody is told")
    func silence() {
        var queue = UpdateQueue()
        let isTaken = queue.reserve()
        let isTold = queue.release()
        #expect(isTaken && !isTold && queue.count == 0)
    }

    @Test("11.2 From many threads no more are taken than there is room for")
    func threads() async {
        let queue = Guarded(UpdateQueue())
        let takenCount = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<100).count { _ in queue.change { $0.reserve() } }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(takenCount == UpdateQueue.limit)
    }
}

@Suite("What managers owe centrals")
struct QuestionBookTests {
    private let link = LinkIdentifier(rawValue: 1)
    private let sessions = [SessionIdentifier.next(), .next()]

    @Test("10.4 The first answer counts, others are unknown")
    func once() {
        var book = QuestionBook()
        book.ask(7, [sessions[0]], on: link)
        let verdicts = [
            book.answer(7, by: sessions[1], agrees: true),
            book.answer(7, by: sessions[0], agrees: true),
            book.answer(7, by: sessions[0], agrees: true),
        ]
        #expect(verdicts == [.unknown, .settled, .unknown])
    }

    @Test("10.4 All have to agree; one refusal is enough")
    func unit() {
        var book = QuestionBook()
        book.ask(7, Set(sessions), on: link)
        let agreed = sessions.map { book.answer(7, by: $0, agrees: true) }
        #expect(agreed == [.open, .settled])
        book.ask(8, Set(sessions), on: link)
        let refused = sessions.map { book.answer(8, by: $0, agrees: false) }
        #expect(refused == [.settled, .unknown])
    }

    @Test("Questions end with their link and with their manager, and are bounded")
    func ends() {
        var book = QuestionBook()
        book.ask(1, [sessions[0]], on: link)
        book.ask(2, Set(sessions), on: LinkIdentifier(rawValue: 2))
        book.linkClosed(link)
        #expect(book.count == 1)
        let orphaned = book.leave(sessions[1])
        #expect(orphaned == [2] && book.count == 0)
        for id in 0..<UInt64(1_000) { book.ask(id, [sessions[0]], on: link) }
        #expect(book.count == QuestionBook.limitPerLink)
        let last = book.answer(999, by: sessions[0], agrees: true)
        #expect(last == .settled)
    }
}

@Suite("Who has subscribed to what")
struct SubscriptionBookTests {
    @Test("11.1 Each subscription is there once, and goes with its link or its service")
    func subscriptions() {
        let session = SessionIdentifier.next()
        let link = LinkIdentifier(rawValue: 1)
        let places = (0..<3).map {
            PublishedTree.Place(session: session, service: $0, characteristic: 0)
        }
        var book = SubscriptionBook()
        let inserted = (places + places).map { book.insert($0, of: link) }
        #expect(inserted == [true, true, true, false, false, false])
        let removed = [book.remove(places[1], of: link), book.remove(places[1], of: link)]
        #expect(removed == [true, false])
        book.remove(service: 0, of: session)
        let rest = book.removeAll(of: link)
        #expect(rest == [places[2]])
        let none = book.removeAll(of: link)
        #expect(none.isEmpty)
    }
}

@Suite("What is published, as a value")
struct PublishedServiceTests {
    @Test("9.8 Services are told of by their numbers, whatever was added before them")
    func added() {
        var mirror = PeripheralManagerMirror()
        let services = (0..<3).map { _ in
            CBMutableService(type: CBUUID(string: "B000"), primary: true)
        }
        let numbers = services.map { mirror.add($0) }
        #expect(Set(numbers).count == 3)
        #expect(mirror.add(services[1]) == numbers[1])
        // A first one that is never answered, as Bluetooth was off, is no other's answer.
        #expect(mirror.takeAdded(numbers[2]) === services[2])
        #expect(mirror.takeAdded(numbers[1]) === services[1])
        #expect(mirror.takeAdded(numbers[1]) === services[1])
        #expect(mirror.takeAdded(numbers[1]) == nil)
        #expect(mirror.removeAll().count == 3)
        #expect(mirror.takeAdded(numbers[0]) === services[0], "what was added is told all the same")
        #expect(mirror.takeAdded(numbers[2]) == nil)
    }

    @Test("13.4 A service is written down and made again as it was, in the widths of its UUIDs")
    func roundTrip() throws {
        let (shop, _) = Shop.make()
        let long = "0000180D-0000-1000-8000-00805F9B34FB"
        let described = Shop.characteristic(long, [.read, .notify], .readable)
        described.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Words"),
            CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data(repeating: 1, count: 7)),
        ]
        let including = CBMutableService(type: CBUUID(string: long), primary: false)
        including.characteristics = [described]
        including.includedServices = [shop]
        var value = PublishedService(including, number: 2, includes: [1])
        value.handle = 0x1234
        let shopValue = PublishedService(shop, number: 1, includes: [])
        let data = try JSONEncoder().encode([shopValue, value])
        let decoded = try JSONDecoder().decode([PublishedService].self, from: data)
        #expect(decoded == [shopValue, value])
        let newShop = decoded[0].makeService(included: [:])
        let new = decoded[1].makeService(included: [1: newShop])
        #expect(new.includedServices?.first === newShop)
        #expect(new.uuid.uuidString == long && !new.isPrimary)
        #expect(PublishedService(newShop, number: 1, includes: []) == shopValue)
        let first = try #require(new.characteristics?.first)
        #expect(first.uuid.uuidString == long)
        #expect(first.descriptors?.first?.value as? String == "Words")
        #expect(newShop.characteristics?.first?.value == Data([1, 2, 3]))
        #expect(newShop.characteristics?[1].value == nil)
    }

    @Test("13.4 What is advertised is written down, too")
    func advertisement() throws {
        let dictionary: [String: Any] = [
            CBAdvertisementDataLocalNameKey: "Shop",
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "A000")],
        ]
        let wish = AdvertisementWish(dictionary, hasBackgroundRules: false)
        let data = try JSONEncoder().encode(wish)
        let decoded = try JSONDecoder().decode(AdvertisementWish.self, from: data)
        #expect(decoded == wish)
        let again = decoded.dictionary
        #expect(again[CBAdvertisementDataLocalNameKey] as? String == "Shop")
        let services = again[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        #expect(services == [CBUUID(string: "A000")])
    }

    @Test(
        "9.2, 10.8 Permissions and properties become those of the table",
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
        let characteristic = PublishedCharacteristic(
            uuid: "A001",
            properties: properties,
            permissions: permissions,
            value: nil,
            descriptors: []
        )
        #expect(characteristic.definition.properties.rawValue == air)
        #expect(characteristic.definition.permissions == expected)
        #expect(characteristic.definition.value == .dynamic)
    }
}
