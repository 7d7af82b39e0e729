// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

/// A request that the peer refused because the link lacks protection, and that the host will
/// repeat.
struct RefusedRequest: Sendable {
    let id: RequestIdentifier
    let request: DeferredRequest
    let refusal: SecurityRefusal.Answer
}

// Security on demand: if the peer refuses a request because the link is not protected well enough,
// the host protects the link and repeats the request, and the application gets one result (Vol 3,
// Part C, 10.3.2).
//
// A refused request waits in `refused` while `secure` protects the link. The key in `refused` is
// the number of this operation of the host. Requests that wait at the same time share one pairing.
// A request is repeated once, and the host's own requests are never repeated. If the pairing fails,
// the application gets the error of the pairing together with the peer's refusal. If the link ends,
// or cannot be secured for a reason other than a failed pairing, the application gets that error
// alone.
extension LinkCore {
    /// Starts an operation of the application.
    mutating func start(
        _ operation: GATT.Operation,
        isRepeatedWhenSecured: Bool,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        if isRepeatedWhenSecured, operation.isAnswered {
            let repetition = LinkRequest.gatt(operation, securesOnDemand: false)
            noteRepeatable(.request(repetition), id, context)
        }
        start(operation, id: id.rawValue, &context)
    }

    /// Stores a request until it has been answered, in case it must be repeated.
    mutating func noteRepeatable(
        _ request: DeferredRequest,
        _ id: RequestIdentifier,
        _ context: LinkContext
    ) {
        guard context.configuration.securesOnDemand else { return }
        repeatable[id.rawValue] = request
    }

    /// Handles the answer to a request. Returns whether the host will repeat the request, because
    /// the peer refused it for lack of protection and the host can improve that. The request then
    /// has no result yet.
    mutating func repeatsWhenSecured(
        _ id: UInt64,
        _ refusal: SecurityRefusal.Answer?,
        _ context: inout LinkContext
    ) -> Bool {
        guard !repeatable.isEmpty, let request = repeatable.removeValue(forKey: id), let refusal,
            let shortfall = refusal.shortfall, let policy = policy(for: shortfall, context)
        else { return false }
        let operation = context.takeOperation()
        refused[operation] = RefusedRequest(
            id: RequestIdentifier(rawValue: id),
            request: request,
            refusal: refusal
        )
        secure(for: policy, id: operation, &context)
        return true
    }

    /// Returns the pairing policy that provides the missing protection, or `nil` if the host cannot
    /// or may not provide it.
    private func policy(
        for shortfall: SecurityRequirement.Shortfall,
        _ context: LinkContext
    ) -> Pairing.Policy? {
        var policy = context.configuration.pairing
        switch shortfall {
        case .encryption where security.isEncrypted, .authorization: return nil
        case .encryption: break
        case .authentication where !security.isEncrypted: break
        case .authentication where security.isAuthenticated: return nil
        case .authentication: policy.requiresAuthentication = true
        case .keySize where !security.isEncrypted: break
        case .keySize:
            let longest = LinkSecurity.keySizeRange.upperBound
            guard security.keySize < longest else { return nil }
            (policy.minimumKeySize, policy.maximumKeySize) = (longest, longest)
        }
        // Without a delegate, the host does not pair, and the refusal is the result.
        let isBondEnough = bond != nil && !security.isEncrypted
        return isBondEnough || context.configuration.pairingDelegate != nil ? policy : nil
    }

    /// Repeats a refused request, or fails it if the link could not be secured.
    mutating func secured(
        _ operation: UInt64,
        _ result: Result<LinkSecurity, any Error>,
        _ context: inout LinkContext
    ) {
        guard let refused = refused.removeValue(forKey: operation) else { return }
        if case .failure(let error) = result {
            return context.fail(refused.id, refused.refusal.remaining(after: error))
        }
        request(refused.request, id: refused.id, &context)
        // A request is repeated once.
        repeatable[refused.id.rawValue] = nil
    }

    /// Removes a request that was canceled. Returns the operation that was to secure the link for
    /// it.
    mutating func forgetRefused(_ id: RequestIdentifier) -> UInt64? {
        repeatable[id.rawValue] = nil
        let operation = refused.first { $0.value.id == id }?.key
        if let operation { refused[operation] = nil }
        return operation
    }
}

extension GATT.Operation {
    /// Whether the peer answers the operation, and so can refuse it.
    fileprivate var isAnswered: Bool {
        switch self {
        case .writeWithoutResponse, .signedWriteWithoutResponse: false
        default: true
        }
    }
}

extension Result<GATT.Outcome, GATT.Failure> {
    /// The peer's refusal, or `nil` if the peer did not refuse.
    var refusal: SecurityRefusal.Answer? {
        guard case .failure(.attribute(let code, let handle)) = self else { return nil }
        return .attribute(code, handle: handle)
    }
}

extension L2CAP.Failure {
    /// The peer's refusal, or `nil` if the peer did not refuse.
    var refusal: SecurityRefusal.Answer? {
        if case .refused(let reason) = self { .channel(reason) } else { nil }
    }
}

extension SecurityRefusal.Answer {
    /// The protection that the link lacks, if the peer refused for that reason (Vol 3, Part F,
    /// 3.4.1.1; Part A, 4.23).
    fileprivate var shortfall: SecurityRequirement.Shortfall? {
        switch self {
        case .attribute(.insufficientAuthentication, _), .channel(.insufficientAuthentication):
            .authentication
        case .attribute(.insufficientEncryption, _), .channel(.insufficientEncryption): .encryption
        case .attribute(.encryptionKeySizeTooShort, _), .channel(.insufficientKeySize): .keySize
        case .attribute, .channel: nil
        }
    }

    /// Returns the result of a refused request whose link could not be secured because of `error`.
    /// If the link has ended, or no pairing has failed, the result is `error` alone.
    fileprivate func remaining(after error: any Error) -> any Error {
        guard let failure = error as? Pairing.Failure, failure != .linkEnded else { return error }
        return SecurityRefusal(answer: self, pairing: failure)
    }
}
