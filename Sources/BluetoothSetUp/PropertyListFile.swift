// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A property list whose outermost value is a dictionary, such as `Info.plist` or entitlements,
/// from an untrusted file.
struct PropertyListFile {
    /// The maximum length of a file in bytes. Files of apps have a few thousand.
    static let lengthLimit = 1 << 20

    private let values: [String: PropertyListValue]

    /// Reads an XML or binary property list.
    ///
    /// The old format with braces is refused: no build system writes it, and the system's reader
    /// does not limit its nesting.
    init(_ data: Data) throws(PropertyListError) {
        guard data.count <= Self.lengthLimit else { throw .tooLong(limit: Self.lengthLimit) }
        guard case .dictionary(let values) = try Self.value(data) else { throw .notADictionary }
        self.values = values
    }

    private static func value(_ data: Data) throws(PropertyListError) -> PropertyListValue {
        let bytes = [UInt8](data)
        if BinaryPropertyList.hasHeader(bytes) { return try BinaryPropertyList.read(bytes) }
        guard isMarkup(bytes) else { throw .notAPropertyList }
        do {
            let value = try PropertyListSerialization.propertyList(
                from: data,
                options: [],
                format: nil
            )
            return PropertyListValue(value)
        } catch {
            throw .malformed
        }
    }

    /// Returns whether the first character other than whitespace opens a tag.
    private static func isMarkup(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
    }

    /// Returns whether there is a value of any type for the key.
    func has(_ key: String) -> Bool { values[key] != nil }

    /// Returns the text for the key; `nil` if there is none or it has another type.
    func text(_ key: String) -> String? { values[key]?.text }

    /// Returns the texts of an array; `nil` if there is no array or an element has another type.
    func texts(_ key: String) -> [String]? { values[key]?.elements(\.text) }

    /// Returns the Boolean value for the key; `nil` if there is none or it has another type.
    func flag(_ key: String) -> Bool? { values[key]?.flag }

    /// Returns the Boolean values of a dictionary; `nil` if there is none or a member has another
    /// type.
    func flags(_ key: String) -> [String: Bool]? { values[key]?.members(\.flag) }
}

/// The reason why a property list cannot be read.
public enum PropertyListError: Error, Hashable, Sendable {
    /// The file is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// The file begins neither like XML nor like a binary property list.
    case notAPropertyList
    /// The values are nested too deeply, are too many, or form a cycle.
    case tooComplex
    /// The file begins like a property list, but the rest is not valid.
    case malformed
    /// The outermost value is not a dictionary.
    case notADictionary
}

extension PropertyListError: CustomStringConvertible {
    /// The error as the end of a sentence.
    public var description: String {
        switch self {
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .notAPropertyList: "it is neither XML nor a binary property list"
        case .tooComplex: "its values are nested too deeply, or refer to each other too often"
        case .malformed: "it is damaged"
        case .notADictionary: "it is not a dictionary of keys and values"
        }
    }
}

extension PropertyListError: LocalizedError {
    /// A description of what happened, as a sentence.
    public var errorDescription: String? { "The property list cannot be read: \(description)." }
    /// A suggestion of what a developer can do about the error.
    public var recoverySuggestion: String? {
        "Choose the Info.plist or the entitlements of a built app."
    }
}
