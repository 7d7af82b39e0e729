// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The end of the advertising of a set, because a peer connected or because a limit was reached
    /// (Vol 4, Part E, 7.7.65.18).
    package struct LEAdvertisingSetTerminated: HCIParameters {
        package var status: ErrorCode
        package var advertisingHandle: UInt8
        package var connectionHandle: ConnectionHandle
        package var completedEvents: UInt8

        package init(
            status: ErrorCode,
            advertisingHandle: UInt8,
            connectionHandle: ConnectionHandle,
            completedEvents: UInt8
        ) {
            self.status = status
            self.advertisingHandle = advertisingHandle
            self.connectionHandle = connectionHandle
            self.completedEvents = completedEvents
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            status = try reader.decode()
            advertisingHandle = try reader.decode()
            connectionHandle = try reader.decode()
            completedEvents = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(status, advertisingHandle, connectionHandle, completedEvents)
        }
    }

    /// A scanner's request for the scan response of an advertising set (Vol 4, Part E, 7.7.65.19).
    package struct LEScanRequestReceived: HCIParameters {
        package var advertisingHandle: UInt8
        package var scanner: PeerAddress

        package init(advertisingHandle: UInt8, scanner: PeerAddress) {
            self.advertisingHandle = advertisingHandle
            self.scanner = scanner
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            advertisingHandle = try reader.decode()
            scanner = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(advertisingHandle, scanner)
        }
    }
}
