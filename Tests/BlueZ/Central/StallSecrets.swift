// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

// What is not for everybody.
extension Stall {
    /// For those who have encrypted the link.
    static let secret = uuid(0x501)
    /// For those, too, who are sure whom they talk to.
    static let topSecret = uuid(0x502)
    /// For those whom the application admits.
    static let personal = uuid(0x503)

    static let treasure: [UInt8] = [0xC0, 0xFF, 0xEE]

    static let guarded = GATT.ServiceDefinition(
        uuid(0x500),
        [
            .init(
                secret,
                [.read, .notify],
                permissions: .init(read: .encrypted, subscribe: .encrypted),
                value: .stored(treasure)
            ),
            .init(
                topSecret,
                [.read, .write],
                permissions: .init(read: .authenticated, write: .authenticated),
                value: .stored([])
            ),
            .init(
                personal,
                .read,
                permissions: .init(read: .authorized),
                value: .stored(treasure)
            ),
        ]
    )
}
