// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The connection parameters that a host requests: a range for the interval, the latency and
    /// the timeout (Vol 4, Part E, 7.8.12).
    package struct ConnectionParameters: Hashable, HCIParameters {
        package var intervalMinimum: ConnectionInterval
        package var intervalMaximum: ConnectionInterval
        /// The number of connection events that the peripheral may skip.
        package var peripheralLatency: UInt16
        package var supervisionTimeout: Timeout
        /// A hint that controllers may ignore.
        package var eventLengthMinimum: EventLength
        /// A hint that controllers may ignore.
        package var eventLengthMaximum: EventLength

        package init(
            intervalMinimum: ConnectionInterval,
            intervalMaximum: ConnectionInterval,
            peripheralLatency: UInt16 = 0,
            supervisionTimeout: Timeout,
            eventLengthMinimum: EventLength = EventLength(rawValue: 0),
            eventLengthMaximum: EventLength = EventLength(rawValue: 0)
        ) {
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.peripheralLatency = peripheralLatency
            self.supervisionTimeout = supervisionTimeout
            self.eventLengthMinimum = eventLengthMinimum
            self.eventLengthMaximum = eventLengthMaximum
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            intervalMinimum = try reader.decode()
            intervalMaximum = try reader.decode()
            peripheralLatency = try reader.decode()
            supervisionTimeout = try reader.decode()
            eventLengthMinimum = try reader.decode()
            eventLengthMaximum = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                intervalMinimum,
                intervalMaximum,
                peripheralLatency,
                supervisionTimeout,
                eventLengthMinimum,
                eventLengthMaximum
            )
        }
    }

    /// The set of used data channels among the 37 (Vol 4, Part E, 7.8.19).
    package struct ChannelMap: Hashable, HCIParameters, CustomStringConvertible {
        /// The channels as bits: bit n is channel n.
        package let rawValue: UInt64

        package static let all = ChannelMap(rawValue: .max)

        /// Creates a map from the low 37 bits of `rawValue`.
        package init(rawValue: UInt64) {
            self.rawValue = rawValue & 0x1F_FFFF_FFFF
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            self.init(rawValue: try reader.readInteger(bytes: 5))
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.write(UInt32(truncatingIfNeeded: rawValue))
            writer.write(UInt8(truncatingIfNeeded: rawValue >> 32))
        }

        package var description: String {
            "\(rawValue.nonzeroBitCount) channels (0x\(rawValue.hexadecimal(digits: 10)))"
        }
    }
}
