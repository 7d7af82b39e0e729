// SPDX-License-Identifier: Apache-2.0
import JSONReading

extension Scenario {
    /// How an accessory of a scenario pairs, and what it protects.
    public struct Pairing: Hashable, Sendable {
        /// What a device can show and learn, in words of the command line: `display-yes-no`.
        public static let ioCapabilities = [
            "display-only", "display-yes-no", "keyboard-only", "no-input-no-output",
            "keyboard-display",
        ]

        /// What a value can ask of a link.
        public enum Protection: String, Hashable, Sendable, CaseIterable {
            /// Nothing more than the accessory itself asks.
            case nothing
            /// Encryption.
            case encrypted
            /// Encryption with a key that was made with protection against a man in the middle.
            case authenticated
        }

        /// One of `ioCapabilities`.
        public var ioCapability: String
        /// What is entered at the accessory where digits are asked for.
        public var passkey: UInt32?
        /// Whether a man in the middle must have been noticeable.
        public var requiresAuthentication = false
        /// Whether it makes do with legacy pairing.
        public var allowsLegacyPairing = false
        /// The longest key, in octets.
        public var keySize = 16
        /// Whether it keeps bonds.
        public var keepsBonds = true
        /// Whether it asks Centrals to protect the link.
        public var asksForProtection = false
        /// What its values ask of a link.
        public var protection = Protection.encrypted

        /// A pairing with these abilities.
        public init(ioCapability: String) { self.ioCapability = ioCapability }
    }
}

extension JSONNode {
    /// How an accessory pairs.
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
            pairing.keepsBonds = try members["bonds"]?.bool ?? true
            pairing.asksForProtection = try members["asks"]?.bool ?? false
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
            throw error("there are \(JSONNode.list(words)), and no \"\(word)\"")
        }
        return word
    }
}
