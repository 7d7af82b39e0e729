// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// How the value of an attribute is shown to a person: decoded where its layout is known, as text
/// where it is text, and otherwise in hexadecimal.
enum ValueText {
    /// The value of a characteristic on one line.
    static func describe(_ bytes: [UInt8], ofCharacteristic uuid: BluetoothUUID) -> String {
        describe(bytes) { () throws(MalformedBytes) in
            try WellKnownValues.describe(bytes, ofCharacteristic: uuid)
        }
    }

    /// The value of a descriptor on one line.
    static func describe(_ bytes: [UInt8], ofDescriptor uuid: BluetoothUUID) -> String {
        describe(bytes) { () throws(MalformedBytes) in
            try WellKnownValues.describe(bytes, ofDescriptor: uuid)
        }
    }

    private static func describe(
        _ bytes: [UInt8],
        decode: () throws(MalformedBytes) -> String?
    ) -> String {
        do {
            return try decode() ?? plain(bytes)
        } catch {
            return "\(plain(bytes)) (malformed: \(error))"
        }
    }

    /// Bytes that nothing is known about: hexadecimal, with the text they spell beside it if all of
    /// it can be printed.
    static func plain(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "(empty)" }
        guard let text = TerminalText.text(utf8: bytes), bytes.count >= shortestText,
            text.unicodeScalars.allSatisfy(TerminalText.isPrintable)
        else { return bytes.hexadecimal }
        return "\(bytes.hexadecimal) \"\(TerminalText.escape(text))\""
    }

    /// Fewer characters than this are more likely a number that happens to look like a letter.
    private static let shortestText = 3
}
