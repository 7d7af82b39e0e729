// SPDX-License-Identifier: Apache-2.0

/// A reader of a binary property list from an untrusted file.
///
/// The system's reader suits only files that the system wrote. The objects of such a file are in a
/// table and refer to each other by number, so forty arrays of two references each can represent
/// 10¹² values. The reader on Linux follows all of them and does not end, and some damaged tables
/// terminate the process. This reader checks every number against the file, and counts the values.
struct BinaryPropertyList {
    /// The limits on the nesting and on the number of values. A value counts as often as it is
    /// referenced. Files of apps have a depth of four and some hundred values.
    static let depthLimit = 32
    static let valueLimit = 20_000

    private static let header = Array("bplist00".utf8)

    /// Returns whether a file begins with the header of a binary property list.
    static func hasHeader(_ bytes: [UInt8]) -> Bool { bytes.starts(with: header) }

    private let table: BinaryPropertyListTable
    private var count = 0

    /// Reads the outermost value of a file.
    ///
    /// - Throws: `tooComplex` or `malformed`.
    static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        let table = try BinaryPropertyListTable(bytes)
        var reader = BinaryPropertyList(table: table)
        return try reader.value(table.top, depth: 0)
    }

    private mutating func value(
        _ object: Int,
        depth: Int
    ) throws(PropertyListError) -> PropertyListValue {
        count += 1
        guard count <= Self.valueLimit, depth <= Self.depthLimit else { throw .tooComplex }
        let (kind, low, place) = try table.marker(of: object)
        switch kind {
        case 0x0 where low == 0x8: return .flag(false)
        case 0x0 where low == 0x9: return .flag(true)
        case 0x5: return .text(try table.text(at: place, low, unit: 1))
        case 0x6: return .text(try table.text(at: place, low, unit: 2))
        case 0xA, 0xC: return .array(try elements(at: place, low, depth))
        case 0xD: return .dictionary(try members(at: place, low, depth))
        case 0x0, 0x1, 0x2, 0x3, 0x4, 0x8: return .other
        default: throw .malformed
        }
    }

    private mutating func elements(
        at place: Int,
        _ low: UInt8,
        _ depth: Int
    ) throws(PropertyListError) -> [PropertyListValue] {
        let (references, _) = try table.references(at: place, low, times: 1)
        var elements: [PropertyListValue] = []
        for reference in references { elements.append(try value(reference, depth: depth + 1)) }
        return elements
    }

    private mutating func members(
        at place: Int,
        _ low: UInt8,
        _ depth: Int
    ) throws(PropertyListError) -> [String: PropertyListValue] {
        let (references, length) = try table.references(at: place, low, times: 2)
        var members: [String: PropertyListValue] = [:]
        for index in 0..<length {
            guard let key = try value(references[index], depth: depth + 1).text else {
                throw .malformed
            }
            members[key] = try value(references[length + index], depth: depth + 1)
        }
        return members
    }
}
