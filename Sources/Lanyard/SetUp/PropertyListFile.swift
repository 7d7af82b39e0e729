// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A property list whose outermost value is a dictionary, as `Info.plist` and entitlements are, read
/// from a file that nobody vouches for.
struct PropertyListFile {
    /// The longest file, in octets. Those of applications have a few thousand.
    static let lengthLimit = 1 << 20

    private let values: [String: PropertyListValue]

    /// Reads XML or a binary property list.
    ///
    /// The old form, in braces, is refused: no build writes it, and the system's reader takes its
    /// nesting on trust.
    init(_ data: Data) throws(PropertyListError) {
        guard data.count <= Self.lengthLimit else { throw .tooLong(limit: Self.lengthLimit) }
        guard case .dictionary(let values) = try Self.value(data) else { throw .notADictionary }
        self.values = values
    }

    private static func value(_ data: Data) throws(PropertyListError) -> PropertyListValue {
        let bytes = [UInt8](data)
        if BinaryPropertyList.isOne(bytes) { return try BinaryPropertyList.read(bytes) }
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

    /// Whether the first character that is no space opens a tag.
    private static func isMarkup(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
    }

    /// Whether there is a value for the key, of any kind.
    func has(_ key: String) -> Bool { values[key] != nil }

    /// The text; nil if there is none, or something else.
    func text(_ key: String) -> String? { values[key]?.text }

    /// The texts of an array; nil if there is no array, or one with something else in it.
    func texts(_ key: String) -> [String]? { values[key]?.elements(\.text) }

    /// The truth value; nil if there is none, or something else.
    func flag(_ key: String) -> Bool? { values[key]?.flag }

    /// The truth values of a dictionary; nil if there is none, or something else.
    func flags(_ key: String) -> [String: Bool]? { values[key]?.members(\.flag) }
}

/// Why a file is no property list that can be looked at.
public enum PropertyListError: Error, Hashable, Sendable {
    /// It is longer than so many octets.
    case tooLong(limit: Int)
    /// It begins neither as XML nor as a binary property list.
    case notAPropertyList
    /// Its values hold one another too deeply, too often, or in a circle.
    case tooIntricate
    /// It begins like a property list, but does not go on so.
    case malformed
    /// It is a property list of something else than keys and their values.
    case notADictionary
}

extension PropertyListError: CustomStringConvertible {
    /// What is wrong, as the end of a sentence.
    public var description: String {
        switch self {
        case .tooLong(let limit): "it is longer than \(limit) octets"
        case .notAPropertyList: "it is neither XML nor a binary property list"
        case .tooIntricate: "its values hold one another too deeply, or too many times over"
        case .malformed: "it is damaged"
        case .notADictionary: "it is not a dictionary of keys and values"
        }
    }
}
