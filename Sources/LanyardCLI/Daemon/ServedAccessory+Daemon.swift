// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes

extension ServedAccessory {
    /// The services that the Bluetooth daemon serves itself.
    private static let servicesOfDaemon = [
        GATT.AttributeType.genericAccess, GATT.AttributeType.genericAttribute,
    ]

    /// Returns the accessory as the Bluetooth daemon can serve it, without the services that the
    /// daemon has itself. Throws if the daemon would serve a part with less protection than the
    /// file requires, or not at all.
    func servedByDaemon() throws(ProgramFailure) -> ServedAccessory {
        var accessory = self
        accessory.services.removeAll { Self.servicesOfDaemon.contains($0.definition.uuid) }
        for service in accessory.services.map(\.definition) {
            guard service.includes.isEmpty else {
                throw Self.refusal(of: service.uuid, "services that include others")
            }
            for characteristic in service.characteristics {
                let permissions =
                    [characteristic.permissions] + characteristic.descriptors.map(\.permissions)
                guard !permissions.contains(where: \.exceedsDaemon) else {
                    throw Self.refusal(of: characteristic.uuid, "authorization and key sizes")
                }
            }
        }
        return accessory
    }

    private static func refusal(of uuid: BluetoothUUID, _ part: String) -> ProgramFailure {
        .usage(
            "\(uuid): the Bluetooth daemon does not support \(part)",
            advice: "choose another --adapter, or change the file"
        )
    }
}

extension GATT.Permissions {
    /// Whether an operation requires more than encryption and authentication.
    fileprivate var exceedsDaemon: Bool {
        [read, write, subscribe].compactMap { $0 }.contains {
            $0.needsAuthorization
                || $0.needsEncryption && $0.keySizeMinimum > LinkSecurity.keySizeRange.lowerBound
        }
    }
}
