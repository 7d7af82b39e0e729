// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The expected results of pairing, taken from the specification's tables and not from any
/// implementation (Vol 3, Part H, 2.3.5.1, Tables 2.6 to 2.8).
enum PairingTable {
    /// The common result of both sides, as a cell of a matrix shows it.
    enum Cell: Character, Sendable {
        case justWorks = "."
        case numericComparison = "="
        /// The initiator displays a passkey that the responder enters.
        case initiatorShows = ">"
        /// The responder displays a passkey that the initiator enters.
        case responderShows = "<"
        /// Both enter the same passkey.
        case bothEnter = "*"
        /// Authentication Requirements: the method is not secure enough.
        case refused = "x"
        /// A result that no table has.
        case wrong = "?"
    }

    /// The capabilities in the order of the table's rows and columns.
    static let capabilities: [Pairing.IOCapability] = [
        .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
    ]

    /// Table 2.8: a row for each responder, a column for each initiator.
    private static let legacy = [
        "..<.<",
        "..<.<",
        ">>*.>",
        ".....",
        ">><.>",
    ]

    private static let secureConnections = [
        "..<.<",
        ".=<.=",
        ">>*.>",
        ".....",
        ">=<.=",
    ]

    /// Returns the expected result.
    ///
    /// - Parameters:
    ///   - isProtected: Whether either side requests protection against a man in the middle.
    ///   - isRequired: Whether either side refuses a pairing without this protection.
    static func expected(
        initiator: Pairing.IOCapability,
        responder: Pairing.IOCapability,
        usesSecureConnections: Bool,
        isProtected: Bool,
        isRequired: Bool
    ) -> Cell {
        let cell: Cell
        if isProtected {
            let rows = usesSecureConnections ? secureConnections : legacy
            let letter = Array(rows[place(of: responder)])[place(of: initiator)]
            cell = Cell(rawValue: letter) ?? .wrong
        } else {
            cell = .justWorks
        }
        return cell == .justWorks && isRequired ? .refused : cell
    }

    private static func place(of capability: Pairing.IOCapability) -> Int {
        capabilities.firstIndex(of: capability) ?? 0
    }
}
