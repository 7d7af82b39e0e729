// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Advertising with the legacy commands and with the extended ones.
extension CommandDialect {
    /// Whether the host uses resolvable private addresses.
    var isPrivate: Bool { ownAddress?.randomKind == .resolvablePrivate }

    /// Whether the controller can make and resolve private addresses.
    var canResolve: Bool { ResolvingListUpdater.isUsable(with: capabilities) }

    /// Returns the address that a set advertises with, or `nil` if it is unknown, because the
    /// controller makes it.
    func address(of presumed: AdvertisingSetState.PresumedState) -> DeviceAddress? {
        switch presumed.parameters?.ownAddressType {
        case .public: capabilities.publicAddress
        case .resolvableOrPublic, .resolvableOrRandom: nil
        default: isExtended ? presumed.address : ownAddress
        }
    }

    func command(for operation: AdvertisingOperation) -> HCI.EncodedCommand {
        switch operation {
        case .readTransmitPower: .init(HCI.LEReadAdvertisingPhysicalChannelTxPower())
        case .setParameters(let set, let parameters): setParameters(set, parameters)
        case .setAddress(let set, let address):
            .init(
                HCI.LESetAdvertisingSetRandomAddress(
                    advertisingHandle: set,
                    address: .init(address)
                )
            )
        case .setData(let set, let field, let piece): setData(set, field, piece)
        case .enable(let set, let duration, let eventLimit): enable(set, duration, eventLimit)
        case .disable(let set): disable(set)
        case .remove(let set): .init(HCI.LERemoveAdvertisingSet(advertisingHandle: set))
        case .dismiss(let address):
            .init(HCI.LERemoveDeviceFromFilterAcceptList(address: .init(address)))
        case .clearAdmitted: .init(HCI.LEClearFilterAcceptList())
        case .admit(let address):
            .init(HCI.LEAddDeviceToFilterAcceptList(address: .init(address)))
        }
    }

    private func setParameters(
        _ set: UInt8,
        _ parameters: AdvertisingParameters
    ) -> HCI.EncodedCommand {
        let peer = parameters.target.map { HCI.PeerAddress($0) } ?? .none
        guard isExtended else {
            return .init(
                HCI.LESetAdvertisingParameters(
                    intervalMinimum: HCI.ScanInterval(parameters.interval.lowerBound),
                    intervalMaximum: HCI.ScanInterval(parameters.interval.upperBound),
                    type: parameters.properties.legacyType,
                    ownAddressType: parameters.ownAddressType,
                    peerAddress: peer,
                    channels: parameters.channels,
                    filterPolicy: parameters.filterPolicy
                )
            )
        }
        return .init(
            HCI.LESetExtendedAdvertisingParameters(
                advertisingHandle: set,
                properties: parameters.properties,
                intervalMinimum: HCI.AdvertisingInterval(parameters.interval.lowerBound),
                intervalMaximum: HCI.AdvertisingInterval(parameters.interval.upperBound),
                channels: parameters.channels,
                ownAddressType: parameters.ownAddressType,
                peerAddress: peer,
                filterPolicy: parameters.filterPolicy,
                transmitPower: parameters.transmitPower ?? HCI.anyTransmitPower,
                primaryPHY: parameters.primaryPHY,
                secondaryPHY: parameters.secondaryPHY,
                setIdentifier: parameters.setIdentifier
            )
        )
    }

    /// Returns the command that sets a piece of data. Legacy data is always one piece, whose length
    /// `Advertiser.SetConfiguration` has checked.
    private func setData(
        _ set: UInt8,
        _ field: AdvertisingOperation.Field,
        _ piece: AdvertisingOperation.Piece
    ) -> HCI.EncodedCommand {
        guard isExtended else {
            let data = HCI.LegacyAdvertisingData(prefixOf: piece.bytes)
            return field == .advertisingData
                ? .init(HCI.LESetAdvertisingData(data: data))
                : .init(HCI.LESetScanResponseData(data: data))
        }
        switch field {
        case .advertisingData:
            return .init(
                HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: set,
                    operation: piece.operation,
                    fragmentPreference: .mayFragment,
                    data: piece.bytes[...]
                )
            )
        case .scanResponse:
            return .init(
                HCI.LESetExtendedScanResponseData(
                    advertisingHandle: set,
                    operation: piece.operation,
                    fragmentPreference: .mayFragment,
                    data: piece.bytes[...]
                )
            )
        }
    }

    private func enable(
        _ set: UInt8,
        _ duration: Duration?,
        _ eventLimit: UInt8
    ) -> HCI.EncodedCommand {
        guard isExtended else { return .init(HCI.LESetAdvertisingEnable(isEnabled: true)) }
        let run = HCI.AdvertisingSetRun(
            advertisingHandle: set,
            duration: duration.map { max(HCI.Timeout($0), HCI.Timeout(rawValue: 1)) }
                ?? HCI.Timeout(rawValue: 0),
            eventLimit: eventLimit
        )
        return .init(HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: [run]))
    }

    private func disable(_ set: UInt8) -> HCI.EncodedCommand {
        guard isExtended else { return .init(HCI.LESetAdvertisingEnable(isEnabled: false)) }
        let run = HCI.AdvertisingSetRun(advertisingHandle: set)
        return .init(HCI.LESetExtendedAdvertisingEnable(isEnabled: false, sets: [run]))
    }
}

extension HCI {
    /// The value that leaves the transmit power to the controller (Vol 4, Part E, 7.8.53).
    fileprivate static let anyTransmitPower: Int8 = 127
}

extension HCI.AdvertisingInterval {
    /// Creates an interval from a duration, rounded down to steps of 0.625 ms.
    fileprivate init(_ duration: Duration) {
        self.init(rawValue: UInt32(clamping: duration.nanoseconds / 625_000))
    }
}

extension HCI.AdvertisingProperties {
    /// The legacy type with these properties (Vol 4, Part E, 7.8.53, table of legacy PDUs).
    fileprivate var legacyType: HCI.AdvertisingType {
        if contains(.highDutyCycle) { return .directedHighDutyCycle }
        if contains(.directed) { return .directedLowDutyCycle }
        if contains(.connectable) { return .connectableUndirected }
        return contains(.scannable) ? .scannable : .nonConnectable
    }
}
