// SPDX-License-Identifier: Apache-2.0

/// An input as a sequence of decisions, most of which take one byte.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>
    private var past: UInt64 = 0

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the next byte, or 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns the next two bytes, little-endian.
    mutating func word() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// Returns a number from 0 to one less than `limit`, from one byte.
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    /// Returns one of the elements, or `nil` if there are none.
    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        let number = number(below: max(1, elements.count))
        return elements.isEmpty ? nil : elements[number]
    }

    /// Returns as many bytes as the next one specifies, or all that remain if they are fewer.
    mutating func bytes() -> [UInt8] {
        let count = Int(byte())
        return take(count)
    }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func remaining() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

/// The decisions as random numbers, for fixtures that require a generator.
extension FuzzInput: RandomNumberGenerator {
    /// Returns one byte in all eight places, since the standard library may use any of them. After
    /// the end the numbers differ, since the standard library draws again while it rejects a
    /// number.
    mutating func next() -> UInt64 {
        if let byte = rest.popFirst() { return UInt64(byte) * 0x0101_0101_0101_0101 }
        past &+= 0x9E37_79B9_7F4A_7C15
        return past
    }
}
