// SPDX-License-Identifier: Apache-2.0
import JSONText

extension Scenario {
    /// The pairing of an accessory in a scenario, and the protection of its values.
    public struct Pairing: Hashable, Sendable {
        /// The IO capabilities, in the words of the command line, for example `display-yes-no`.
        public static let ioCapabilities = [
            "display-only", "display-yes-no", "keyboard-only", "no-input-no-output",
            "keyboard-display",
        ]

        /// The security that values require of a link.
        public enum Protection: String, Hashable, Sendable, CaseIterable {
            /// Only the requirements of the accessory's own profile.
            case nothing
            /// Encryption.
            case encrypted
            /// Encryption with a key that is protected against a man in the middle.
            case authenticated
        }

        /// The IO capability, one of `ioCapabilities`.
        public var ioCapability: String
        /// The passkey that is entered at the accessory; `nil` for none.
        public var passkey: UInt32?
        /// Whether pairing requires protection against a man in the middle.
        public var requiresAuthentication = false
        /// Whether the accessory accepts legacy pairing.
        public var allowsLegacyPairing = false
        /// The maximum encryption key size, in bytes.
        public var keySize = 16
        /// Whether the accessory stores bonds.
        public var isBonding = true
        /// Whether the accessory sends a Security Request to centrals.
        public var sendsSecurityRequest = false
        /// The security that the values require of a link.
        public var protection = Protection.encrypted

        /// Creates a pairing with this IO capability.
        public init(ioCapability: String) { self.ioCapability = ioCapability }
    }
}

extension JSONNode {
    /// The value as the pairing of an accessory.
    var pairing: Scenario.Pairing {
        get throws(JSONError) {
            let members = try members(
                "io",
                "passkey",
                "authenticated",
                "legacy",
                "keySize",
                "bonds",
                "asks",
                "protects"
            )
            let io = try members.require("io").word(of: Scenario.Pairing.ioCapabilities)
            var pairing = Scenario.Pairing(ioCapability: io)
            if let node = members["passkey"] {
                pairing.passkey = UInt32(try node.wholeNumber(in: 0...999_999))
            }
            pairing.requiresAuthentication = try members["authenticated"]?.bool ?? false
            pairing.allowsLegacyPairing = try members["legacy"]?.bool ?? false
            if let node = members["keySize"] {
                pairing.keySize = Int(try node.wholeNumber(in: 7...16))
            }
            pairing.isBonding = try members["bonds"]?.bool ?? true
            pairing.sendsSecurityRequest = try members["asks"]?.bool ?? false
            if let node = members["protects"] {
                let words = Scenario.Pairing.Protection.allCases.map(\.rawValue)
                let word = try node.word(of: words)
                pairing.protection = .init(rawValue: word) ?? .encrypted
            }
            return pairing
        }
    }

    private func word(of words: [String]) throws(JSONError) -> String {
        let word = try text
        guard words.contains(word) else {
            throw error("one of \(JSONNode.list(words)) should be here")
        }
        return word
    }
}
