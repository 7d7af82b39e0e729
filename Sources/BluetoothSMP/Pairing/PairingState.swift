// SPDX-License-Identifier: Apache-2.0

/// The state of a pairing, named after the awaited event. A later state cannot be created without
/// the results of the earlier ones, so no step can be skipped.
enum PairingState: Sendable {
    // Phase 1: capabilities and requirements.
    case awaitingRequest(AwaitingRequest)
    case awaitingResponse(AwaitingResponse)
    case awaitingConsent(AwaitingConsent)

    // Phase 2, either kind of pairing.
    case enteringPasskey(EnteringPasskey)

    // Phase 2, LE Secure Connections.
    case awaitingPublicKey(AwaitingPublicKey)
    case awaitingCommitment(AwaitingCommitment)
    case awaitingNonce(AwaitingNonce)
    case comparingNumbers(ComparingNumbers)
    case passkeyRounds(PasskeyRounds)
    case awaitingCheck(AwaitingCheck)

    // Phase 2, legacy pairing.
    case awaitingConfirm(AwaitingConfirm)
    case awaitingRandom(AwaitingRandom)

    // Phase 3: encryption, and the distribution of keys.
    case awaitingEncryption(AwaitingEncryption)
    case awaitingKeys(AwaitingKeys)

    /// The value of the case, which processes the events.
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

/// The result of an event: the new state, or `nil` if the pairing has ended, and the actions.
struct PairingStep: Sendable {
    let state: PairingState?
    let actions: [SecurityManager.Action]

    init(_ state: PairingState?, _ actions: SecurityManager.Action...) {
        self.init(state, actions)
    }

    init(_ state: PairingState?, _ actions: [SecurityManager.Action]) {
        self.state = state
        self.actions = actions
    }

    /// Returns this step with other actions before its own.
    func after(_ earlier: [SecurityManager.Action]) -> PairingStep {
        PairingStep(state, earlier + actions)
    }
}
