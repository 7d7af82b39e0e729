// SPDX-License-Identifier: Apache-2.0

/// Why a pairing ends before it is done: what the peer is told, and what the caller.
struct Refusal: Error, Equatable {
    let reason: Pairing.FailureReason
    let failure: Pairing.Failure
    /// What the peer did that it must not do in any pairing.
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

    /// A person said no.
    static func declined(_ reason: Pairing.FailureReason) -> Refusal { Refusal(reason, .declined) }

    /// The caller has lost interest.
    static func cancelled(_ reason: Pairing.FailureReason) -> Refusal {
        Refusal(reason, .cancelled)
    }

    /// The controller could not encrypt, or the link is encrypted no more.
    static let notEncrypted = Refusal(.unspecified, .notEncrypted)

    /// The peer has more to say than any pairing takes.
    static let endless = Refusal(.unspecified, .refused(.unspecified), violation: "endless pairing")

    /// A PDU that has its time, but not now, or that is for the other role to send. The specification
    /// has no reason of its own for it.
    static func unexpected(_ pdu: SMP.PDU, isCentral: Bool) -> Refusal {
        let reason: Pairing.FailureReason =
            pdu.isUnsupported(byCentral: isCentral) ? .commandNotSupported : .unspecified
        return Refusal(reason, .refused(reason), violation: "unexpected \(pdu.code)")
    }
}

extension SMP.PDU {
    /// Whether it means nothing to a device in this role, whatever has come before.
    func isUnsupported(byCentral isCentral: Bool) -> Bool {
        switch self {
        case .pairingRequest: isCentral
        case .pairingResponse, .securityRequest: !isCentral
        default: false
        }
    }
}
