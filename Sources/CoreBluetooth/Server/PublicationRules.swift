// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothTypes

/// The rules for services that an app publishes.
enum PublicationRules {
    /// Ends the process if a static characteristic is not read-only, like `add` on Apple's
    /// platforms, which raises NSInternalInconsistencyException with this text.
    static func check(_ service: CBMutableService) {
        let writes: CBAttributePermissions = [.writeable, .writeEncryptionRequired]
        for case let characteristic as CBMutableCharacteristic in service.characteristics ?? []
        where characteristic.cachedValue != nil {
            guard characteristic.properties.isSubset(of: .read),
                characteristic.permissions.isDisjoint(with: writes)
            else { Misuse.stop("Characteristics with cached values must be read-only") }
        }
    }

    /// Returns whether all attributes of a service belong to this device.
    static func isOwn(_ service: CBMutableService) -> Bool {
        (service.characteristics ?? []).allSatisfy { characteristic in
            characteristic is CBMutableCharacteristic
                && characteristic.descriptors?.allSatisfy { $0 is CBMutableDescriptor } != false
        }
    }
}
