// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A PDU in its basic form: a B-frame (Vol 3, Part A, 3.1).
package struct L2CAPFrame: Equatable, Sendable {
    /// The octets of the basic header: a length and a channel.
    package static let headerLength = 4

    /// The most octets that the length field can tell.
    package static let payloadLengthLimit = 0xFFFF

    package let channel: ChannelIdentifier
    /// A view of the bytes that the frame was made of.
    package let payload: ArraySlice<UInt8>

    package init(channel: ChannelIdentifier, payload: ArraySlice<UInt8>) {
        self.channel = channel
        self.payload = payload
    }

    /// Reads one whole frame, neither more nor less.
    package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        let length = Int(try reader.readUInt16())
        channel = ChannelIdentifier(rawValue: try reader.readUInt16())
        payload = try reader.readBytes(length)
        try reader.finish()
    }

    /// The frame that carries a payload on a channel. The payload has `payloadLengthLimit` octets
    /// at most.
    package static func encode(
        _ payload: some Collection<UInt8>,
        on channel: ChannelIdentifier
    ) -> [UInt8] {
        precondition(payload.count <= payloadLengthLimit, "no frame carries such a payload")
        var writer = ByteWriter(reservingCapacity: headerLength + payload.count)
        writer.write(UInt16(payload.count))
        writer.write(channel.rawValue)
        writer.write(contentsOf: payload)
        return writer.bytes
    }
}
