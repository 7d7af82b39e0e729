// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Bytes as a person types them: hexadecimal digits, with or without `0x` in front and with spaces,
/// colons or hyphens between the bytes.
struct HexArgument: Equatable, Sendable {
    let bytes: [UInt8]

    init(_ text: String) throws(ProgramFailure) {
        let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
        let groups = digits.split { " :-".contains($0) }
        guard let bytes = [UInt8](hexadecimal: groups.joined()),
            groups.count <= 1 || groups.allSatisfy({ $0.utf8.count.isMultiple(of: 2) })
        else {
            throw .usage(
                "'\(TerminalText.escape(text))' is no hexadecimal value",
                advice: "write two digits a byte, such as 01ff"
            )
        }
        guard bytes.count <= Self.lengthLimit else {
            throw .usage(
                "\(bytes.count) bytes are too many",
                advice: "an attribute holds at most \(Self.lengthLimit)"
            )
        }
        self.bytes = bytes
    }

    /// The longest value of an attribute (Vol 3, Part F, 3.2.9).
    static let lengthLimit = 512
}
