// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGATT

@Suite("The connected clients of a server")
struct ClientTableTests {
    private func id(_ number: UInt64) -> GATTServer.ClientID { .init(rawValue: number) }

    @Test("Clients stay in ascending order, whichever is added first")
    func order() {
        var table = ClientTable()
        for number in [5, 1, 9, 3] as [UInt64] {
            table[id(number)] = GATTServer.Client(security: .none)
            table[id(number)]?.bearers[4] = Int(number)
        }
        #expect(table.identifiers == [1, 3, 5, 9].map(id))
        #expect(table.records.map { $0.bearers[4] } == [1, 3, 5, 9])
        table[id(3)] = nil
        #expect(table.identifiers == [1, 5, 9].map(id))
        #expect(table.index(of: id(3)) == nil)
        #expect(table[id(3)]?.bearers[4] == nil)
        #expect(table[id(5)]?.bearers[4] == 5)
    }

    @Test("A change of an absent client adds none")
    func absent() {
        var table = ClientTable()
        table[id(1)]?.isAuthorized = true
        table[id(2)] = nil
        #expect(table.isEmpty)
    }

    @Test("A change that throws keeps the client")
    func thrown() {
        struct Failure: Error {}
        func fail(_ client: inout GATTServer.Client?) throws { throw Failure() }
        var table = ClientTable()
        table[id(1)] = GATTServer.Client(security: .none)
        #expect(throws: Failure.self) { try fail(&table[id(1)]) }
        #expect(table.identifiers == [id(1)])
    }
}
