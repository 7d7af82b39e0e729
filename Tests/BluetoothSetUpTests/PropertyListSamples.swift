// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import BluetoothSetUp

/// Property lists as XML and as binary data.
enum PropertyListSamples {
    /// Returns an XML property list with these keys. The values are also XML.
    static func xml(_ members: KeyValuePairs<String, String>) -> Data {
        let lines = members.map { "<key>\($0.key)</key>\($0.value)" }
        return document("<dict>\(lines.joined(separator: "\n"))</dict>")
    }

    /// Returns an XML document with this value.
    static func document(_ value: String) -> Data {
        let head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            """
        return Data("\(head)\n\(value)\n</plist>\n".utf8)
    }

    static let sentence = "<string>Finds your lamp and talks to it.</string>"

    /// Returns the same property list in binary form.
    static func binary(_ xml: Data) throws -> Data {
        let value = try PropertyListSerialization.propertyList(from: xml, options: [], format: nil)
        return try PropertyListSerialization.data(
            fromPropertyList: value,
            format: .binary,
            options: 0
        )
    }

    /// Returns a binary property list of these objects in their encoded form. The first object is
    /// the outermost, and references have four bytes.
    static func table(_ objects: [[UInt8]]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += number(bytes.count, 4)
            bytes += object
        }
        let start = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 4]
        bytes += number(objects.count, 8) + number(0, 8) + number(start, 8)
        return Data(bytes)
    }

    /// Returns the encoded form of an array of up to 14 references.
    static func array(_ references: Int...) -> [UInt8] {
        [0xA0 | UInt8(references.count)] + references.flatMap { number($0, 4) }
    }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }
}
