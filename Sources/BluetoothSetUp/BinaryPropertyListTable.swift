// SPDX-License-Identifier: Apache-2.0

/// The objects of a binary property list. The last 32 bytes of the file contain the location of the
/// table of offsets, and the size of its numbers.
struct BinaryPropertyListTable {
    private static let headerLength = 8
    private static let trailerLength = 32

    /// The number of the outermost object.
    let top: Int

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let start: Int

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.count >= Self.headerLength + Self.trailerLength else { throw .malformed }
        let trailer = bytes.count - Self.trailerLength
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw .malformed
        }
        count = try Self.number(bytes, trailer + 8, 8)
        top = try Self.number(bytes, trailer + 16, 8)
        start = try Self.number(bytes, trailer + 24, 8)
    }

    /// Returns the kind of an object, the lower half of its marker, and the position after the
    /// marker.
    func marker(
        of object: Int
    ) throws(PropertyListError) -> (kind: UInt8, low: UInt8, place: Int) {
        guard object < count else { throw .malformed }
        let place = try number(start + object * offsetSize, offsetSize)
        guard place < bytes.count - Self.trailerLength else { throw .malformed }
        return (bytes[place] >> 4, bytes[place] & 0xF, place + 1)
    }

    /// Reads characters of one byte (ASCII) or two bytes (UTF-16).
    func text(at place: Int, _ low: UInt8, unit: Int) throws(PropertyListError) -> String {
        let (length, first) = try length(at: place, low)
        guard length <= (bytes.count - first) / unit else { throw .malformed }
        let text = bytes[first..<first + length * unit]
        guard unit == 2 else { return String(decoding: text, as: UTF8.self) }
        let units = stride(from: text.startIndex, to: text.endIndex, by: 2)
            .map { UInt16(text[$0]) << 8 | UInt16(text[$0 + 1]) }
        return String(decoding: units, as: UTF16.self)
    }

    /// Returns the object numbers in a container, and the container's length. A dictionary has two
    /// numbers for each member: first all keys, then all values.
    func references(
        at place: Int,
        _ low: UInt8,
        times: Int
    ) throws(PropertyListError) -> (references: [Int], length: Int) {
        let (length, first) = try length(at: place, low)
        guard length <= (bytes.count - first) / (referenceSize * times) else { throw .malformed }
        var references: [Int] = []
        for index in 0..<length * times {
            references.append(try number(first + index * referenceSize, referenceSize))
        }
        return (references, length)
    }

    /// Returns the number of units of an object, and the position of the first unit. A number
    /// above fourteen is in an integer that follows, whose marker contains its size.
    private func length(
        at place: Int,
        _ low: UInt8
    ) throws(PropertyListError) -> (length: Int, first: Int) {
        guard low == 0xF else { return (Int(low), place) }
        let marker = try number(place, 1)
        guard marker >> 4 == 1, marker & 0xF <= 3 else { throw .malformed }
        let size = 1 << (marker & 0xF)
        return (try number(place + 1, size), place + 1 + size)
    }

    private func number(_ place: Int, _ size: Int) throws(PropertyListError) -> Int {
        try Self.number(bytes, place, size)
    }

    /// Reads an unsigned big-endian number that can be a position in a file.
    private static func number(
        _ bytes: [UInt8],
        _ place: Int,
        _ size: Int
    ) throws(PropertyListError) -> Int {
        guard place >= 0, place <= bytes.count - size else { throw .malformed }
        let value = bytes[place..<place + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard value <= UInt64(Int32.max) else { throw .malformed }
        return Int(value)
    }
}
