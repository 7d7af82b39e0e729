// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("The table of required names")
struct NameTableTests {
    @Test("A name selects the elements that require it and those that accept any, in their order")
    func order() {
        let table = NameTable(["b", nil, "a", "b", nil])
        #expect(table.elements(for: "a") == [1, 2, 4])
        #expect(table.elements(for: "b") == [0, 1, 3, 4])
        #expect(table.elements(for: "c") == [1, 4])
        #expect(table.elements(for: nil) == [1, 4])
    }

    @Test("A removed element is not returned")
    func removal() {
        var table = NameTable(["a", "a", nil])
        table.remove(order: 0, requiring: "a")
        table.remove(order: 1, requiring: nil)
        #expect(table.elements(for: "a") == [1, 2])
        table.remove(order: 1, requiring: "a")
        table.remove(order: 2, requiring: nil)
        #expect(table.elements(for: "a").isEmpty)
        #expect(table.elements(for: nil).isEmpty)
    }
}
