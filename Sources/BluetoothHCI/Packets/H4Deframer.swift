// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Why a stream of bytes cannot be read as packets any more.
package enum H4FramingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An octet that must say what kind of packet follows does not.
    case unknownPacketType(UInt8)
    /// Resynchronisation skipped its limit of octets and found nothing to hold on to.
    case notResynchronised(skipped: Int)

    package var description: String {
        switch self {
        case .unknownPacketType(let octet):
            "no packet begins with 0x\(HCI.hexadecimal(octet, digits: 2))"
        case .notResynchronised(let skipped): "no packet found in \(skipped) bytes"
        }
    }
}

/// Cuts a stream of bytes into H4 packets (Vol 4, Part A, 2).
///
/// Bytes go in as they arrive, split and joined in any way; packets come out whole, as slices of
/// one buffer. Call `next()` until it returns nil after each `append(_:)`: what stays behind is
/// then less than one packet, and no packet is longer than 65,540 octets.
///
/// H4 has no marks between packets. Where one length is wrong, everything after it is; sooner or
/// later an octet that should tell a packet's type does not, and then `next()` throws, and keeps
/// throwing. On a socket that is the end: `reset()` and connect again. On a UART octets do get
/// lost, and the way back is the one of Vol 4, Part A, 4: send HCI Reset, call `resynchronise()`,
/// and the stream counts again from the answer to that Reset on.
package struct H4Deframer: Sendable {
    /// How much `resynchronise()` skips before it gives up: more than a second of a fast UART.
    package static let resynchronisationLimit = 1 << 19

    private enum State {
        case framing
        case searching(skipped: Int)
        case lost(H4FramingError)
    }

    private var buffer: [UInt8] = []
    /// Where the first octet not yet handed out is.
    private var start = 0
    private var state = State.framing

    package init() {}

    /// Whether part of a packet has arrived: a stream that ends here was cut off.
    package var holdsPartialPacket: Bool { start < buffer.count }

    /// Whether a packet has begun, the rest of which is to come. Not so while it resynchronises.
    package var isAwaitingRest: Bool {
        guard case .framing = state else { return false }
        return holdsPartialPacket
    }

    /// Takes bytes that arrived. After an error they are dropped.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        if case .lost = state { return }
        if start == buffer.count {
            buffer = Array(bytes)
            start = 0
        } else if start > buffer.count / 2 {
            // Moving the rest is paid for by the octets handed out since the last time.
            buffer = Array(buffer[start...])
            buffer.append(contentsOf: bytes)
            start = 0
        } else {
            buffer.append(contentsOf: bytes)
        }
    }

    /// The next whole packet; nil until more bytes have arrived.
    package mutating func next() throws(H4FramingError) -> HCI.Packet? {
        guard let bytes = try nextRaw() else { return nil }
        do {
            return try HCI.Packet(h4: bytes)
        } catch {
            // Its type and length were checked when it was cut, so this does not happen.
            throw lose(.unknownPacketType(bytes.first ?? 0))
        }
    }

    /// The next whole packet as its bytes, the type octet first; nil until more have arrived.
    package mutating func nextRaw() throws(H4FramingError) -> ArraySlice<UInt8>? {
        switch state {
        case .framing: break
        case .lost(let error): throw error
        case .searching(let skipped):
            guard try findResetAnswer(skipped: skipped) else { return nil }
        }
        guard let length = try lengthOfNextPacket(), buffer.count - start >= length else {
            return nil
        }
        defer { start += length }
        return buffer[start..<(start + length)]
    }

    /// Forgets all that arrived and starts afresh, as for a new connection.
    package mutating func reset() {
        self = H4Deframer()
    }

    /// Skips everything up to the answer to HCI Reset, in what has arrived and what will.
    package mutating func resynchronise() {
        state = .searching(skipped: 0)
    }

    private mutating func lose(_ error: H4FramingError) -> H4FramingError {
        state = .lost(error)
        buffer = []
        start = 0
        return error
    }

    /// The length of the packet at `start`, type octet included; nil if its header is not whole.
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
            // Its length field has 14 bits; the other two are reserved (Vol 4, Part E, 5.4.5).
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
    /// Type octet, event code, length, budget (any), opcode of Reset: how its answer begins.
    private static let resetAnswer: [UInt8?] = [0x04, 0x0E, 0x04, nil, 0x03, 0x0C]

    /// Moves to the answer to Reset and returns whether it is there.
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
        guard skipped <= Self.resynchronisationLimit else {
            throw lose(.notResynchronised(skipped: skipped))
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
