// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A splitter of the bytes of a connection into messages ("Message Format").
package struct DBusDeframer: Sendable {
    /// The number of bytes that state the length of a message.
    static let prefixLength = 16

    private var buffer: [UInt8] = []
    /// The number of bytes of `buffer` that belong to earlier messages.
    private var consumed = 0

    package init() {}

    /// The number of bytes that wait for the rest of their message.
    package var pendingCount: Int { buffer.count - consumed }

    package mutating func receive(_ bytes: ArraySlice<UInt8>) {
        if consumed > 0 {
            buffer.removeFirst(consumed)
            consumed = 0
        }
        buffer += bytes
    }

    /// Returns the bytes of the next message; `nil` if it is incomplete.
    ///
    /// - Throws: `MalformedBytes` if the bytes are not a message. The stream cannot be continued.
    package mutating func next() throws(MalformedBytes) -> [UInt8]? {
        let rest = buffer[consumed...]
        guard rest.count >= Self.prefixLength else { return nil }
        let length = try Self.length(of: rest)
        guard rest.count >= length else { return nil }
        consumed += length
        return Array(rest.prefix(length))
    }

    /// Returns the length of a message in bytes from its prefix.
    static func length(of bytes: ArraySlice<UInt8>) throws(MalformedBytes) -> Int {
        let header = try headerLength(of: bytes)
        let length = header + Int(try uint32(bytes, at: 4))
        guard length <= DBusLimits.messageLength else { throw .invalid(field: "message length") }
        return length
    }

    /// Returns the length of the header with its padding in bytes.
    static func headerLength(of bytes: ArraySlice<UInt8>) throws(MalformedBytes) -> Int {
        guard bytes.count >= prefixLength else {
            throw .truncated(needed: prefixLength, available: bytes.count)
        }
        // The version of the protocol.
        guard bytes[bytes.startIndex + 3] == 1 else { throw .invalid(field: "protocol version") }
        let fields = Int(try uint32(bytes, at: 12))
        guard fields <= DBusLimits.messageLength else { throw .invalid(field: "header length") }
        return (prefixLength + fields + 7) / 8 * 8
    }

    private static func uint32(
        _ bytes: ArraySlice<UInt8>,
        at offset: Int
    ) throws(MalformedBytes) -> UInt32 {
        let start = bytes.startIndex + offset
        let field = bytes[start..<(start + 4)]
        switch bytes[bytes.startIndex] {
        case UInt8(ascii: "l"): return field.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        case UInt8(ascii: "B"): return field.reduce(0) { $0 << 8 | UInt32($1) }
        default: throw .invalid(field: "byte order")
        }
    }
}
