// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Signalling {
    /// How many channels one command can be about (Vol 3, Part A, 4.25).
    package static let channelLimit = 5

    /// Asks for up to five channels with credits at once (Vol 3, Part A, 4.25).
    package struct CreditBasedConnectionRequest: Parameters {
        package static let code = Code.creditBasedConnectionRequest

        package var spsm: UInt16
        package var mtu: UInt16
        package var mps: UInt16
        package var initialCredits: UInt16
        package let sources: [ChannelIdentifier]

        /// Makes a request for one to `channelLimit` channels.
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

    /// Grants the channels, or some of them, or none (Vol 3, Part A, 4.26).
    package struct CreditBasedConnectionResponse: Parameters {
        package static let code = Code.creditBasedConnectionResponse

        package var mtu: UInt16
        package var mps: UInt16
        package var initialCredits: UInt16
        /// Zero if all channels are open.
        package var result: UInt16
        /// In the order of the request; zero stands for a channel that was refused.
        package let destinations: [ChannelIdentifier]

        /// Makes a response for one to `channelLimit` channels.
        package init(
            mtu: UInt16,
            mps: UInt16,
            initialCredits: UInt16,
            result: UInt16,
            destinations: [ChannelIdentifier]
        ) {
            precondition((1...channelLimit).contains(destinations.count), "no such response")
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

    /// Tells of other sizes for open channels (Vol 3, Part A, 4.27).
    package struct CreditBasedReconfigureRequest: Parameters {
        package static let code = Code.creditBasedReconfigureRequest

        package var mtu: UInt16
        package var mps: UInt16
        package let destinations: [ChannelIdentifier]

        /// Makes a request for one to `channelLimit` channels.
        package init(mtu: UInt16, mps: UInt16, destinations: [ChannelIdentifier]) {
            precondition((1...channelLimit).contains(destinations.count), "no such request")
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

    /// Accepts the sizes or refuses them (Vol 3, Part A, 4.28).
    package struct CreditBasedReconfigureResponse: Parameters {
        package static let code = Code.creditBasedReconfigureResponse

        /// Zero if the sizes are accepted.
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
    /// Reads all that is left as channels: one at least, `Signalling.channelLimit` at most.
    fileprivate mutating func readChannelIdentifiers() throws(MalformedBytes)
        -> [ChannelIdentifier]
    {
        guard remaining <= 2 * Signalling.channelLimit else { throw .invalid(field: "channels") }
        var channels: [ChannelIdentifier] = []
        repeat {
            channels.append(ChannelIdentifier(rawValue: try readUInt16()))
        } while !isAtEnd
        return channels
    }
}
