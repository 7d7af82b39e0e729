// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

@testable import BluetoothGAP
@testable import BluetoothHCI

/// A model of a controller's resolving list (Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
struct ResolvingModel {
    var limit = 4
    private(set) var entries: [ResolvingListUpdater.Entry] = []
    private(set) var modes: Set<DeviceAddress> = []
    private(set) var isEnabled = false
    private(set) var randomAddress: DeviceAddress?

    /// Carries out or refuses a command. Returns its status.
    ///
    /// - Parameters:
    ///   - isOnAir: Whether the controller advertises, scans or initiates.
    ///   - usesRandomAddress: Whether the controller uses its random address for one of them.
    mutating func perform(
        _ operation: PrivacyOperation,
        isOnAir: Bool,
        usesRandomAddress: Bool
    ) -> HCI.ErrorCode {
        switch operation {
        case .setRandomAddress(let address):
            if usesRandomAddress { return .commandDisallowed }
            randomAddress = address
        case .enableResolution(let isOn):
            if isOnAir { return .commandDisallowed }
            isEnabled = isOn
        default: return isOnAir && isEnabled ? .commandDisallowed : edit(operation)
        }
        return .success
    }

    private mutating func edit(_ operation: PrivacyOperation) -> HCI.ErrorCode {
        switch operation {
        case .clearList: (entries, modes) = ([], [])
        case .add(let entry):
            let isLike = entries.contains {
                $0.identity == entry.identity || $0.peerKey == entry.peerKey
            }
            if isLike { return .invalidCommandParameters }
            if entries.count >= limit { return .memoryCapacityExceeded }
            entries.append(entry)
        case .remove(let identity):
            guard contains(identity) else { return .unknownConnectionIdentifier }
            entries.removeAll { $0.identity == identity }
            modes.remove(identity)
        case .setDeviceMode(let identity):
            guard contains(identity) else { return .unknownConnectionIdentifier }
            modes.insert(identity)
        default: break
        }
        return .success
    }

    private func contains(_ identity: DeviceAddress) -> Bool {
        entries.contains { $0.identity == identity }
    }

    mutating func start(with address: DeviceAddress) {
        self = ResolvingModel(limit: limit, randomAddress: address)
    }

    init(limit: Int = 4, randomAddress: DeviceAddress? = nil) {
        self.limit = limit
        self.randomAddress = randomAddress
    }
}

extension ResolvingListUpdater.Entry {
    static func peer(_ number: Int) -> Self {
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 15)
        bytes.append(UInt8(truncatingIfNeeded: number >> 8) | 0x80)
        return Self(
            identity: .accessory(UInt64(number)),
            peerKey: HCI.Key128(bytes) ?? HCI.Key128(),
            localKey: HCI.Key128()
        )
    }
}

extension ControllerCapabilities {
    /// Returns the capabilities of a controller that resolves private addresses, with extended or
    /// legacy commands.
    static func resolving(
        isExtended: Bool = true,
        limit: Int = 4,
        commands: [HCI.Opcode] = listCommands + [.leSetPrivacyMode]
    ) -> ControllerCapabilities {
        let advertising = advertising(isExtended: isExtended)
        let dialect: [HCI.Opcode] =
            isExtended
            ? [.leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection]
            : [.leSetScanParameters, .leSetScanEnable, .leCreateConnection]
        let mine = Set(commands + dialect)
        var capabilities = advertising
        let all = HCI.SupportedCommands.positions.keys.filter {
            mine.contains($0) || advertising.commands.contains($0)
        }
        capabilities.commands = HCI.SupportedCommands(all)
        capabilities.states = [.activeScanningAndInitiating, .passiveScanningAndInitiating]
        capabilities.filterAcceptListSize = 4
        capabilities.resolvingListSize = limit
        capabilities.randomAddress = DeviceAddress(value: 0x4000_0000_0001, kind: .random)
        return capabilities
    }

    static let listCommands: [HCI.Opcode] = [
        .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
        .leSetAddressResolutionEnable,
    ]
}
