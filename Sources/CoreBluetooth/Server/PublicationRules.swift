// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What an application may publish.
enum PublicationRules {
    /// The services that the system keeps for itself. Apple's list is not published and varies; these
    /// were seen to be refused, or belong to the system by their nature.
    static let reservedServices: Set<BluetoothUUID> = Set(
        [
            "1800",  // Generic Access
            "1801",  // Generic Attribute
            "1805",  // Current Time
            "180A",  // Device Information
            "180F",  // Battery
            "1812",  // Human Interface Device
            "7905F431-B5CE-4E99-A40F-4B1E122D00D0",  // Apple's notification centre
            "89D3502B-0F36-433A-8EF4-C502AD55F8DC",  // Apple's media service
            "D0611E78-BBB4-4591-A5F8-487910AE4366",  // Apple's Continuity
            "9FA480E0-4967-4542-9390-D343DC5D04AE",  // Apple's Nearby
        ].compactMap { BluetoothUUID($0) }
    )

    /// Properties that need descriptors which an application cannot publish.
    static let refusedProperties: CBCharacteristicProperties = [.broadcast, .extendedProperties]

    /// Traps if a characteristic has a value of its own and is more than readable: an error of the
    /// programmer, which Apple's framework treats in the same way, in the same words.
    static func check(_ service: CBMutableService) {
        let writes: CBAttributePermissions = [.writeable, .writeEncryptionRequired]
        for case let characteristic as CBMutableCharacteristic in service.characteristics ?? []
        where characteristic.value != nil {
            guard characteristic.properties.isSubset(of: .read),
                characteristic.permissions.isDisjoint(with: writes)
            else { Misuse.stop("Characteristics with cached values must be read-only") }
        }
    }

    /// Why a service must not be published; nil if it may.
    static func refusal(of service: CBMutableService) -> CBError.Code? {
        if reservedServices.contains(service.uuid.value) { return .uuidNotAllowed }
        for characteristic in service.characteristics ?? [] {
            guard let characteristic = characteristic as? CBMutableCharacteristic,
                characteristic.properties.isDisjoint(with: refusedProperties),
                characteristic.descriptors?.allSatisfy({ $0 is CBMutableDescriptor }) != false
            else { return .invalidParameters }
        }
        return nil
    }
}
