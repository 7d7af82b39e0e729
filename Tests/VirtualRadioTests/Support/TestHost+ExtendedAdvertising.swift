// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

extension TestHost {
    /// The extended parameters, of which a test changes what it is about.
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
            peerAddress: HCI.PeerAddress(stranger),
            setIdentifier: handle & 0x0F
        )
    }

    /// Gives the set its data, in as many pieces as it takes.
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

    /// Gives the set its response, in as many pieces as it takes.
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

    /// The most data that a command has room for (Vol 4, Part E, 7.8.54).
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

    /// The status with which a set is enabled, or not.
    func enableStatus(_ runs: HCI.AdvertisingSetRun...) throws -> HCI.ErrorCode {
        try status(HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: runs))
    }

    /// Disables sets; all, if none is named.
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
