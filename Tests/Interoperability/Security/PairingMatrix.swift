// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The result of a pairing for each pair of capabilities. Its description looks like the
/// specification's table, with a row for each of our capabilities.
struct PairingMatrix: CustomStringConvertible {
    let title: String

    private var cells: [[PairingTable.Cell?]]

    init(_ title: String) {
        self.title = title
        let count = PairingTable.capabilities.count
        cells = Array(repeating: Array(repeating: nil, count: count), count: count)
    }

    /// The cell for our capability and the peer's.
    subscript(ours: Pairing.IOCapability, theirs: Pairing.IOCapability) -> PairingTable.Cell? {
        get { cells[Self.place(of: ours)][Self.place(of: theirs)] }
        set { cells[Self.place(of: ours)][Self.place(of: theirs)] = newValue }
    }

    var description: String {
        let names = PairingTable.capabilities.map(\.shortName)
        let head = "   ours \\ theirs  " + names.joined(separator: "  ")
        let rows = zip(names, cells).map { name, row in
            let letters = row.map { $0.map { String($0.rawValue) } ?? " " }
            return "             \(name)   " + letters.joined(separator: "   ")
        }
        return ([title, head] + rows).joined(separator: "\n")
    }

    private static func place(of capability: Pairing.IOCapability) -> Int {
        PairingTable.capabilities.firstIndex(of: capability) ?? 0
    }
}

extension Pairing.IOCapability {
    /// Two letters, for the head of a column.
    var shortName: String {
        switch self {
        case .displayOnly: "DO"
        case .displayYesNo: "DY"
        case .keyboardOnly: "KO"
        case .noInputNoOutput: "NN"
        case .keyboardDisplay: "KD"
        }
    }
}
