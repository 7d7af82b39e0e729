// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A peripheral's request to the central for other connection parameters (Vol 3, Part A, 4.20).
package struct ConnectionParametersRequest: Signaling.Parameters {
    package static let code = Signaling.Code.connectionParameterUpdateRequest

    /// The minimum connection interval, in units of 1.25 ms.
    package var intervalMinimum: UInt16
    /// The maximum connection interval, in units of 1.25 ms.
    package var intervalMaximum: UInt16
    /// The number of connection events that the peripheral may skip.
    package var peripheralLatency: UInt16
    /// The time without a packet after which the link ends, in units of 10 ms.
    package var supervisionTimeout: UInt16

    package init(
        intervalMinimum: UInt16,
        intervalMaximum: UInt16,
        peripheralLatency: UInt16,
        supervisionTimeout: UInt16
    ) {
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.peripheralLatency = peripheralLatency
        self.supervisionTimeout = supervisionTimeout
    }

    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        intervalMinimum = try reader.readUInt16()
        intervalMaximum = try reader.readUInt16()
        peripheralLatency = try reader.readUInt16()
        supervisionTimeout = try reader.readUInt16()
    }

    package func encode(into writer: inout ByteWriter) {
        writer.write(intervalMinimum)
        writer.write(intervalMaximum)
        writer.write(peripheralLatency)
        writer.write(supervisionTimeout)
    }

    /// Whether the specification allows these parameters: each is in its range, and the timeout is
    /// longer than twice the longest silence that they allow (Vol 4, Part E, 7.8.18).
    package var isValid: Bool {
        let intervals: ClosedRange<UInt16> = 0x0006...0x0C80
        let timeouts: ClosedRange<UInt16> = 0x000A...0x0C80
        guard intervals.contains(intervalMinimum), intervals.contains(intervalMaximum),
            intervalMinimum <= intervalMaximum, peripheralLatency <= 0x01F3,
            timeouts.contains(supervisionTimeout)
        else { return false }
        // The timeout's unit of 10 ms contains eight units of the interval.
        return Int(supervisionTimeout) * 8 > 2 * longestSilence
    }

    /// The longest time between two packets that the parameters allow, in units of 1.25 ms.
    private var longestSilence: Int { (1 + Int(peripheralLatency)) * Int(intervalMaximum) }

    /// Reduces the supervision timeout of a valid request to a limit, but to no less than three
    /// times the longest silence, so that two lost packets do not end the link.
    ///
    /// - Parameter limit: The limit in units of 10 ms.
    package mutating func limitSupervisionTimeout(to limit: UInt16) {
        let needed = UInt16(clamping: (3 * longestSilence + 7) / 8)
        supervisionTimeout = min(supervisionTimeout, max(limit, needed))
    }
}

extension Signaling {
    /// The central's response, which states whether it will change the parameters (Vol 3, Part A,
    /// 4.21).
    package struct ConnectionParametersResponse: Parameters {
        package static let code = Code.connectionParameterUpdateResponse

        package var isAccepted: Bool

        package init(isAccepted: Bool) {
            self.isAccepted = isAccepted
        }

        /// Decodes the response. Any result other than zero is a refusal.
        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            isAccepted = try reader.readUInt16() == 0
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(UInt16(isAccepted ? 0x0000 : 0x0001))
        }
    }
}
