// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// One pairing of our host with a companion: the capabilities of both sides, and the expected
/// result.
struct PairingCase: Sendable {
    enum Generation: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case secureConnections = "LE Secure Connections"
        case legacy = "LE legacy pairing"

        var testDescription: String { rawValue }
    }

    /// The side that asks for protection against a man in the middle.
    enum Protection: String, CaseIterable, Sendable {
        case neither = "neither side asks for authentication"
        case ours = "our side asks for authentication"
        case theirs = "the peer asks for authentication"
        case required = "both sides ask, and our side requires it"
    }

    let role: LinkRole
    let generation: Generation
    let protection: Protection
    let ours: Pairing.IOCapability
    let theirs: Pairing.IOCapability
    /// The passkey that the companion displays or that both users enter.
    let passkey: UInt32

    /// The pairing policy of our host.
    var policy: Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = ours
        policy.allowsLegacyPairing = generation == .legacy
        policy.prefersAuthentication = protection == .ours || protection == .required
        policy.requiresAuthentication = protection == .required
        return policy
    }

    var plan: Companion.Plan {
        var plan = Companion.Plan()
        plan.io = theirs
        plan.usesSecureConnections = generation == .secureConnections
        plan.wantsProtection = protection == .theirs || protection == .required
        plan.shows = passkey
        plan.enters = expected == .bothEnter ? passkey : nil
        return plan
    }

    /// Returns the behavior of the user of our host.
    func behavior(telling companion: Companion) -> Person.Behavior {
        var behavior = Person.Behavior()
        behavior.enters = passkey
        if expected != .bothEnter { behavior.tells = { companion.enter($0) } }
        return behavior
    }

    var expected: PairingTable.Cell {
        PairingTable.expected(
            initiator: role == .central ? ours : theirs,
            responder: role == .central ? theirs : ours,
            usesSecureConnections: generation == .secureConnections,
            isProtected: protection != .neither,
            isRequired: protection == .required
        )
    }

    /// The security that the link must reach.
    var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true,
            isAuthenticated: expected != .justWorks,
            usesSecureConnections: generation == .secureConnections,
            keySize: 16,
            isBonded: true
        )
    }
}

/// The results of a pairing on both sides.
struct PairingReport: Sendable {
    /// Our host's result.
    let result: Result<LinkSecurity, any Error>
    /// The companion's result.
    let outcome: Companion.Outcome
    /// The questions and numbers that the user of our host has seen.
    let experiences: [Person.Experience]
    /// Whether a value that requires encryption could be read.
    let isReadable: Bool

    /// Returns the result on which both sides agree, or `.wrong`.
    func cell(role: LinkRole) -> PairingTable.Cell {
        switch (result, outcome) {
        case (.failure(let error), _) where error.isAuthenticationRequirements && isRefused:
            .refused
        case (.success, .paired(let facts)) where isReadable: cell(facts, role)
        default: .wrong
        }
    }

    /// Whether the companion received the reason for the refusal, or received no pairing request
    /// because our host does not start a pairing that cannot meet its requirements.
    private var isRefused: Bool {
        outcome == .failed(.authenticationRequirements, byPeer: true) || outcome == .ended
    }

    private func cell(_ facts: Companion.Facts, _ role: LinkRole) -> PairingTable.Cell {
        let isInitiator = role == .central
        switch (facts.method, experiences.filter { $0 != .consented }.first) {
        case ("JUST_WORKS", nil): return .justWorks
        case ("NUMERIC_COMPARISON", .compared(let number)) where facts.compared == number:
            return .numericComparison
        case ("PASSKEY", .shown(let number)) where facts.entered == number:
            return isInitiator ? .initiatorShows : .responderShows
        case ("PASSKEY", .entered(let number)) where facts.displayed == number:
            return isInitiator ? .responderShows : .initiatorShows
        case ("PASSKEY", .entered(let number)) where facts.entered == number: return .bothEnter
        default: return .wrong
        }
    }
}

extension Error {
    fileprivate var isAuthenticationRequirements: Bool {
        self as? Pairing.Failure == .refused(.authenticationRequirements)
    }
}
