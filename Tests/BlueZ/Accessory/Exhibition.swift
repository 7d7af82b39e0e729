// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// What BlueZ serves where a test does not say otherwise: something of every kind that there is.
enum Exhibition {
    static let uuid = BluetoothUUID(0xFFF0)

    /// Short, and read only.
    static let label = BluetoothUUID(0xFFF1)
    /// As long as a value can be.
    static let page = BluetoothUUID(0xFFF2)
    /// Written with a response. BlueZ answers at once, and asks the application later, where a value can
    /// be written without one as well: so those are apart.
    static let slate = BluetoothUUID(0xFFF3)
    /// Another like it: what is written reliably goes to several.
    static let tablet = BluetoothUUID(0xFFF4)
    /// Written without a response.
    static let pad = BluetoothUUID(0xFFF7)
    /// Tells of itself by notifications.
    static let bell = BluetoothUUID(0xFFF5)
    /// Tells of itself by indications.
    static let gong = BluetoothUUID(0xFFF6)
    /// Known by a UUID of 128 bits, as most are.
    static let stranger = long(0x5C3A_0001)
    /// Described by descriptors that can be read and written.
    static let note = long(0x5C3A_0002)

    /// A UUID of the exhibition's own, of 128 bits.
    private static func long(_ number: UInt32) -> BluetoothUUID {
        let text = String(number, radix: 16) + "-9a7e-4f0b-8c55-7a6d1b2e3f40"
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("\(text) is no UUID") }
        return uuid
    }

    /// Octets in which each place is different from its neighbours.
    static func pattern(_ count: Int, start: UInt8 = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) &+ start }
    }

    /// The longest value that BlueZ lets be written by one request: 512 octets, but that of Debian 12
    /// counts the two of the handle in.
    static func longestWrite(to setting: Setting) -> Int {
        setting.release == .bookworm ? 510 : 512
    }

    static let labelValue = Array("BlueZ".utf8)
    static let pageValue = pattern(512)
    static let noteValue = pattern(40, start: 9)

    /// The service, whose handles are all in one piece.
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
                uuid: stranger,
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
