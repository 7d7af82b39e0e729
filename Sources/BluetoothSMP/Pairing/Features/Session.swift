// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The values that stay the same during a pairing, from the exchange of the features to the end.
struct Session: Sendable {
    let context: SecurityManager.Context
    let policy: Pairing.Policy
    let request: SMP.PairingFeatures
    let response: SMP.PairingFeatures
    let terms: Terms

    /// Creates a session.
    ///
    /// - Throws: ``PairingRefusal`` if the peer's features are not acceptable, or if the policy
    ///   does not allow the result.
    init(
        _ context: SecurityManager.Context,
        _ policy: Pairing.Policy,
        replacing bond: LinkSecurity?,
        request: SMP.PairingFeatures,
        response: SMP.PairingFeatures
    ) throws(PairingRefusal) {
        self.context = context
        self.policy = policy
        self.request = request
        self.response = response
        terms = try Terms(request: request, response: response, isInitiator: context.isCentral)
        try policy.check(terms, replacing: bond)
        let peer = context.isCentral ? response : request
        // A peer that claims to have local out-of-band data must have received it from this device.
        if terms.usesSecureConnections, peer.hasOutOfBandData == true, policy.localRandom == nil {
            throw PairingRefusal(.outOfBandDataNotAvailable)
        }
    }

    /// Whether the local device is the initiator. The central initiates, and the peripheral
    /// responds (Vol 3, Part H, 2.1).
    var isInitiator: Bool { context.isCentral }

    var initiator: DeviceAddress { isInitiator ? context.localAddress : context.peerAddress }

    var responder: DeviceAddress { isInitiator ? context.peerAddress : context.localAddress }

    var ownFeatures: SMP.PairingFeatures { isInitiator ? request : response }

    var peerFeatures: SMP.PairingFeatures { isInitiator ? response : request }

    /// Returns the first step after the terms are known.
    ///
    /// - Parameter asksConsent: Whether the user is asked for consent first, if the method is Just
    ///   Works. With `Pairing.Consent.always`, this value has no effect: legacy pairing asks first,
    ///   and LE Secure Connections asks in a later step.
    func begin(
        asksConsent: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        let asksConsent =
            policy.consent == .always ? !terms.usesSecureConnections : asksConsent
        if asksConsent, terms.method == .justWorks {
            return PairingStep(.awaitingConsent(AwaitingConsent(pairing: self)), .ask(.consent))
        }
        return try beginPhase2(using: &generator)
    }

    func beginPhase2(using generator: inout some RandomNumberGenerator) throws(PairingRefusal)
        -> PairingStep
    {
        let step =
            terms.usesSecureConnections
            ? try AwaitingPublicKey.begin(self, using: &generator)
            : try LegacyExchange.begin(self, using: &generator)
        return isInitiator ? step : step.after([.send(.pairingResponse(response))])
    }
}
