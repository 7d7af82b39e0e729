// SPDX-License-Identifier: Apache-2.0

/// Where a pairing stands: what is awaited, with what is known by then and nothing else. Who has not
/// got this far cannot have it, so a step cannot be left out.
enum PairingState: Sendable {
    // Phase 1: what both can do, and want.
    case awaitingRequest(AwaitingRequest)
    case awaitingResponse(AwaitingResponse)
    case awaitingConsent(AwaitingConsent)

    // Phase 2 of either kind.
    case enteringPasskey(EnteringPasskey)

    // Phase 2 by LE Secure Connections.
    case awaitingPublicKey(AwaitingPublicKey)
    case awaitingCommitment(AwaitingCommitment)
    case awaitingNonce(AwaitingNonce)
    case comparingNumbers(ComparingNumbers)
    case passkeyRounds(PasskeyRounds)
    case awaitingCheck(AwaitingCheck)

    // Phase 2 by legacy pairing.
    case awaitingConfirm(AwaitingConfirm)
    case awaitingRandom(AwaitingRandom)

    // Phase 3: encryption, and the keys that are handed over under it.
    case awaitingEncryption(AwaitingEncryption)
    case awaitingKeys(AwaitingKeys)

    /// What the case holds, which knows what to do.
    var phase: any PairingPhase {
        switch self {
        case .awaitingRequest(let phase): phase
        case .awaitingResponse(let phase): phase
        case .awaitingConsent(let phase): phase
        case .enteringPasskey(let phase): phase
        case .awaitingPublicKey(let phase): phase
        case .awaitingCommitment(let phase): phase
        case .awaitingNonce(let phase): phase
        case .comparingNumbers(let phase): phase
        case .passkeyRounds(let phase): phase
        case .awaitingCheck(let phase): phase
        case .awaitingConfirm(let phase): phase
        case .awaitingRandom(let phase): phase
        case .awaitingEncryption(let phase): phase
        case .awaitingKeys(let phase): phase
        }
    }
}

/// What comes of an event: where the pairing stands then, nil if it is over; and what is to be done.
struct Step: Sendable {
    let state: PairingState?
    let actions: [SecurityManager.Action]

    init(_ state: PairingState?, _ actions: SecurityManager.Action...) {
        self.init(state, actions)
    }

    init(_ state: PairingState?, _ actions: [SecurityManager.Action]) {
        self.state = state
        self.actions = actions
    }

    /// The same, after something else was done.
    func after(_ earlier: [SecurityManager.Action]) -> Step { Step(state, earlier + actions) }
}
