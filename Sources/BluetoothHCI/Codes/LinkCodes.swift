// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// Which end of a link this is. (Vol 4, Part E, 7.7.65.1)
    package struct Role: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let central = Role(rawValue: 0x00)
        package static let peripheral = Role(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "Central",
            0x01: "Peripheral",
        ]
    }

    /// How much coding the coded PHY is to use. (Vol 4, Part E, 7.8.49)
    package struct CodedPHYPreference: OpenCode, HCIParameters {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let none = CodedPHYPreference(rawValue: 0x0000)
        package static let fast = CodedPHYPreference(rawValue: 0x0001)
        package static let far = CodedPHYPreference(rawValue: 0x0002)

        package static let names: [UInt16: String] = [
            0x0000: "none",
            0x0001: "S=2",
            0x0002: "S=8",
        ]
    }

    /// Whether a link is encrypted. (Vol 4, Part E, 7.7.8)
    package struct EncryptionState: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let off = EncryptionState(rawValue: 0x00)
        /// AES-CCM, on an LE link.
        package static let on = EncryptionState(rawValue: 0x01)
        /// Only on classic links.
        package static let onAESCCM = EncryptionState(rawValue: 0x02)

        package static let names: [UInt8: String] = [
            0x00: "off",
            0x01: "on",
            0x02: "on with AES-CCM",
        ]
    }

    /// Which power is asked for. (Vol 4, Part E, 7.3.35)
    package struct PowerLevelKind: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let current = PowerLevelKind(rawValue: 0x00)
        package static let maximum = PowerLevelKind(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "current",
            0x01: "maximum",
        ]
    }

    /// Which of the host's buffers the controller counts. (Vol 4, Part E, 7.3.38)
    package struct HostFlowControl: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let off = HostFlowControl(rawValue: 0x00)
        package static let acl = HostFlowControl(rawValue: 0x01)
        package static let synchronous = HostFlowControl(rawValue: 0x02)
        package static let both = HostFlowControl(rawValue: 0x03)

        package static let names: [UInt8: String] = [
            0x00: "off",
            0x01: "ACL",
            0x02: "synchronous",
            0x03: "both",
        ]
    }

    /// Whether a peer may use its identity address. (Vol 4, Part E, 7.8.77)
    package struct PrivacyMode: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Only private addresses are accepted.
        package static let network = PrivacyMode(rawValue: 0x00)
        /// Both are accepted.
        package static let device = PrivacyMode(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "network",
            0x01: "device",
        ]
    }
    /// With which private key a shared secret is computed. (Vol 4, Part E, 7.8.37)
    package struct KeyPairChoice: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The one that the controller has made.
        package static let own = KeyPairChoice(rawValue: 0x00)
        /// The one that everybody knows.
        package static let debug = KeyPairChoice(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "own",
            0x01: "debug",
        ]
    }
}
