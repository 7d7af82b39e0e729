// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The reason why a byte stream can no longer be split into packets.
package enum H4FramingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A byte in the position of a packet type has an unknown value.
    case unknownPacketType(UInt8)
    /// Resynchronization skipped the maximum number of bytes without finding a packet.
    case notResynchronized(skipped: Int)

    package var description: String {
        switch self {
        case .unknownPacketType(let byte):
            "no packet begins with 0x\(byte.hexadecimal(digits: 2))"
        case .notResynchronized(let skipped): "no packet found in \(skipped) bytes"
        }
    }
}

/// A splitter of a byte stream into H4 packets (Vol 4, Part A, 2).
///
/// The input is bytes as they arrive, split and joined in any way. The output is complete packets,
/// as slices of one buffer. After each `append(_:)`, call `next()` until it returns `nil`. The
/// remaining bytes are then less than one packet, and no packet is longer than 65,540 bytes.
///
/// H4 has no delimiters between packets. After one wrong length, later boundaries are wrong too. If
/// a byte in the position of a packet type has an unknown value, `next()` throws from then on. On a
/// socket, call `reset()` and connect again. A UART can lose bytes, so Vol 4, Part A, 4 defines a
/// recovery for it: send HCI Reset and call `resynchronize()`, which discards the stream up to the
/// answer to that Reset.
package struct H4Deframer: Sendable {
    /// The number of bytes that `resynchronize()` skips before it fails, which is more than a UART
    /// transfers in a second at 4,000,000 bits per second.
    package static let resynchronizationLimit = 1 << 19

    private enum State {
        case framing
        case searching(skipped: Int)
        case lost(H4FramingError)
    }

    private var buffer: [UInt8] = []
    /// The index of the first byte that is not yet returned in a packet.
    private var start = 0
    private var state = State.framing

    package init() {}

    /// Whether bytes remain that are not yet returned. After `next()` has returned `nil`, they are
    /// a part of a packet, except during resynchronization.
    package var holdsPartialPacket: Bool { start < buffer.count }

    /// Whether a packet has begun to arrive and is incomplete. The value is `false` during
    /// resynchronization.
    package var isAwaitingRest: Bool {
        guard case .framing = state else { return false }
        return holdsPartialPacket
    }

    /// Appends bytes that arrived. After an error, the bytes are dropped.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        if case .lost = state { return }
        if start == buffer.count {
            buffer = Array(bytes)
            start = 0
        } else if start > buffer.count / 2 {
            // The remaining bytes are copied only if they are fewer than the returned bytes before
            // them. All copies together then cost no more than the returned bytes.
            buffer = Array(buffer[start...])
            buffer.append(contentsOf: bytes)
            start = 0
        } else {
            buffer.append(contentsOf: bytes)
        }
    }

    /// Returns the next complete packet, or `nil` until more bytes arrive.
    ///
    /// - Throws: ``H4FramingError`` once the stream cannot be split into packets.
    package mutating func next() throws(H4FramingError) -> HCI.Packet? {
        guard let bytes = try nextRaw() else { return nil }
        do {
            return try HCI.Packet(h4: bytes)
        } catch {
            // `nextRaw()` has checked the type and the length, so this does not happen.
            throw lose(.unknownPacketType(bytes.first ?? 0))
        }
    }

    /// Returns the bytes of the next complete packet, type byte first, or `nil` until more bytes
    /// arrive.
    ///
    /// - Throws: ``H4FramingError`` once the stream cannot be split into packets.
    package mutating func nextRaw() throws(H4FramingError) -> ArraySlice<UInt8>? {
        switch state {
        case .framing: break
        case .lost(let error): throw error
        case .searching(let skipped):
            guard try findResetAnswer(skipped: skipped) else { return nil }
        }
        guard start < buffer.count else {
            // All bytes are returned. The buffer may share the storage of the caller's array. It
            // is released here, so that the caller can use that storage again.
            buffer = []
            start = 0
            return nil
        }
        guard let length = try lengthOfNextPacket(), buffer.count - start >= length else {
            return nil
        }
        defer { start += length }
        return buffer[start..<(start + length)]
    }

    /// Appends bytes that arrived, and passes the complete packets to `body`.
    ///
    /// - Returns: The bytes after the last packet if the stream can no longer be split into packets;
    ///   otherwise `nil`.
    package mutating func split(
        _ bytes: ArraySlice<UInt8>,
        _ body: (ArraySlice<UInt8>) -> Void
    ) -> ArraySlice<UInt8>? {
        append(bytes)
        var rest = bytes
        do throws(H4FramingError) {
            while let packet = try nextRaw() {
                body(packet)
                rest = bytes.suffix(buffer.count - start)
            }
            return nil
        } catch {
            return rest
        }
    }

    /// Discards all bytes and errors, as for a new connection.
    package mutating func reset() {
        self = H4Deframer()
    }

    /// Starts to discard buffered and later bytes, up to the answer to HCI Reset.
    package mutating func resynchronize() {
        state = .searching(skipped: 0)
    }

    private mutating func lose(_ error: H4FramingError) -> H4FramingError {
        state = .lost(error)
        buffer = []
        start = 0
        return error
    }

    /// Returns the length of the packet at `start` with its type byte, or `nil` if the header is
    /// incomplete.
    private mutating func lengthOfNextPacket() throws(H4FramingError) -> Int? {
        let available = buffer.count - start
        guard available > 0 else { return nil }
        switch HCI.PacketType(rawValue: buffer[start]) {
        case .event:
            return available >= 3 ? 3 + Int(buffer[start + 2]) : nil
        case .acl:
            return available >= 5 ? 5 + length16(at: start + 3) : nil
        case .command, .synchronous:
            return available >= 4 ? 4 + Int(buffer[start + 3]) : nil
        case .isochronous:
            // The length field has 14 bits. The other two are reserved (Vol 4, Part E, 5.4.5).
            return available >= 5 ? 5 + length16(at: start + 3) & 0x3FFF : nil
        default:
            throw lose(.unknownPacketType(buffer[start]))
        }
    }

    private func length16(at index: Int) -> Int {
        Int(buffer[index]) | Int(buffer[index + 1]) << 8
    }
}

extension H4Deframer {
    /// The first bytes of the answer to Reset: type byte, event code, length, number of allowed
    /// commands (any value), opcode.
    private static let resetAnswer: [UInt8?] = [0x04, 0x0E, 0x04, nil, 0x03, 0x0C]

    /// Advances to the answer to Reset and returns whether the buffer contains it.
    private mutating func findResetAnswer(skipped: Int) throws(H4FramingError) -> Bool {
        let from = start
        while buffer.count - start >= Self.resetAnswer.count {
            if isResetAnswer(at: start) {
                state = .framing
                return true
            }
            start += 1
        }
        let skipped = skipped + start - from
        guard skipped <= Self.resynchronizationLimit else {
            throw lose(.notResynchronized(skipped: skipped))
        }
        state = .searching(skipped: skipped)
        return false
    }

    private func isResetAnswer(at index: Int) -> Bool {
        Self.resetAnswer.indices.allSatisfy { offset in
            guard let expected = Self.resetAnswer[offset] else { return true }
            return buffer[index + offset] == expected
        }
    }
}
