// SPDX-License-Identifier: Apache-2.0

// The rows of the table of Apple's API. Each row is code that compiles only if this framework has
// the symbol with that type. The lists are generated; see Scripts/generate-api-check.

/// One row of the table.
struct Symbol {
    /// The line of the table.
    let line: Int
    /// The name of the symbol.
    let name: String
    /// Uses the symbol, and checks its value at run time.
    let body: (inout SymbolCheck) -> Void

    init(_ line: Int, _ name: String, body: @escaping (inout SymbolCheck) -> Void) {
        self.line = line
        self.name = name
        self.body = body
    }

    /// Returns the errors of the symbol; empty if there are none.
    func problems() -> [String] {
        var check = SymbolCheck()
        body(&check)
        return check.problems.map { "line \(line), \(name): \($0)" }
    }
}

/// The rows of one type.
///
/// A list with deprecated symbols is itself deprecated. This protocol gives access to it without a
/// warning.
protocol SymbolList {
    var symbols: [Symbol] { get }
}

/// The errors that are found while a symbol's closure runs.
struct SymbolCheck {
    private(set) var problems: [String] = []

    mutating func equal<Value: Equatable>(_ value: Value, _ wanted: Value) {
        if value != wanted { problems.append("is \(value), should be \(wanted)") }
    }

    /// Checks that the enumeration accepts two raw values without a case, like an imported
    /// enumeration.
    mutating func isOpenEnumeration<Value>(_ type: Value.Type)
    where Value: RawRepresentable<Int> & Hashable & Sendable & BitwiseCopyable {
        for number in [-1, 0x7FFF] where type.init(rawValue: number)?.rawValue != number {
            problems.append("has no value \(number)")
        }
    }
}

/// Compiles only if the variable has exactly this type, because Swift does not convert `inout`
/// arguments.
func exactly<Value>(_ variable: inout Value, _ type: Value.Type) {}
