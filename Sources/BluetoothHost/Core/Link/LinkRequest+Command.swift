// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

extension LinkRequest {
    /// Returns the command of the request, or `nil` if the request does not need the controller.
    func command(to handle: ConnectionHandle) -> HCI.EncodedCommand? {
        switch self {
        case .gatt, .writeSigned, .database, .pair, .enhancedBearers, .disconnect: nil
        case .readRSSI: HCI.EncodedCommand(HCI.ReadRSSI(connectionHandle: handle))
        case .readPHY: HCI.EncodedCommand(HCI.LEReadPHY(connectionHandle: handle))
        case .readRemoteVersion:
            HCI.EncodedCommand(HCI.ReadRemoteVersionInformation(connectionHandle: handle))
        case .setDataLength(let bytes): Self.dataLengthCommand(bytes: bytes, to: handle)
        case .setPHY(let transmit, let receive):
            HCI.EncodedCommand(
                HCI.LESetPHY(
                    connectionHandle: handle,
                    preference: HCI.PHYPreference(
                        transmit: transmit.map(HCI.PHYSet.init),
                        receive: receive.map(HCI.PHYSet.init)
                    )
                )
            )
        case .updateParameters(let update):
            HCI.EncodedCommand(
                HCI.LEConnectionUpdate(
                    connectionHandle: handle,
                    parameters: HCI.ConnectionParameters(update)
                )
            )
        }
    }

    /// Returns the command that sets the link-layer payload to `bytes` bytes, 27 to 251. The time
    /// limit in the command is the duration of the packet on LE 1M, the slowest uncoded PHY
    /// (Vol 6, Part B, 4.5.10).
    static func dataLengthCommand(bytes: Int, to handle: ConnectionHandle) -> HCI.EncodedCommand {
        let bytes = UInt16(
            min(max(bytes, DataLength.byteRange.lowerBound), DataLength.byteRange.upperBound)
        )
        let overhead: UInt16 = 14  // preamble, access address, header, MIC, CRC
        let command = HCI.LESetDataLength(
            connectionHandle: handle,
            transmitBytes: bytes,
            transmitTime: HCI.AirTime(rawValue: (bytes + overhead) * 8)
        )
        return HCI.EncodedCommand(command)
    }
}

extension HCI.ConnectionParameters {
    /// Creates the parameters that an application requests, clamped to the range of the
    /// specification.
    init(_ update: ConnectionUpdate) {
        let minimum = HCI.ConnectionInterval(update.intervalMinimum).clamped(to: 6...3200)
        let maximum = HCI.ConnectionInterval(update.intervalMaximum)
            .clamped(to: minimum.rawValue...3200)
        let latency = UInt16(min(max(update.peripheralLatency, 0), 499))
        // The supervision timeout must be more than twice the longest time without a packet that
        // the latency allows (Vol 4, Part E, 7.8.18). It is in units of 10 ms.
        let silence = (1 + Int(latency)) * Int(maximum.rawValue) * 2 / 8 + 1
        let shortest = UInt16(min(max(silence, 10), 3200))
        self.init(
            intervalMinimum: minimum,
            intervalMaximum: maximum,
            peripheralLatency: latency,
            supervisionTimeout: HCI.Timeout(update.supervisionTimeout).clamped(to: shortest...3200)
        )
    }

    /// Creates the parameters that a peer requests in the Link Layer or on the signaling channel.
    init(_ request: ConnectionParametersRequest) {
        self.init(
            intervalMinimum: HCI.ConnectionInterval(rawValue: request.intervalMinimum),
            intervalMaximum: HCI.ConnectionInterval(rawValue: request.intervalMaximum),
            peripheralLatency: request.peripheralLatency,
            supervisionTimeout: HCI.Timeout(rawValue: request.supervisionTimeout)
        )
    }
}

extension HCI.PHYSet {
    /// Creates a set of one PHY. An unknown PHY gives an empty set, which a controller refuses.
    fileprivate init(_ phy: PHY) {
        let isKnown = (PHY.le1M.rawValue...PHY.leCoded.rawValue).contains(phy.rawValue)
        self.init(rawValue: isKnown ? 1 << (phy.rawValue - 1) : 0)
    }
}

extension WireDuration {
    fileprivate func clamped(to range: ClosedRange<UInt16>) -> Self {
        Self(rawValue: min(max(rawValue, range.lowerBound), range.upperBound))
    }
}
