// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes

/// The advertising data and parameters of one device.
struct AccessoryAdvertisingPlan: Sendable {
    /// The type of the advertising packets.
    enum PDUType: Sendable {
        /// Packets of Bluetooth 4.0, which all scanners receive and which carry at most 31 bytes of
        /// data.
        case legacy
        /// Packets of Bluetooth 5.0, on a primary and a secondary channel.
        case extended
    }

    /// The handle of the only advertising set.
    static let handle: UInt8 = 0
    /// The longest interval of a legacy controller (Vol 4, Part E, 7.8.5).
    static let legacyIntervalLimit = Duration.milliseconds(10_240)
    static let intervalMinimum = Duration.milliseconds(20)

    var pduType = PDUType.legacy
    /// Whether the device accepts connection requests.
    var isConnectable = true
    var data: AdvertisingData
    /// The scan response; `nil` for none, as in beacons.
    var scanResponse: AdvertisingData?
    var interval: Duration
    /// The random address; `nil` for the public one.
    var randomAddress: DeviceAddress?

    /// Returns the commands that configure and start advertising, in order.
    ///
    /// A controller that supports the extended commands gets them for legacy packets too. The
    /// reason is that the startup may already have used an extended command, which reads the number
    /// of advertising sets. From then on, the controller refuses the legacy commands (Vol 4, Part
    /// E, 3.1.1).
    func commands(for capabilities: ControllerCapabilities) -> [HCI.EncodedCommand] {
        let setUp = capabilities.supportsExtendedAdvertising ? extendedSetUp : legacySetUp
        return setUp + [enable(for: capabilities)]
    }

    /// Returns the command that starts advertising.
    func enable(for capabilities: ControllerCapabilities) -> HCI.EncodedCommand {
        guard capabilities.supportsExtendedAdvertising else {
            return .init(HCI.LESetAdvertisingEnable(isEnabled: true))
        }
        let run = HCI.AdvertisingSetRun(advertisingHandle: Self.handle)
        return .init(HCI.LESetExtendedAdvertisingEnable(isEnabled: true, sets: [run]))
    }

    /// Returns the command that stops advertising.
    func disable(for capabilities: ControllerCapabilities) -> HCI.EncodedCommand {
        guard capabilities.supportsExtendedAdvertising else {
            return .init(HCI.LESetAdvertisingEnable(isEnabled: false))
        }
        let run = HCI.AdvertisingSetRun(advertisingHandle: Self.handle)
        return .init(HCI.LESetExtendedAdvertisingEnable(isEnabled: false, sets: [run]))
    }

    /// Returns the command that changes the random address while the device does not advertise.
    static func use(
        _ address: DeviceAddress,
        for capabilities: ControllerCapabilities
    ) -> HCI.EncodedCommand {
        guard capabilities.supportsExtendedAdvertising else {
            return .init(HCI.LESetRandomAddress(address: .init(value: address.value)))
        }
        return .init(
            HCI.LESetAdvertisingSetRandomAddress(
                advertisingHandle: handle,
                address: .init(value: address.value)
            )
        )
    }

    private var ownAddressType: HCI.OwnAddressType { randomAddress == nil ? .public : .random }
}

// The legacy commands.
extension AccessoryAdvertisingPlan {
    private var legacySetUp: [HCI.EncodedCommand] {
        var commands: [HCI.EncodedCommand] = []
        if let randomAddress {
            commands.append(
                .init(HCI.LESetRandomAddress(address: .init(value: randomAddress.value)))
            )
        }
        commands.append(legacyParameters)
        if let data = HCI.LegacyAdvertisingData(data.bytes) {
            commands.append(.init(HCI.LESetAdvertisingData(data: data)))
        }
        if let bytes = scanResponse?.bytes, let data = HCI.LegacyAdvertisingData(bytes) {
            commands.append(.init(HCI.LESetScanResponseData(data: data)))
        }
        return commands
    }

    private var legacyParameters: HCI.EncodedCommand {
        let held = min(max(interval, Self.intervalMinimum), Self.legacyIntervalLimit)
        return .init(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: HCI.ScanInterval(held),
                intervalMaximum: HCI.ScanInterval(held),
                type: legacyType,
                ownAddressType: ownAddressType
            )
        )
    }

    private var legacyType: HCI.AdvertisingType {
        if isConnectable { return .connectableUndirected }
        return scanResponse == nil ? .nonConnectable : .scannable
    }
}

// The extended commands.
extension AccessoryAdvertisingPlan {
    private var extendedSetUp: [HCI.EncodedCommand] {
        var commands = [extendedParameters]
        if let randomAddress {
            commands.append(
                .init(
                    HCI.LESetAdvertisingSetRandomAddress(
                        advertisingHandle: Self.handle,
                        address: .init(value: randomAddress.value)
                    )
                )
            )
        }
        commands.append(
            .init(
                HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: Self.handle,
                    data: data.bytes[...]
                )
            )
        )
        if pduType == .legacy, let scanResponse {
            commands.append(
                .init(
                    HCI.LESetExtendedScanResponseData(
                        advertisingHandle: Self.handle,
                        data: scanResponse.bytes[...]
                    )
                )
            )
        }
        return commands
    }

    private var extendedParameters: HCI.EncodedCommand {
        let units = max(interval, Self.intervalMinimum).nanoseconds / 625_000
        let wireInterval = HCI.AdvertisingInterval(rawValue: UInt32(clamping: units))
        return .init(
            HCI.LESetExtendedAdvertisingParameters(
                advertisingHandle: Self.handle,
                properties: properties,
                intervalMinimum: wireInterval,
                intervalMaximum: wireInterval,
                ownAddressType: ownAddressType
            )
        )
    }

    /// The properties of the set. An extended advertisement is never connectable and scannable at
    /// the same time (Vol 4, Part E, 7.8.53).
    private var properties: HCI.AdvertisingProperties {
        var properties: HCI.AdvertisingProperties = pduType == .legacy ? [.legacy] : []
        if isConnectable { properties.insert(.connectable) }
        if pduType == .legacy, isConnectable || scanResponse != nil {
            properties.insert(.scannable)
        }
        return properties
    }
}
