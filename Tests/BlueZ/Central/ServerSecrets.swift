// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

// The protected values.
extension ServerFixture {
    /// A value that requires an encrypted link.
    static let secret = uuid(0x501)
    /// A value that requires an authenticated link.
    static let topSecret = uuid(0x502)
    /// A value that requires the application's authorization.
    static let personal = uuid(0x503)

    static let protectedValue: [UInt8] = [0xC0, 0xFF, 0xEE]

    static let protected = GATT.ServiceDefinition(
        uuid(0x500),
        [
            .init(
                secret,
                [.read, .notify],
                permissions: .init(read: .encrypted, subscribe: .encrypted),
                value: .stored(protectedValue)
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
                value: .stored(protectedValue)
            ),
        ]
    )
}
