// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("Requests of explorations")
struct ExplorationRequestTests {
    @Test("A change of services ends explorations, and those of invalid attributes await no answer")
    func lost() {
        let (valid, gone) = (AttributeReference.next(), AttributeReference.next())
        var table = RequestTable()
        table.add(1, .signal, deadline: nil)
        table.add(2, .services, deadline: nil)
        table.add(3, .characteristics(valid), deadline: nil)
        table.add(4, .characteristics(gone), deadline: nil)
        table.add(5, .value(gone), deadline: nil)
        #expect(table.loseExplorations { $0 == valid } == [2, 3, 4, 5])
        #expect(table.loseExplorations { $0 == valid } == [])
        #expect(table.answered { $0 == .services }?.number == 2)
        #expect(table.answered { $0 == .characteristics(valid) }?.number == 3)
        #expect(table.answered { $0 == .characteristics(gone) } == nil)
        #expect(table.answered { $0 == .value(gone) } == nil)
        #expect(table.answered { $0 == .signal }?.number == 1)
    }

    @Test("References to two attributes differ")
    func identity() {
        let one = AttributeReference.next()
        #expect(one == one)
        #expect(one != .next())
    }

    @Test("The contents of a descriptor have the type that the system gives them")
    func contents() {
        #expect(DescriptorContent("text") == .text("text"))
        #expect(DescriptorContent(NSNumber(value: 2)) == .number(2))
        #expect(DescriptorContent(Data([4])) == .bytes(Data([4])))
        #expect(DescriptorContent(nil) == .bytes(Data()))
    }
}
