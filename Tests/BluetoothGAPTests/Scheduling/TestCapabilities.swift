// SPDX-License-Identifier: Apache-2.0

@testable import BluetoothGAP
@testable import BluetoothHCI

extension ControllerCapabilities {
    static func forTests(
        acceptListSize: Int = 4,
        saysNoOverlap: Bool = false,
        commands: [HCI.Opcode] = []
    ) -> ControllerCapabilities {
        let version = LocalVersion(
            hciVersion: HCI.Version(rawValue: 0x0C),
            hciSubversion: 0,
            linkLayerVersion: HCI.Version(rawValue: 0x0C),
            company: 0xFFFF,
            linkLayerSubversion: 0
        )
        var capabilities = ControllerCapabilities(
            version: version,
            commands: HCI.SupportedCommands(commands)
        )
        capabilities.filterAcceptListSize = acceptListSize
        capabilities.states =
            saysNoOverlap
            ? [.activeScanning, .passiveScanning, .initiating]
            : [.activeScanningAndInitiating, .passiveScanningAndInitiating]
        return capabilities
    }

    /// The capabilities of a controller with extended advertising.
    static var extended: ControllerCapabilities {
        var capabilities = forTests(commands: [
            .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
        ])
        capabilities.leFeatures = [.extendedAdvertising]
        return capabilities
    }
}
