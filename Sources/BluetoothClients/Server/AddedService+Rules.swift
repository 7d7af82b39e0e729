// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The rules for services that an application publishes.
extension AddedService {
    /// The services that the system reserves. Apple does not publish its list, which varies.
    /// Apple's framework refuses these (observed), or only the system can provide them.
    static let reservedServices: Set<BluetoothUUID> = Set(
        [
            "1800",  // Generic Access
            "1801",  // Generic Attribute
            "1805",  // Current Time
            "180A",  // Device Information
            "180F",  // Battery
            "1812",  // Human Interface Device
            "7905F431-B5CE-4E99-A40F-4B1E122D00D0",  // Apple Notification Center Service
            "89D3502B-0F36-433A-8EF4-C502AD55F8DC",  // Apple Media Service
            "D0611E78-BBB4-4591-A5F8-487910AE4366",  // Apple Continuity
            "9FA480E0-4967-4542-9390-D343DC5D04AE",  // Apple Nearby
        ].compactMap { BluetoothUUID($0) }
    )

    /// The properties that require descriptors that an application cannot publish.
    private static let refusedProperties: ServedProperties = [.broadcast, .extendedProperties]

    /// The reason why the service must not be published; `nil` if there is none.
    package var refusal: ClientError.Code? {
        if Self.reservedServices.contains(type) { return .uuidNotAllowed }
        let areAllowed = characteristics.allSatisfy {
            $0.properties.isDisjoint(with: Self.refusedProperties)
        }
        return areAllowed ? nil : .invalidParameters
    }
}
