// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The two services that every server has: Generic Access (Vol 3, Part C, 12) and Generic Attribute
/// (Vol 3, Part G, 7).
///
/// They are there from the beginning, at the first handles. Until the first client has come, they
/// make way: a definition that wants their handles gets them, and they move behind everything else;
/// and one that says itself what is in 0x1800 or 0x1801 takes the place of the one here. So a table
/// that a file describes handle by handle is served as it stands there, whole. Afterwards they stay,
/// because a client may have learned where they are.
struct CoreServices: Sendable {
    /// What a device says of itself.
    struct GenericAccess: Equatable, Sendable {
        /// The longest name, in octets (Vol 3, Part C, 12.1).
        static let nameLengthLimit = 248

        var name = "Lanyard"
        var appearance: UInt16 = 0
        /// Intervals, latency and timeout, as they travel. By default no preference
        /// (Vol 3, Part C, 12.3).
        var preferredConnectionParameters: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0xFF, 0xFF,
        ]
    }

    var genericAccess = GenericAccess()

    /// Whether Enhanced ATT bearers are served (Vol 3, Part G, 7.4).
    var supportsEnhancedBearers = false

    /// The declarations of the services as defined here; nil for one that a definition replaces.
    var handles: [BluetoothUUID: AttributeHandle] = [:]

    static let uuids = [GATT.AttributeType.genericAccess, GATT.AttributeType.genericAttribute]

    /// The definition of one of the two.
    func definition(of uuid: BluetoothUUID) -> GATT.ServiceDefinition {
        uuid == GATT.AttributeType.genericAccess ? accessDefinition : Self.attributeDefinition(self)
    }

    private var accessDefinition: GATT.ServiceDefinition {
        let characteristics = accessValues.map { type, value in
            GATT.CharacteristicDefinition(type, .read, value: .stored(value))
        }
        return .init(GATT.AttributeType.genericAccess, characteristics)
    }

    /// What is in Generic Access. Central Address Resolution is not: its absence says that directed
    /// advertising should not go to a private address of this device (Vol 3, Part C, 12.4).
    var accessValues: [(type: BluetoothUUID, value: [UInt8])] {
        let appearance = genericAccess.appearance
        return [
            (GATT.AttributeType.deviceName, genericAccess.nameOctets),
            (
                GATT.AttributeType.appearance,
                [UInt8(truncatingIfNeeded: appearance), UInt8(appearance >> 8)]
            ),
            (
                GATT.AttributeType.preferredConnectionParameters,
                genericAccess.preferredConnectionParameters
            ),
        ]
    }

    private static func attributeDefinition(_ core: CoreServices) -> GATT.ServiceDefinition {
        .init(
            GATT.AttributeType.genericAttribute,
            [
                .init(GATT.AttributeType.serviceChanged, .indicate),
                .init(GATT.AttributeType.clientSupportedFeatures, [.read, .write]),
                .init(GATT.AttributeType.databaseHash, .read),
                .init(
                    GATT.AttributeType.serverSupportedFeatures,
                    .read,
                    value: .stored(core.serverFeatures)
                ),
            ]
        )
    }

    /// The value of Server Supported Features (Vol 3, Part G, 7.4).
    var serverFeatures: [UInt8] { [supportsEnhancedBearers ? 1 << 0 : 0] }
}

extension CoreServices.GenericAccess {
    /// The name as it travels, cut between two characters if it is too long.
    fileprivate var nameOctets: [UInt8] {
        var shortened = name
        while shortened.utf8.count > Self.nameLengthLimit { shortened.removeLast() }
        return Array(shortened.utf8)
    }
}
