// SPDX-License-Identifier: Apache-2.0
import BluetoothSMP
import BluetoothTypes

/// How an accessory pairs, and what its person does about it: who stands in front of it wants it to
/// be paired, and says yes to whatever it asks.
public struct AccessoryPairing: Hashable, Sendable {
    /// What it can show, and what can be entered.
    public var ioCapability: Pairing.IOCapability

    /// What the person enters where digits are asked for; nil for nothing, and then pairing fails.
    public var enteredPasskey: UInt32?

    /// Whether it takes a key only if a man in the middle would have been noticed.
    public var requiresAuthentication = false

    /// Whether it makes do with legacy pairing.
    public var allowsLegacyPairing = false

    /// The longest key that it can use, 7 to 16 octets.
    public var keySize = LinkSecurity.keySizeRange.upperBound

    /// Whether it keeps keys for later connections; over a loss of power too.
    public var keepsBonds = true

    /// Whether it asks every Central to protect the link, as soon as that has connected.
    public var asksForProtection = false

    /// An accessory that keeps bonds, and pairs by LE Secure Connections only.
    public init(
        _ ioCapability: Pairing.IOCapability = .noInputNoOutput,
        enteredPasskey: UInt32? = nil
    ) {
        self.ioCapability = ioCapability
        self.enteredPasskey = enteredPasskey
    }

    /// What its pairings may come to.
    var policy: Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = ioCapability
        policy.requiresAuthentication = requiresAuthentication
        policy.allowsLegacyPairing = allowsLegacyPairing
        policy.maximumKeySize = keySize
        policy.minimumKeySize = min(keySize, policy.minimumKeySize)
        policy.isBonding = keepsBonds
        return policy
    }

    /// What the person answers.
    func answer(to question: Pairing.Question) -> Pairing.Answer? {
        switch question {
        case .consent, .confirm: .yes
        case .display: nil
        case .enterPasskey: enteredPasskey.map(Pairing.Answer.passkey) ?? .no
        }
    }
}

extension Pairing.Question {
    /// What a screen shows of it: six digits, or nothing.
    var screen: String? {
        switch self {
        case .confirm(let digits), .display(let digits):
            String(String(1_000_000 + digits).suffix(6))
        case .consent, .enterPasskey: nil
        }
    }
}
