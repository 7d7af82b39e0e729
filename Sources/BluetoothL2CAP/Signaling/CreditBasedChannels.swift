// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The commands for credit-based channels. `LogicalLink` owns the channels.

extension Signaling {
    /// Parameters that consist of the two ends of a channel.
    package protocol ChannelEnds: Parameters {
        /// The end at the receiver of the request.
        var destination: ChannelIdentifier { get }
        /// The end at the sender of the request.
        var source: ChannelIdentifier { get }

        init(destination: ChannelIdentifier, source: ChannelIdentifier)
    }

    /// A request to end a channel (Vol 3, Part A, 4.6).
    package struct DisconnectionRequest: ChannelEnds {
        package static let code = Code.disconnectionRequest

        package var destination: ChannelIdentifier
        package var source: ChannelIdentifier

        package init(destination: ChannelIdentifier, source: ChannelIdentifier) {
            self.destination = destination
            self.source = source
        }
    }

    /// A response that confirms the end of a channel (Vol 3, Part A, 4.7).
    package struct DisconnectionResponse: ChannelEnds {
        package static let code = Code.disconnectionResponse

        package var destination: ChannelIdentifier
        package var source: ChannelIdentifier

        package init(destination: ChannelIdentifier, source: ChannelIdentifier) {
            self.destination = destination
            self.source = source
        }
    }

    /// A request for a credit-based channel (Vol 3, Part A, 4.22).
    package struct LECreditBasedConnectionRequest: Parameters {
        package static let code = Code.leCreditBasedConnectionRequest

        package var spsm: UInt16
        package var source: ChannelIdentifier
        /// The maximum length of an SDU that the sender of the request receives, in bytes.
        package var mtu: UInt16
        /// The maximum payload of a frame that the sender of the request receives, in bytes.
        package var mps: UInt16
        package var initialCredits: UInt16

        package init(
            spsm: UInt16,
            source: ChannelIdentifier,
            mtu: UInt16,
            mps: UInt16,
            initialCredits: UInt16
        ) {
            self.spsm = spsm
            self.source = source
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            spsm = try reader.readUInt16()
            source = ChannelIdentifier(rawValue: try reader.readUInt16())
            mtu = try reader.readUInt16()
            mps = try reader.readUInt16()
            initialCredits = try reader.readUInt16()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(spsm)
            writer.write(source.rawValue)
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
        }
    }

    /// A response that opens or refuses the channel (Vol 3, Part A, 4.23).
    package struct LECreditBasedConnectionResponse: Parameters {
        package static let code = Code.leCreditBasedConnectionResponse

        package var destination: ChannelIdentifier
        package var mtu: UInt16
        package var mps: UInt16
        package var initialCredits: UInt16
        /// The result, which is zero if the channel is open.
        package var result: UInt16

        package init(
            destination: ChannelIdentifier,
            mtu: UInt16,
            mps: UInt16,
            initialCredits: UInt16,
            result: UInt16
        ) {
            self.destination = destination
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            destination = ChannelIdentifier(rawValue: try reader.readUInt16())
            mtu = try reader.readUInt16()
            mps = try reader.readUInt16()
            initialCredits = try reader.readUInt16()
            result = try reader.readUInt16()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(destination.rawValue)
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
            writer.write(result)
        }
    }

    /// A grant of credits to the receiver of the command, one for each further frame (Vol 3, Part
    /// A, 4.24).
    package struct FlowControlCredit: Parameters {
        package static let code = Code.flowControlCredit

        package var channel: ChannelIdentifier
        package var credits: UInt16

        package init(channel: ChannelIdentifier, credits: UInt16) {
            self.channel = channel
            self.credits = credits
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            channel = ChannelIdentifier(rawValue: try reader.readUInt16())
            credits = try reader.readUInt16()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(channel.rawValue)
            writer.write(credits)
        }
    }
}

extension Signaling.ChannelEnds {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let destination = ChannelIdentifier(rawValue: try reader.readUInt16())
        let source = ChannelIdentifier(rawValue: try reader.readUInt16())
        self.init(destination: destination, source: source)
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(destination.rawValue)
        writer.write(source.rawValue)
    }
}
