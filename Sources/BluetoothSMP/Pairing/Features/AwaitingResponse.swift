// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The phase after the central has sent a Pairing Request.
struct AwaitingResponse: PairingPhase {
    let context: SecurityManager.Context
    let policy: Pairing.Policy
    let bond: LinkSecurity?
    /// Whether to ask the user for consent if the method is Just Works.
    let asksConsent: Bool
    let request: SMP.PairingFeatures

    static func begin(
        _ context: SecurityManager.Context,
        _ policy: Pairing.Policy,
        _ bond: LinkSecurity?,
        _ asksConsent: Bool
    ) -> PairingStep {
        let phase = AwaitingResponse(
            context: context,
            policy: policy,
            bond: bond,
            asksConsent: asksConsent,
            request: policy.request
        )
        return PairingStep(.awaitingResponse(phase), .send(.pairingRequest(phase.request)))
    }

    var isCentral: Bool { context.isCentral }

    var session: Session? { nil }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard case .pairingResponse(let response) = pdu else { throw unexpected(pdu) }
        let session = try Session(
            context,
            policy,
            replacing: bond,
            request: request,
            response: response
        )
        return try session.begin(asksConsent: asksConsent, using: &generator)
    }
}
