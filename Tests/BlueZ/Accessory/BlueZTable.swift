// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// The service that BlueZ registers by default, with a value for each kind of access in the tests.
enum BlueZTable {
    static let uuid = BluetoothUUID(0xFFF0)

    /// A short value that can only be read.
    static let label = BluetoothUUID(0xFFF1)
    /// A value of the maximum length.
    static let page = BluetoothUUID(0xFFF2)
    /// A value that is written with a response. It does not allow writes without response: for a
    /// value that allows both, BlueZ answers at once and asks the program later.
    static let slate = BluetoothUUID(0xFFF3)
    /// A second value that is written with a response, because a reliable write changes several
    /// values.
    static let tablet = BluetoothUUID(0xFFF4)
    /// A value that is written without response.
    static let pad = BluetoothUUID(0xFFF7)
    /// A value that is notified.
    static let bell = BluetoothUUID(0xFFF5)
    /// A value that is indicated.
    static let gong = BluetoothUUID(0xFFF6)
    /// A characteristic with a 128-bit UUID, as most vendors' characteristics have, and with a
    /// descriptor.
    static let vendor = long(0x5C3A_0001)
    /// The descriptor of `vendor`, which can be read and written.
    static let note = long(0x5C3A_0002)

    /// Returns a 128-bit UUID from this fixture's own range.
    private static func long(_ number: UInt32) -> BluetoothUUID {
        let text = String(number, radix: 16) + "-9a7e-4f0b-8c55-7a6d1b2e3f40"
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("\(text) is no UUID") }
        return uuid
    }

    /// Returns bytes that each differ from their neighbors.
    static func pattern(_ count: Int, start: UInt8 = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) &+ start }
    }

    /// Returns the longest value that BlueZ accepts in one write: 512 bytes, but BlueZ of Debian 12
    /// counts the two bytes of the handle as well.
    static func longestWrite(to setting: Setting) -> Int {
        setting.release == .bookworm ? 510 : 512
    }

    static let labelValue = Array("BlueZ".utf8)
    static let pageValue = pattern(512)
    static let noteValue = pattern(40, start: 9)

    static let service = ServedService(
        uuid: uuid,
        characteristics: [
            ServedCharacteristic(uuid: label, flags: ["read"], value: labelValue),
            ServedCharacteristic(uuid: page, flags: ["read"], value: pageValue),
            ServedCharacteristic(uuid: slate, flags: writable),
            ServedCharacteristic(uuid: tablet, flags: writable),
            ServedCharacteristic(uuid: pad, flags: ["write-without-response"]),
            ServedCharacteristic(uuid: bell, flags: ["read", "notify"]),
            ServedCharacteristic(uuid: gong, flags: ["read", "indicate"]),
            ServedCharacteristic(
                uuid: vendor,
                flags: ["read"],
                value: [0x2A],
                descriptors: [
                    ServedCharacteristic(uuid: note, flags: ["read", "write"], value: noteValue)
                ]
            ),
        ]
    )

    private static let writable = ["read", "write", "reliable-write"]
}
