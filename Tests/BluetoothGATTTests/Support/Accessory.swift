// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The database that the tests explore: three services with UUIDs of both lengths, an include of
/// each form, a value of any length, and descriptors.
enum Accessory {
    static let longUUID = BluetoothUUID(littleEndian: Array(0x40..<0x50) as [UInt8])
    static let long: BluetoothUUID = longUUID ?? BluetoothUUID(0)

    static let services: [GATT.Service] = [
        .init(uuid: .init(0x1800), isPrimary: true, handle: .init(1), endHandle: .init(5)),
        .init(uuid: long, isPrimary: true, handle: .init(16), endHandle: .init(31)),
        .init(uuid: .init(0x180F), isPrimary: true, handle: .init(32), endHandle: .last),
    ]

    static let characteristics: [GATT.Characteristic] = [
        .init(
            uuid: .init(0x2A19),
            handle: .init(19),
            valueHandle: .init(20),
            properties: [.read, .notify],
            endHandle: .init(22)
        ),
        .init(
            uuid: long,
            handle: .init(23),
            valueHandle: .init(24),
            properties: [.read, .write],
            endHandle: .init(31)
        ),
    ]

    static func server(longValue: [UInt8] = []) -> TableServer {
        TableServer([
            declaration(1, .init(0x1800), end: 5),
            characteristic(2, 0x02, value: 3, .init(0x2A00)),
            .init(handle: .init(3), type: .init(0x2A00), value: Array("Lamp".utf8)),
            declaration(16, long, end: 31),
            .init(handle: .init(17), type: .init(0x2802), value: [1, 0, 5, 0, 0x00, 0x18]),
            .init(handle: .init(18), type: .init(0x2802), value: [16, 0, 31, 0]),
            characteristic(19, 0x12, value: 20, .init(0x2A19)),
            .init(handle: .init(20), type: .init(0x2A19), value: [99]),
            .init(handle: .init(21), type: .init(0x2902), value: [0, 0]),
            .init(handle: .init(22), type: .init(0x2901), value: Array("Charge".utf8)),
            characteristic(23, 0x0A, value: 24, long),
            .init(handle: .init(24), type: long, value: longValue),
            .init(handle: .init(25), type: long, value: [1]),
            declaration(32, .init(0x180F), end: 0xFFFF),
        ])
    }

    private static func declaration(
        _ handle: UInt16,
        _ uuid: BluetoothUUID,
        end: UInt16
    ) -> TableServer.Attribute {
        .init(
            handle: .init(handle),
            type: .init(0x2800),
            value: uuid.attBytes,
            groupEnd: .init(end)
        )
    }

    private static func characteristic(
        _ handle: UInt16,
        _ properties: UInt8,
        value: UInt16,
        _ uuid: BluetoothUUID
    ) -> TableServer.Attribute {
        var writer = ByteWriter()
        writer.write(properties)
        writer.write(value)
        writer.write(contentsOf: uuid.attBytes)
        return .init(handle: .init(handle), type: .init(0x2803), value: writer.bytes)
    }
}
