// SPDX-License-Identifier: Apache-2.0

@testable import BluetoothSMP

/// Table 2.8 of Vol 3, Part H, 2.3.5.1, in letters. The tests read the expected method from it and
/// do not compute it.
///
/// The table has a row for each responder and a column for each initiator, both in the order of the
/// values: display only, display yes/no, keyboard only, no input and no output, keyboard display. J
/// is Just Works and N is Numeric Comparison. A passkey is displayed by the initiator (i) or the
/// responder (r) and entered at the other end, or entered at both ends (b).
enum MethodTable {
    static let legacy = [
        "JJrJr",
        "JJrJr",
        "iibJi",
        "JJJJJ",
        "iirJi",
    ]

    static let secureConnections = [
        "JJrJr",
        "JNrJN",
        "iibJi",
        "JJJJJ",
        "iNrJN",
    ]

    /// Returns the method for the given end.
    static func method(
        initiator: Pairing.IOCapability,
        responder: Pairing.IOCapability,
        usesSecureConnections: Bool,
        isProtected: Bool,
        seenBy end: PairingModel.End
    ) -> Pairing.Method {
        guard isProtected else { return .justWorks }
        let table = usesSecureConnections ? secureConnections : legacy
        let row = Array(table[Int(responder.rawValue)])
        return method(row[Int(initiator.rawValue)], seenBy: end)
    }

    private static func method(_ letter: Character, seenBy end: PairingModel.End) -> Pairing.Method
    {
        switch letter {
        case "N": .numericComparison
        case "b": .passkeyEntryOnBoth
        case "i": end == .central ? .passkeyDisplay : .passkeyEntry
        case "r": end == .central ? .passkeyEntry : .passkeyDisplay
        default: .justWorks
        }
    }
}
