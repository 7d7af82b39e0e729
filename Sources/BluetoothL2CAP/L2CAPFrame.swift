// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A PDU of the basic format: a B-frame (Vol 3, Part A, 3.1).
package struct L2CAPFrame: Equatable, Sendable {
    /// The length of the basic header in bytes: a length and a channel identifier.
    package static let headerLength = 4

    /// The largest value of the length field.
    package static let payloadLengthLimit = 0xFFFF

    package let channel: ChannelIdentifier
    /// The payload, a slice of the bytes from which the frame was decoded.
    package let payload: ArraySlice<UInt8>

    package init(channel: ChannelIdentifier, payload: ArraySlice<UInt8>) {
        self.channel = channel
        self.payload = payload
    }

    /// Decodes exactly one frame.
    ///
    /// - Throws: ``MalformedBytes`` if the bytes are fewer or more than the length field states.
    package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        let length = Int(try reader.readUInt16())
        channel = ChannelIdentifier(rawValue: try reader.readUInt16())
        payload = try reader.readBytes(length)
        try reader.finish()
    }

    /// Appends the header of a frame. The caller appends the payload after it.
    ///
    /// - Parameters:
    ///   - count: The length of the payload in bytes, at most `payloadLengthLimit`.
    ///   - channel: The channel of the frame.
    ///   - bytes: The bytes to which the header is appended.
    package static func appendHeader(
        of count: Int,
        on channel: ChannelIdentifier,
        to bytes: inout [UInt8]
    ) {
        precondition(count <= payloadLengthLimit, "the payload is too long")
        bytes.append(UInt8(truncatingIfNeeded: count))
        bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: channel.rawValue))
        bytes.append(UInt8(truncatingIfNeeded: channel.rawValue >> 8))
    }

    /// Encodes a frame that carries a payload of up to `payloadLengthLimit` bytes.
    package static func encode(
        _ payload: some Collection<UInt8>,
        on channel: ChannelIdentifier
    ) -> [UInt8] {
        precondition(payload.count <= payloadLengthLimit, "the payload is too long")
        var writer = ByteWriter(reservingCapacity: headerLength + payload.count)
        writer.write(UInt16(payload.count))
        writer.write(channel.rawValue)
        writer.write(contentsOf: payload)
        return writer.bytes
    }
}
