// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CoreBluetoothSymbols

@Suite("The symbols of Apple's framework")
struct SymbolTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    private let symbols = allLists.flatMap(\.symbols)

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    }

    /// Returns the rows of the table by their line numbers. The first line has the names of the
    /// columns.
    private func table() throws -> [Int: String] {
        let lines = try text("corebluetooth-api.csv").split(separator: "\n")
        let rows = lines.enumerated().dropFirst().map { ($0.offset + 1, String($0.element)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns the lines of the table whose symbols must not compile.
    private func refusedLines() throws -> Set<Int> {
        let unavailable = try text("Refused/Refused.swift").split(separator: "\n")
            .filter { $0.hasPrefix("let made") }
        return Set(
            unavailable.compactMap { $0.firstMatch(of: /line (\d+):/).flatMap { Int($0.1) } }
        )
    }

    @Test("Every row of the table is covered once")
    func coverage() throws {
        let table = try table()
        let refused = try refusedLines()
        let named = symbols.map(\.line)
        print(
            "CoreBluetooth: \(Set(named).union(refused).count) of \(table.count) symbols covered:",
            "\(named.count) named with their types, \(refused.count) refused as Apple's are"
        )
        #expect(named.count == Set(named).count)
        #expect(Set(named).isDisjoint(with: refused))
        #expect(Set(named).union(refused) == Set(table.keys))
        #expect(table.count == 396)
    }

    @Test("Each symbol has the name of its row")
    func names() throws {
        let table = try table()
        for symbol in symbols {
            let row = try #require(table[symbol.line])
            let fields = row.split(separator: ",", omittingEmptySubsequences: false)
            let own = fields[0] == "(global)" || fields[0] == fields[1]
            #expect(symbol.name == (own ? "\(fields[1])" : "\(fields[0]).\(fields[1])"))
        }
    }

    @Test("Each symbol has the value of its row")
    func values() {
        for symbol in symbols {
            #expect(symbol.problems() == [])
        }
    }

    // `Scripts/generate-api-check --refusals` checks that the compiler refuses the listed code.

    @Test("15.1.7 The list of refused code has, for each class, a line that uses it as Sendable")
    func classes() throws {
        let refused = try text("Refused/Refused.swift")
        let classes = try table().values.map { $0.split(separator: ",") }
            .filter { $0.count > 2 && $0[2] == "class" }
        #expect(classes.count == 18)
        for row in classes {
            #expect(refused.contains("(x: \(row[0])) { let _: any Sendable = x }"))
        }
    }

    @Test(
        "15.2.1 The list of refused code has every symbol that Apple has removed",
        arguments: [
            "CBUUIDGenericAccessProfileString", "CBUUIDGenericAttributeProfileString",
            "CBUUIDDeviceNameString", "CBUUIDAppearanceString",
            "CBUUIDPeripheralPrivacyFlagString", "CBUUIDReconnectionAddressString",
            "CBUUIDPeripheralPreferredConnectionParametersString",
            "CBUUIDServiceChangedString", "CBUUIDValidRangeString", "isConnected",
            "retrievePeripherals(i)", "retrieveConnectedPeripherals()",
        ]
    )
    func removed(symbol: String) throws {
        #expect(try text("Refused/Refused.swift").contains("\(symbol)"))
    }

    @Test("A wrong value fails the check")
    func wrongValue() {
        let wrong = Symbol(1, "wrong") { $0.equal(1, 2) }
        #expect(wrong.problems() == ["line 1, wrong: is 1, should be 2"])
        enum Closed: Int { case one }
        let closed = Symbol(2, "closed") { $0.isOpenEnumeration(Closed.self) }
        #expect(closed.problems().count == 2)
    }
}
