// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The two services that every server has: Generic Access (Vol 3, Part C, 12) and Generic Attribute
/// (Vol 3, Part G, 7).
///
/// They exist from the start, at the first handles. Until the first client connects, other
/// definitions take precedence. A definition that requires their handles gets them, and the two
/// services move behind all others. A definition of 0x1800 or 0x1801 replaces the server's own
/// service. The server can therefore serve a database that a file describes handle by handle. After
/// the first client has connected, the two services no longer move, because a client may have
/// discovered them.
struct CoreServices: Sendable {
    /// The information about a device in the Generic Access service.
    struct GenericAccess: Equatable, Sendable {
        /// The maximum length of the name in bytes (Vol 3, Part C, 12.1).
        static let nameLengthLimit = 248

        var name = "Lanyard"
        var appearance: UInt16 = 0
        /// The intervals, latency and timeout in transmission order. The default states no
        /// preference (Vol 3, Part C, 12.3).
        var preferredConnectionParameters: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0xFF, 0xFF,
        ]
    }

    var genericAccess = GenericAccess()

    /// Whether this device resolves private addresses in directed advertising, or `nil` if it uses
    /// no private addresses and therefore has no such characteristic (Vol 3, Part C, 12.4).
    var resolvesAddresses: Bool?

    /// Whether the server supports Enhanced ATT bearers (Vol 3, Part G, 7.4).
    var supportsEnhancedBearers = false

    /// The handles of the declarations of these services, without a service that the application
    /// has replaced.
    var handles: [BluetoothUUID: AttributeHandle] = [:]

    static let uuids = [GATT.AttributeType.genericAccess, GATT.AttributeType.genericAttribute]

    func definition(of uuid: BluetoothUUID) -> GATT.ServiceDefinition {
        uuid == GATT.AttributeType.genericAccess ? accessDefinition : Self.attributeDefinition(self)
    }

    private var accessDefinition: GATT.ServiceDefinition {
        let characteristics = accessValues.map { type, value in
            GATT.CharacteristicDefinition(type, .read, value: .stored(value))
        }
        return .init(GATT.AttributeType.genericAccess, characteristics)
    }

    var accessValues: [(type: BluetoothUUID, value: [UInt8])] {
        let appearance = genericAccess.appearance
        let values: [(type: BluetoothUUID, value: [UInt8])] = [
            (GATT.AttributeType.deviceName, genericAccess.nameBytes),
            (
                GATT.AttributeType.appearance,
                [UInt8(truncatingIfNeeded: appearance), UInt8(appearance >> 8)]
            ),
            (
                GATT.AttributeType.preferredConnectionParameters,
                genericAccess.preferredConnectionParameters
            ),
        ]
        guard let resolvesAddresses else { return values }
        return values + [(GATT.AttributeType.centralAddressResolution, [resolvesAddresses ? 1 : 0])]
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
    /// The name in UTF-8, truncated between two characters if it is too long.
    fileprivate var nameBytes: [UInt8] {
        var shortened = name
        while shortened.utf8.count > Self.nameLengthLimit { shortened.removeLast() }
        return Array(shortened.utf8)
    }
}
