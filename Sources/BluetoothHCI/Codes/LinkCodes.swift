// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The role of the local device on a link (Vol 4, Part E, 7.7.65.1).
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

    /// The preferred coding on the LE Coded PHY (Vol 4, Part E, 7.8.49).
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

    /// The state of a link's encryption (Vol 4, Part E, 7.7.8).
    package struct EncryptionState: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let off = EncryptionState(rawValue: 0x00)
        /// Encrypted. An LE link then uses AES-CCM.
        package static let on = EncryptionState(rawValue: 0x01)
        /// Encrypted with AES-CCM on a BR/EDR link. LE links do not use this value.
        package static let onAESCCM = EncryptionState(rawValue: 0x02)

        package static let names: [UInt8: String] = [
            0x00: "off",
            0x01: "on",
            0x02: "on with AES-CCM",
        ]
    }

    /// The transmit power that a command reads: current or maximum (Vol 4, Part E, 7.3.35).
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

    /// The host buffers for which flow control is on (Vol 4, Part E, 7.3.38).
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

    /// The privacy mode for a peer, which states whether the peer may use its identity address (Vol
    /// 4, Part E, 7.8.77).
    package struct PrivacyMode: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The controller accepts only private addresses of the peer.
        package static let network = PrivacyMode(rawValue: 0x00)
        /// The controller accepts private addresses and the identity address of the peer.
        package static let device = PrivacyMode(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "network",
            0x01: "device",
        ]
    }
    /// The private key with which the controller computes a shared secret (Vol 4, Part E, 7.8.37).
    package struct KeyPairChoice: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The key that the controller generated.
        package static let own = KeyPairChoice(rawValue: 0x00)
        /// The debug key that the specification publishes.
        package static let debug = KeyPairChoice(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "own",
            0x01: "debug",
        ]
    }
}
