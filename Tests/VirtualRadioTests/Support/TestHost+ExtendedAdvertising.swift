// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

extension TestHost {
    /// Returns extended parameters with default values for tests.
    static func setParameters(
        _ handle: UInt8 = 1,
        _ properties: HCI.AdvertisingProperties = [],
        interval: ClosedRange<UInt32> = 160...160
    ) -> HCI.LESetExtendedAdvertisingParameters {
        HCI.LESetExtendedAdvertisingParameters(
            advertisingHandle: handle,
            properties: properties,
            intervalMinimum: HCI.AdvertisingInterval(rawValue: interval.lowerBound),
            intervalMaximum: HCI.AdvertisingInterval(rawValue: interval.upperBound),
            ownAddressType: .public,
            peerAddress: HCI.PeerAddress(unknownPeer),
            setIdentifier: handle & 0x0F
        )
    }

    /// Sets the data of a set, in as many fragments as necessary.
    func setData(_ data: [UInt8], of handle: UInt8 = 1) throws {
        for (operation, piece) in Self.pieces(data) {
            try perform(
                HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: handle,
                    operation: operation,
                    data: piece
                )
            )
        }
    }

    /// Sets the scan response of a set, in as many fragments as necessary.
    func setResponse(_ data: [UInt8], of handle: UInt8 = 1) throws {
        for (operation, piece) in Self.pieces(data) {
            try perform(
                HCI.LESetExtendedScanResponseData(
                    advertisingHandle: handle,
                    operation: operation,
                    data: piece
                )
            )
        }
    }

    /// The maximum length of the data in one command (Vol 4, Part E, 7.8.54).
    static let pieceLimit = 251

    private static func pieces(_ data: [UInt8]) -> [(HCI.DataOperation, ArraySlice<UInt8>)] {
        guard data.count > pieceLimit else { return [(.complete, data[...])] }
        return stride(from: 0, to: data.count, by: pieceLimit).map { start in
            let end = min(start + pieceLimit, data.count)
            let operation: HCI.DataOperation =
                start == 0 ? .first : end == data.count ? .last : .intermediate
            return (operation, data[start..<end])
        }
    }

    /// Enables sets.
    func enable(_ runs: HCI.AdvertisingSetRun...) throws {
        try perform(HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: runs))
    }

    /// Returns the status of the command to enable the sets.
    func enableStatus(_ runs: HCI.AdvertisingSetRun...) throws -> HCI.ErrorCode {
        try status(HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: runs))
    }

    /// Disables these sets, or all sets if none is given.
    func disable(_ handles: UInt8...) throws {
        let runs = handles.map { HCI.AdvertisingSetRun(advertisingHandle: $0) }
        try perform(HCI.LESetExtendedAdvertisingEnable(isEnabled: false, sets: runs))
    }

    /// The events of sets that ended.
    var terminations: [HCI.LEAdvertisingSetTerminated] {
        events.compactMap {
            if case .advertisingSetTerminated(let event) = $0 { event } else { nil }
        }
    }
}
