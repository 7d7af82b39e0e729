// SPDX-License-Identifier: Apache-2.0

/// The reason why the local device ends a pairing unsuccessfully: `reason` for the peer, and
/// `failure` for the caller.
struct PairingRefusal: Error, Equatable {
    let reason: Pairing.FailureReason
    let failure: Pairing.Failure
    /// The peer's violation of the protocol, or `nil` if there was none.
    let violation: String?

    init(_ reason: Pairing.FailureReason) { self.init(reason, .refused(reason)) }

    private init(
        _ reason: Pairing.FailureReason,
        _ failure: Pairing.Failure,
        violation: String? = nil
    ) {
        self.reason = reason
        self.failure = failure
        self.violation = violation
    }

    /// Returns the refusal for a user who declined.
    static func declined(_ reason: Pairing.FailureReason) -> PairingRefusal {
        PairingRefusal(reason, .declined)
    }

    /// Returns the refusal for a caller that canceled the pairing.
    static func cancelled(_ reason: Pairing.FailureReason) -> PairingRefusal {
        PairingRefusal(reason, .cancelled)
    }

    /// The refusal because the controller could not encrypt the link, or the encryption ended.
    static let notEncrypted = PairingRefusal(.unspecified, .notEncrypted)

    /// The refusal because the peer sent more PDUs than any pairing needs.
    static let endless = PairingRefusal(
        .unspecified,
        .refused(.unspecified),
        violation: "too many PDUs"
    )

    /// Returns the refusal of an unexpected PDU. The reason is Command Not Supported if a device in
    /// the sender's role never sends the PDU. Otherwise, it is Unspecified Reason, because the
    /// specification has no reason for a PDU at the wrong time.
    static func unexpected(_ pdu: SMP.PDU, isCentral: Bool) -> PairingRefusal {
        let reason: Pairing.FailureReason =
            pdu.isUnsupported(byCentral: isCentral) ? .commandNotSupported : .unspecified
        return PairingRefusal(reason, .refused(reason), violation: "unexpected \(pdu.code)")
    }
}

extension SMP.PDU {
    /// Returns whether a device in this role never accepts the PDU.
    func isUnsupported(byCentral isCentral: Bool) -> Bool {
        switch self {
        case .pairingRequest: isCentral
        case .pairingResponse, .securityRequest: !isCentral
        default: false
        }
    }
}
