// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Signaling {
    /// The maximum number of channels in one command (Vol 3, Part A, 4.25).
    package static let channelLimit = 5

    /// A request for up to five credit-based channels (Vol 3, Part A, 4.25).
    package struct CreditBasedConnectionRequest: Parameters {
        package static let code = Code.creditBasedConnectionRequest

        package var spsm: UInt16
        package var mtu: UInt16
        package var mps: UInt16
        package var initialCredits: UInt16
        package let sources: [ChannelIdentifier]

        /// Creates a request for 1 to `channelLimit` channels.
        package init(
            spsm: UInt16,
            mtu: UInt16,
            mps: UInt16,
            initialCredits: UInt16,
            sources: [ChannelIdentifier]
        ) {
            precondition((1...channelLimit).contains(sources.count), "too few or too many channels")
            self.spsm = spsm
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.sources = sources
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            spsm = try reader.readUInt16()
            mtu = try reader.readUInt16()
            mps = try reader.readUInt16()
            initialCredits = try reader.readUInt16()
            sources = try reader.readChannelIdentifiers()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(spsm)
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
            for channel in sources { writer.write(channel.rawValue) }
        }
    }

    /// A response that opens all, some or none of the channels (Vol 3, Part A, 4.26).
    package struct CreditBasedConnectionResponse: Parameters {
        package static let code = Code.creditBasedConnectionResponse

        package var mtu: UInt16
        package var mps: UInt16
        package var initialCredits: UInt16
        /// The result, which is zero if all channels are open.
        package var result: UInt16
        /// The ends at the sender of the response, in the order of the request. Zero marks a
        /// refused channel.
        package let destinations: [ChannelIdentifier]

        /// Creates a response for 1 to `channelLimit` channels.
        package init(
            mtu: UInt16,
            mps: UInt16,
            initialCredits: UInt16,
            result: UInt16,
            destinations: [ChannelIdentifier]
        ) {
            precondition(
                (1...channelLimit).contains(destinations.count),
                "too few or too many channels"
            )
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
            self.destinations = destinations
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            mtu = try reader.readUInt16()
            mps = try reader.readUInt16()
            initialCredits = try reader.readUInt16()
            result = try reader.readUInt16()
            destinations = try reader.readChannelIdentifiers()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
            writer.write(result)
            for channel in destinations { writer.write(channel.rawValue) }
        }
    }

    /// A request to use other sizes on open channels (Vol 3, Part A, 4.27).
    package struct CreditBasedReconfigureRequest: Parameters {
        package static let code = Code.creditBasedReconfigureRequest

        package var mtu: UInt16
        package var mps: UInt16
        package let destinations: [ChannelIdentifier]

        /// Creates a request for 1 to `channelLimit` channels.
        package init(mtu: UInt16, mps: UInt16, destinations: [ChannelIdentifier]) {
            precondition(
                (1...channelLimit).contains(destinations.count),
                "too few or too many channels"
            )
            self.mtu = mtu
            self.mps = mps
            self.destinations = destinations
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            mtu = try reader.readUInt16()
            mps = try reader.readUInt16()
            destinations = try reader.readChannelIdentifiers()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(mtu)
            writer.write(mps)
            for channel in destinations { writer.write(channel.rawValue) }
        }
    }

    /// A response that accepts or refuses the sizes (Vol 3, Part A, 4.28).
    package struct CreditBasedReconfigureResponse: Parameters {
        package static let code = Code.creditBasedReconfigureResponse

        /// The result, which is zero if the sizes are accepted.
        package var result: UInt16

        package init(result: UInt16) {
            self.result = result
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            result = try reader.readUInt16()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(result)
        }
    }
}

extension ByteReader {
    /// Reads all remaining bytes as channel identifiers: at least one, at most
    /// `Signaling.channelLimit`.
    fileprivate mutating func readChannelIdentifiers() throws(MalformedBytes)
        -> [ChannelIdentifier]
    {
        guard remaining <= 2 * Signaling.channelLimit else { throw .invalid(field: "channels") }
        var channels: [ChannelIdentifier] = []
        repeat {
            channels.append(ChannelIdentifier(rawValue: try readUInt16()))
        } while !isAtEnd
        return channels
    }
}
