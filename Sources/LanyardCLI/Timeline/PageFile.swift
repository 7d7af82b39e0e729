// SPDX-License-Identifier: Apache-2.0

/// A file of a page, which the program contains.
enum PageFile {
    /// Returns the text of a file without its first line, which names the license.
    static func text(_ file: [UInt8]) -> String {
        let license = file.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: file.dropFirst(license.count + 1), as: UTF8.self)
    }

    /// Returns the text of a file without its first line and without the line break at its end.
    static func lines(_ file: [UInt8]) -> String { String(text(file).dropLast()) }

    /// Returns a document with its parts in their places, such as `{{style}}`.
    static func fill(_ document: String, _ parts: [String: String]) -> String {
        document.replacing(#/\{\{(\w+)\}\}/#) { parts[String($0.1)] ?? "" }
    }
}
