// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A database with every kind of attribute that the tests request, at fixed handles.
///
/// | handle | attribute |
/// |---|---|
/// | 0x0001 – 0x0011 | Generic Access, Generic Attribute |
/// | 0x0020 | primary service 0xA000 |
/// | 0x0022, 0x0023 | stored `01 02 03`, up to 20 bytes; its description, up to 40 bytes |
/// | 0x0025, 0x0026 | stored, 50 bytes, up to 512; a descriptor of 44 bytes |
/// | 0x0028 | can be written, not read |
/// | 0x002A | requires encryption |
/// | 0x002C | requires authentication |
/// | 0x002E | requires authorization |
/// | 0x0030 | requires a key of 16 bytes |
/// | 0x0032 | the application's, readable and writable |
/// | 0x0034, 0x0035 | notified and indicated |
/// | 0x0037 | can be written with a signature |
/// | 0x0039 | can be read, not written |
/// | 0x0040 | secondary service 0xA001 |
/// | 0x0050 – 0x0053 | primary service, includes 0x0040; a characteristic (both 128-bit UUIDs) |
/// | 0x0060 | primary service 0xA002 |
/// | 0x0062, 0x0064, 0x0066 | stored values of one type: two bytes, two bytes, three bytes |
package enum SampleTable {
    package static let longService = uuid("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    package static let longType = uuid("6E400002-B5A3-F393-E0A9-E50E24DCCA9E")
    package static let longTypeBytes = "9ecadc240ee5a9e093f3a3b5" + "0200406e"
    package static let longServiceBytes = "9ecadc240ee5a9e093f3a3b5" + "0100406e"

    /// Returns the bytes `0, 1, 2 …` of a long value.
    package static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Returns a server that serves the database.
    package static func server() throws -> GATTServer {
        var server = GATTServer()
        _ = try server.publish(kinds)
        _ = try server.publish(.init(.init(0xA001), isPrimary: false, [], handle: .init(0x40)))
        _ = try server.publish(
            .init(
                longService,
                includes: [.handle(.init(0x40))],
                [.init(longType, .read, value: .stored([7]))],
                handle: .init(0x50)
            )
        )
        _ = try server.publish(
            .init(
                .init(0xA002),
                [[1, 1], [2, 2], [3, 3, 3]].map { .init(.init(0xB100), .read, value: .stored($0)) },
                handle: .init(0x60)
            )
        )
        return server
    }

    private static let kinds = GATT.ServiceDefinition(
        .init(0xA000),
        stored + protectedCharacteristics + [
            .init(.init(0xB007), [.read, .write], value: .dynamic),
            .init(.init(0xB008), [.read, .notify, .indicate], value: .stored([8])),
            .init(.init(0xB009), .authenticatedSignedWrites, value: .stored([9])),
            .init(.init(0xB00A), .read, value: .stored([10])),
        ],
        handle: .init(0x20)
    )

    private static let stored: [GATT.CharacteristicDefinition] = [
        .init(
            .init(0xB000),
            [.read, .write, .writeWithoutResponse],
            value: .stored([1, 2, 3], maximumLength: 20),
            descriptors: [
                .init(
                    GATT.AttributeType.characteristicUserDescription,
                    permissions: .init(read: .open, write: .open),
                    value: .stored([0x68, 0x69], maximumLength: 40)
                )
            ]
        ),
        .init(
            .init(0xB001),
            [.read, .write],
            value: .stored(bytes(50)),
            descriptors: [.init(.init(0xB0FF), value: .stored(bytes(44)))]
        ),
        .init(.init(0xB002), .write, value: .stored([2])),
    ]

    private static let protectedCharacteristics: [GATT.CharacteristicDefinition] = [
        protected(0xB003, .encrypted),
        protected(0xB004, .authenticated),
        protected(0xB005, .authorized),
        protected(0xB006, .init(needsEncryption: true, keySizeMinimum: 16)),
    ]

    private static func protected(
        _ type: UInt16,
        _ rule: SecurityRequirement
    ) -> GATT.CharacteristicDefinition {
        .init(
            .init(type),
            [.read, .write],
            permissions: .init(read: rule, write: rule),
            value: .stored([UInt8(truncatingIfNeeded: type)])
        )
    }

    private static func uuid(_ text: String) -> BluetoothUUID {
        BluetoothUUID(text) ?? BluetoothUUID(0)
    }
}
