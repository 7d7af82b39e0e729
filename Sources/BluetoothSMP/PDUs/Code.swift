// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension SMP {
    /// The kind of a PDU, given by its first byte (Vol 3, Part H, 3.3).
    package struct Code: OpenCode {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let pairingRequest = Code(rawValue: 0x01)
        package static let pairingResponse = Code(rawValue: 0x02)
        package static let pairingConfirm = Code(rawValue: 0x03)
        package static let pairingRandom = Code(rawValue: 0x04)
        package static let pairingFailed = Code(rawValue: 0x05)
        package static let encryptionInformation = Code(rawValue: 0x06)
        package static let centralIdentification = Code(rawValue: 0x07)
        package static let identityInformation = Code(rawValue: 0x08)
        package static let identityAddressInformation = Code(rawValue: 0x09)
        package static let signingInformation = Code(rawValue: 0x0A)
        package static let securityRequest = Code(rawValue: 0x0B)
        package static let pairingPublicKey = Code(rawValue: 0x0C)
        package static let pairingDHKeyCheck = Code(rawValue: 0x0D)
        package static let pairingKeypressNotification = Code(rawValue: 0x0E)

        package static let names: [UInt8: String] = [
            0x01: "Pairing Request",
            0x02: "Pairing Response",
            0x03: "Pairing Confirm",
            0x04: "Pairing Random",
            0x05: "Pairing Failed",
            0x06: "Encryption Information",
            0x07: "Central Identification",
            0x08: "Identity Information",
            0x09: "Identity Address Information",
            0x0A: "Signing Information",
            0x0B: "Security Request",
            0x0C: "Pairing Public Key",
            0x0D: "Pairing DHKey Check",
            0x0E: "Pairing Keypress Notification",
        ]
    }
}
