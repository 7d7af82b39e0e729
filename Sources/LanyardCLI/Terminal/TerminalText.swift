// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import JSONText

/// Text from other devices, made safe to print.
///
/// A device chooses its name freely. Printed unchanged, a name could move the cursor, recolor the
/// screen, set the window's title, or change the direction of writing so that an address reads
/// differently. So everything that is not plainly visible is printed as a visible escape: `\u{1B}`
/// for a character, `\xFF` for a byte that is not UTF-8, `\\` for the backslash itself. Different
/// names have different escaped texts.
enum TerminalText {
    /// Returns `text` with everything invisible as an escape.
    static func escape(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars { append(scalar, to: &result) }
        return result
    }

    /// Returns the text that `bytes` spell in UTF-8, with everything invisible and every byte that
    /// is not UTF-8 as an escape.
    static func escape(utf8 bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        var result = ""
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                append(Unicode.UTF8.decode(encoded), to: &result)
                position += encoded.count
            case .error(let length):
                for byte in bytes[position..<position + length] {
                    append(invalid: byte, to: &result)
                }
                position += length
            case .emptyInput:
                return result
            }
        }
    }

    /// Returns the text of `bytes`; `nil` if they are not valid UTF-8.
    static func text(utf8 bytes: some Sequence<UInt8>) -> String? {
        String(validating: bytes, as: UTF8.self)
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout String) {
        if scalar == "\\" {
            result += "\\\\"
        } else if scalar.isPrintable {
            result.unicodeScalars.append(scalar)
        } else {
            result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }

    private static func append(invalid byte: UInt8, to result: inout String) {
        result += "\\x" + [byte].hexadecimal.uppercased()
    }
}
