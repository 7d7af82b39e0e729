// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Request tables")
struct RequestTableTests {
    private let level = RequestTable.Subject.read(CharacteristicPath("180F", "2A19"))
    private let place = RequestTable.Subject.read(CharacteristicPath("180D", "2A38"))

    @Test("Each answer belongs to the first request with its subject")
    func order() {
        var table = RequestTable()
        table.add(1, level, deadline: nil)
        table.add(2, place, deadline: nil)
        table.add(3, level, deadline: nil)
        #expect(table.answered { $0 == place }?.number == 2)
        #expect(table.answered { $0 == level }?.number == 1)
        #expect(table.answered { $0 == level }?.number == 3)
        #expect(table.answered { $0 == level } == nil)
    }

    @Test("An abandoned request still gets its answer, and the next request gets the next answer")
    func abandoned() {
        var table = RequestTable()
        table.add(1, level, deadline: .seconds(1))
        table.add(2, level, deadline: .seconds(2))
        table.abandon(1)
        #expect(table.nextDeadline == .seconds(2))
        #expect(table.answered { $0 == level }?.number == 1)
        #expect(table.answered { $0 == level }?.number == 2)
    }

    @Test("An expired request is reported once")
    func expired() {
        var table = RequestTable()
        table.add(1, level, deadline: .seconds(1))
        table.add(2, place, deadline: .seconds(2))
        table.add(3, .signal, deadline: nil)
        #expect(table.expired(now: .milliseconds(999)) == [])
        #expect(table.expired(now: .seconds(1)) == [1])
        #expect(table.expired(now: .seconds(1)) == [])
        #expect(table.nextDeadline == .seconds(2))
        #expect(table.expired(now: .seconds(5)) == [2])
        #expect(table.nextDeadline == nil)
    }

    @Test("Abandoned requests count toward the limit until the link ends")
    func bound() {
        var table = RequestTable()
        for number in 0..<RequestTable.limit {
            #expect(!table.isFull)
            table.add(number, level, deadline: nil)
            table.abandon(number)
        }
        #expect(table.isFull)
        table.removeAll()
        #expect(!table.isFull)
        #expect(table.answered { _ in true } == nil)
    }

    @Test("A change of services removes the requests about them")
    func servicesChanged() {
        var table = RequestTable()
        table.add(1, .read(CharacteristicPath("180D", "2A38")), deadline: .seconds(1))
        table.add(2, .probe(CharacteristicPath("180D", "2A37")), deadline: nil)
        table.add(3, .read(CharacteristicPath("180F", "2A19")), deadline: .seconds(2))
        table.add(4, .signal, deadline: .seconds(3))
        table.add(5, .read(CharacteristicPath("180D", "2A38")), deadline: .seconds(1))
        table.abandon(5)
        #expect(table.removeAll(of: ["180D"]) { _ in false } == [1, 2])
        #expect(table.nextDeadline == .seconds(2))
        #expect(table.answered { _ in true }?.number == 3)
        #expect(table.answered { _ in true }?.number == 4)
        #expect(table.answered { _ in true } == nil)
    }

    @Test("A change of a service leaves the reads of another service with the same UUID")
    func otherServiceChanged() {
        let (valid, gone) = (AttributeReference.next(), AttributeReference.next())
        var table = RequestTable()
        table.add(1, level, of: valid, deadline: .seconds(1))
        table.add(2, level, of: gone, deadline: .seconds(2))
        table.add(3, place, of: gone, deadline: .seconds(3))
        #expect(table.removeAll(of: ["180F"]) { $0 == valid } == [2])
        #expect(table.answered { $0 == level }?.number == 1)
        #expect(table.answered { $0 == level } == nil)
        #expect(table.answered { $0 == place }?.number == 3)
    }
}
