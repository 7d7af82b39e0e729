// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// A violation of the pairing protocol by an attacker, and the expected reaction of our host.
struct Attack: Sendable {
    let name: String
    /// The roles of our host in which the attack is tested.
    let roles: [LinkRole]
    let plan: Attacker.Plan
    /// The outcome that the attacker must get.
    let answer: Attacker.Outcome

    /// Returns whether an outcome shows that our host refuses the attack. On a link that is
    /// encrypted already, our host may also end the link before the reason is sent.
    func isRefused(by outcome: Attacker.Outcome) -> Bool {
        outcome == answer || isInPhase3 && outcome == .ended
    }

    private var isInPhase3: Bool {
        let steps = [Attacker.Step.encryption, .resolving]
        return plan.identity != nil
            || steps.contains { plan.forged[$0] != nil || plan.before[$0] != nil }
    }

    private init(
        _ name: String,
        on roles: [LinkRole] = [.central, .peripheral],
        _ answer: Attacker.Outcome,
        _ change: (inout Attacker.Plan) -> Void
    ) {
        self.name = name
        self.roles = roles
        self.answer = answer
        var plan = Attacker.Plan()
        change(&plan)
        self.plan = plan
    }

    static func all(on role: LinkRole) -> [Attack] {
        (publicKeys + reflectedKeys + features + values + passkeys + legacy + order + keys)
            .filter { $0.roles.contains(role) }
    }

    /// Whether the attacker sends a forged public key. If the key has the right length, the trace
    /// must contain it and our host's answer. A key that our host used in an earlier pairing does
    /// not count.
    var forgesPublicKey: Bool {
        plan.forged[.publicKey].map { $0 != .earlierKey } ?? false
    }
}

// MARK: - Phase 2

extension Attack {
    /// Public keys that are invalid or have a known private key (CVE-2018-5383;
    /// SM/PER/KDU/BI-04-C).
    private static let publicKeys: [Attack] = [
        publicKey("a point off the curve", .offCurve),
        publicKey("a point of the twist", .onTwist),
        publicKey("a key of zeros", .zeroKey),
        publicKey("an abscissa of zero", .zeroAbscissa),
        publicKey("an abscissa beyond the field", .largeAbscissa),
        publicKey("an ordinate beyond the field", .largeOrdinate),
        publicKey("the specification's debug key", .printedKey, .authenticationRequirements),
        publicKey("a truncated key", .short, .invalidParameters),
        publicKey("a key that is too long", .long, .invalidParameters),
    ]

    /// Only an attacker that responds receives our key before it sends its own (CVE-2020-26558).
    private static let reflectedKeys: [Attack] = [
        publicKey("our own key", .reflected, on: [.central]),
        publicKey("our own key, the other ordinate", .negated, on: [.central]),
    ]

    private static func publicKey(
        _ name: String,
        _ forgery: Attacker.Forgery,
        _ reason: Pairing.FailureReason = .dhKeyCheckFailed,
        on roles: [LinkRole] = [.central, .peripheral]
    ) -> Attack {
        Attack(name, on: roles, .refused(reason)) { $0.forged = [.publicKey: forgery] }
    }

    private static let values: [Attack] = [
        Attack("a wrong commitment", on: [.central], .refused(.confirmValueFailed)) {
            $0.forged = [.confirm: .wrong]
        },
        Attack("a wrong number", on: [.central], .refused(.confirmValueFailed)) {
            $0.forged = [.random: .wrong]
        },
        Attack("our own number", on: [.central], .refused(.confirmValueFailed)) {
            $0.forged = [.random: .echoed]
        },
        Attack("a wrong check", .refused(.dhKeyCheckFailed)) { $0.forged = [.check: .wrong] },
        Attack("a check of zeros", .refused(.dhKeyCheckFailed)) { $0.forged = [.check: .zero] },
        Attack("our own check", on: [.central], .refused(.dhKeyCheckFailed)) {
            $0.forged = [.check: .echoed]
        },
        // CVE-2020-13593: the key is requested before the check was received.
        Attack("no check", on: [.peripheral], .notEncrypted(0x06)) { $0.forged = [.check: .none] },
        // Our key of an earlier pairing.
        publicKey("our key of the last pairing", .earlierKey),
        Attack("a truncated check", .refused(.invalidParameters)) {
            $0.forged = [.check: .short]
        },
    ]

    private static let passkeys: [Attack] = [
        passkey("our own commitments to the passkey", .confirm, .echoed, on: [.central]),
        passkey("our own numbers for the passkey", .random, .echoed, on: [.central]),
        passkey("a wrong commitment to the passkey", .confirm, .wrong),
        passkey("a wrong number for the passkey", .random, .wrong),
        Attack("a passkey that was guessed", .refused(.confirmValueFailed)) {
            $0.io = .keyboardOnly
            $0.wantsProtection = true
            $0.passkey = 111_111
        },
    ]

    /// Makes the attacker display the passkey, so that the attacker knows the passkey.
    private static func passkey(
        _ name: String,
        _ step: Attacker.Step,
        _ forgery: Attacker.Forgery,
        on roles: [LinkRole] = [.central, .peripheral]
    ) -> Attack {
        Attack(name, on: roles, .refused(.confirmValueFailed)) {
            $0.io = .displayOnly
            $0.wantsProtection = true
            $0.passkey = HostilePeerHarness.passkey
            $0.forged = [step: forgery]
        }
    }
}

// MARK: - Phase 1, legacy pairing

extension Attack {
    private static let features: [Attack] = [
        size("a key size of 6", 6, .invalidParameters),
        size("a key size of 7", 7, .encryptionKeySize),
        size("a key size of 15", 15, .encryptionKeySize),
        size("a key size of 17", 17, .invalidParameters),
        size("a key size of 255", 255, .invalidParameters),
        Attack("truncated features", on: [.peripheral], .refused(.invalidParameters)) {
            $0.forged = [.request: .short]
        },
        Attack("truncated features", on: [.central], .refused(.invalidParameters)) {
            $0.forged = [.response: .short]
        },
    ]

    private static func size(
        _ name: String,
        _ bytes: Int,
        _ reason: Pairing.FailureReason
    ) -> Attack {
        Attack(name, .refused(reason)) { $0.keySize = bytes }
    }

    private static let legacy: [Attack] = [
        Attack("legacy: a wrong commitment", .refused(.confirmValueFailed)) {
            $0.usesSecureConnections = false
            $0.forged = [.confirm: .wrong]
        },
        Attack("legacy: our own commitment", on: [.central], .refused(.confirmValueFailed)) {
            $0.usesSecureConnections = false
            $0.forged = [.confirm: .echoed, .random: .echoed]
        },
        Attack("legacy: the number before the commitment", .refused(.unspecified)) {
            $0.usesSecureConnections = false
            $0.before = [.confirm: [random]]
        },
        Attack("legacy: a public key", .refused(.unspecified)) {
            $0.usesSecureConnections = false
            $0.before = [.confirm: [publicKey]]
        },
        Attack("legacy: a long-term key of zeros", .refused(.keyRejected)) {
            $0.usesSecureConnections = false
            $0.forged = [.encryption: .zero]
        },
    ]
}

// MARK: - Order of PDUs, Phase 3

extension Attack {
    private static let zeros = [UInt8](repeating: 0, count: 16)
    private static let random: [UInt8] = [0x04] + zeros
    private static let publicKey: [UInt8] = [0x0C] + zeros + zeros + zeros + zeros
    private static let resolvingKey: [UInt8] = [0x08] + (1...16)
    private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 16, 0x03, 0x03]
    private static let response: [UInt8] = [0x02, 0x03, 0x00, 0x09, 16, 0x03, 0x03]

    private static let order: [Attack] = [
        Attack("the public key twice", .refused(.unspecified)) {
            $0.after = [.publicKey: [publicKey]]
        },
        Attack("a number before the public key", .refused(.unspecified)) {
            $0.before = [.publicKey: [random]]
        },
        Attack("a check before its time", .refused(.unspecified)) {
            $0.before = [.random: [[0x0D] + zeros]]
        },
        Attack("a second request", on: [.peripheral], .refused(.unspecified)) {
            $0.after = [.request: [request]]
        },
        Attack("a second response", on: [.central], .refused(.unspecified)) {
            $0.after = [.response: [response]]
        },
        Attack("a request from the responder", on: [.central], .refused(.commandNotSupported)) {
            $0.before = [.response: [request]]
        },
        Attack("a response from the initiator", on: [.peripheral], .refused(.commandNotSupported)) {
            $0.after = [.request: [response]]
        },
        Attack("keys before encryption", .refused(.unspecified)) {
            $0.before = [.random: [resolvingKey]]
        },
    ]

    private static let keys: [Attack] = [
        Attack("a signing key that was not agreed on", .refused(.unspecified)) {
            $0.before = [.resolving: [[0x0A] + zeros]]
        },
        Attack("our own identity", .refused(.invalidParameters)) {
            $0.identity = PairingPeripheral.address
        },
        Attack("an identity that changes", .refused(.invalidParameters)) {
            $0.identity = DeviceAddress(value: 0x4011_2233_4455, kind: .random)
        },
        Attack("no key to encrypt with", on: [.central], .refused(.unspecified)) {
            $0.encrypts = "never"
        },
        // The controllers detect it: the message integrity check fails.
        Attack("a wrong key to encrypt with", .ended) { $0.encrypts = "wrong" },
    ]
}
