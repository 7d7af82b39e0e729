// SPDX-License-Identifier: Apache-2.0
import BluetoothSMP
import BluetoothTypes

/// The pairing behavior of an accessory and of its simulated user, who consents to every pairing
/// and confirms every comparison.
public struct AccessoryPairing: Hashable, Sendable {
    /// The IO capability.
    public var ioCapability: Pairing.IOCapability

    /// The passkey that the user enters, or `nil` if the user refuses to enter one.
    public var enteredPasskey: UInt32?

    /// Whether the accessory requires protection against a man in the middle.
    public var requiresAuthentication = false

    /// Whether the accessory accepts legacy pairing.
    public var allowsLegacyPairing = false

    /// The maximum encryption key size that the accessory supports, 7 to 16 bytes.
    public var keySize = LinkSecurity.keySizeRange.upperBound

    /// Whether the accessory stores bonds for later connections, and keeps them without power.
    public var isBonding = true

    /// Whether the accessory sends a Security Request to every central as soon as it has connected.
    public var sendsSecurityRequest = false

    /// Creates the behavior of an accessory that stores bonds and pairs only with LE Secure
    /// Connections.
    public init(
        _ ioCapability: Pairing.IOCapability = .noInputNoOutput,
        enteredPasskey: UInt32? = nil
    ) {
        self.ioCapability = ioCapability
        self.enteredPasskey = enteredPasskey
    }

    var policy: Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = ioCapability
        policy.requiresAuthentication = requiresAuthentication
        policy.allowsLegacyPairing = allowsLegacyPairing
        policy.maximumKeySize = keySize
        policy.minimumKeySize = min(keySize, policy.minimumKeySize)
        policy.isBonding = isBonding
        return policy
    }

    /// Returns the user's answer, or `nil` if the question needs none.
    func answer(to question: Pairing.Question) -> Pairing.Answer? {
        switch question {
        case .consent, .confirm: .yes
        case .display: nil
        case .enterPasskey: enteredPasskey.map(Pairing.Answer.passkey) ?? .no
        }
    }
}

extension Pairing.Question {
    /// The six digits that the accessory displays, or `nil` if the question displays none.
    var screen: String? {
        switch self {
        case .confirm(let digits), .display(let digits):
            String(String(1_000_000 + digits).suffix(6))
        case .consent, .enterPasskey: nil
        }
    }
}
