// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A pairing whose terms are clear: what does not change any more until it is over.
struct Session: Sendable {
    let context: SecurityManager.Context
    let policy: Pairing.Policy
    let request: SMP.PairingFeatures
    let response: SMP.PairingFeatures
    let terms: Terms

    /// Throws if the peer's features cannot be accepted, or lead to what the policy does not allow.
    init(
        _ context: SecurityManager.Context,
        _ policy: Pairing.Policy,
        replacing bond: LinkSecurity?,
        request: SMP.PairingFeatures,
        response: SMP.PairingFeatures
    ) throws(Refusal) {
        self.context = context
        self.policy = policy
        self.request = request
        self.response = response
        terms = try Terms(request: request, response: response, isInitiator: context.isCentral)
        try policy.judge(terms, replacing: bond)
        let peer = context.isCentral ? response : request
        // A peer that has heard from us out of band must have heard it from us.
        if terms.usesSecureConnections, peer.hasOutOfBandData == true, policy.localRandom == nil {
            throw Refusal(.outOfBandDataNotAvailable)
        }
    }

    /// The Central initiates, the Peripheral responds (Vol 3, Part H, 2.1).
    var isInitiator: Bool { context.isCentral }

    var initiator: DeviceAddress { isInitiator ? context.localAddress : context.peerAddress }

    var responder: DeviceAddress { isInitiator ? context.peerAddress : context.localAddress }

    var ownFeatures: SMP.PairingFeatures { isInitiator ? request : response }

    var peerFeatures: SMP.PairingFeatures { isInitiator ? response : request }

    /// Goes on where the terms are clear.
    ///
    /// - Parameter asksConsent: whether it was the peer's idea. Then a person has to agree, if
    ///   nothing that comes later would show it.
    func begin(
        asksConsent: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        if asksConsent, terms.method == .justWorks {
            return Step(.awaitingConsent(AwaitingConsent(pairing: self)), .ask(.consent))
        }
        return try beginPhase2(using: &generator)
    }

    func beginPhase2(using generator: inout some RandomNumberGenerator) throws(Refusal) -> Step {
        let step =
            terms.usesSecureConnections
            ? try AwaitingPublicKey.begin(self, using: &generator)
            : try LegacyExchange.begin(self, using: &generator)
        return isInitiator ? step : step.after([.send(.pairingResponse(response))])
    }
}
