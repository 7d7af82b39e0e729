// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

// Security on demand: what a peer refuses because the link is not protected well enough is asked once
// more when it is, and the application sees one result (Vol 3, Part C, 10.3.1).
//
// Who is refused waits in `demands` under an operation of the core's own, which `secure` is given;
// those that wait at the same time share one pairing. What was repeated is not repeated again, and
// what the core does for itself never is. If the pairing fails, the application is told so together
// with what the peer had refused it with.
extension HostCore {
    /// Something that was refused, and is to be asked again.
    struct Demand: Sendable {
        enum Wish: Sendable {
            case operation(GATT.Operation)
            case channels(ChannelWish)
            /// So many enhanced bearers.
            case bearers(Int)
        }

        let link: LinkIdentifier
        let request: RequestIdentifier
        let wish: Wish
        /// What the peer has said.
        let refusal: SecurityRefusal.Answer
    }

    /// Starts an operation of the application's. One that may demand security is remembered until it
    /// has ended.
    mutating func start(
        _ operation: GATT.Operation,
        isDemanding: Bool,
        id: RequestIdentifier,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        if isDemanding, operation.isAnswered { note(.operation(operation), id, on: handle) }
        start(operation, id: id.rawValue, on: handle, now: now)
    }

    /// Remembers a wish for channels until it has been answered.
    mutating func note(
        _ wish: Demand.Wish,
        _ id: RequestIdentifier,
        on handle: ConnectionHandle
    ) {
        guard configuration.securesOnDemand else { return }
        links[handle]?.repeatable[id.rawValue] = wish
    }

    /// An operation or wish has ended. True if it was refused for want of protection, and is asked
    /// again when there is more: then nobody is told yet.
    mutating func demandsSecurity(
        _ id: UInt64,
        _ refusal: SecurityRefusal.Answer?,
        on handle: ConnectionHandle,
        now: Instant
    ) -> Bool {
        guard let link = links[handle],
            let wish = links[handle]?.repeatable.removeValue(forKey: id),
            let refusal, let shortfall = refusal.shortfall,
            let policy = policy(mending: shortfall, on: link)
        else { return false }
        let operation = takeOwnOperation()
        demands[operation] = Demand(
            link: link.identifier,
            request: RequestIdentifier(rawValue: id),
            wish: wish,
            refusal: refusal
        )
        secure(handle, for: policy, id: operation, now: now)
        return true
    }

    /// What would mend the shortfall; nil if nothing would that the host may do.
    private func policy(
        mending shortfall: SecurityRequirement.Shortfall,
        on link: LinkState
    ) -> Pairing.Policy? {
        var policy = configuration.pairing
        let security = link.security
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
        // With nobody to be asked nothing is paired: the peer's word stands.
        let isBondEnough = link.bond != nil && !security.isEncrypted
        return isBondEnough || configuration.pairingDelegate != nil ? policy : nil
    }

    /// A link that the core itself wanted to be protected is, or will not be.
    mutating func secured(
        _ id: UInt64,
        _ result: Result<LinkSecurity, any Error>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let demand = demands.removeValue(forKey: id) else { return }
        if case .failure(let error) = result {
            return fail(demand.request, demand.refusal.remaining(after: error))
        }
        let id = demand.request
        switch demand.wish {
        case .operation(let operation): start(operation, id: id.rawValue, on: handle, now: now)
        case .channels(let wish): request(wish, of: demand.link, id: id, now: now)
        case .bearers(let count): openEnhancedBearers(count, on: demand.link, id: id, now: now)
        }
        // Once is enough.
        links[handle]?.repeatable[id.rawValue] = nil
    }

    /// Nobody waits any more for what was refused. A pairing for it ends, if nobody else wants it.
    mutating func stopDemanding(
        _ id: RequestIdentifier,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let operation = forgetDemand(id, on: handle) else { return }
        stopSecuring(operation, on: handle, now: now)
    }

    /// The same, and the pairing goes on. Returns the operation that it was for.
    @discardableResult
    mutating func forgetDemand(_ id: RequestIdentifier, on handle: ConnectionHandle) -> UInt64? {
        links[handle]?.repeatable[id.rawValue] = nil
        let operation = demands.first { $0.value.request == id }?.key
        if let operation { demands[operation] = nil }
        return operation
    }
}

extension GATT.Operation {
    /// Whether the peer answers, and so can refuse.
    fileprivate var isAnswered: Bool {
        switch self {
        case .writeWithoutResponse, .signedWriteWithoutResponse: false
        default: true
        }
    }
}

extension Result<GATT.Outcome, GATT.Failure> {
    /// What the peer has answered, if it refused.
    var refusal: SecurityRefusal.Answer? {
        guard case .failure(.attribute(let code, let handle)) = self else { return nil }
        return .attribute(code, handle: handle)
    }
}

extension L2CAP.Failure {
    /// What the peer has answered, if it refused.
    var refusal: SecurityRefusal.Answer? {
        if case .refused(let reason) = self { .channel(reason) } else { nil }
    }
}

extension SecurityRefusal.Answer {
    /// What the link lacks, if the peer refused for that (Vol 3, Part F, 3.4.1.1; Part A, 4.23).
    var shortfall: SecurityRequirement.Shortfall? {
        switch self {
        case .attribute(.insufficientAuthentication, _), .channel(.insufficientAuthentication):
            .authentication
        case .attribute(.insufficientEncryption, _), .channel(.insufficientEncryption): .encryption
        case .attribute(.encryptionKeySizeTooShort, _), .channel(.insufficientKeySize): .keySize
        case .attribute, .channel: nil
        }
    }

    /// What is told when the link was not secured, for this reason: one that has ended refuses
    /// nothing any more.
    fileprivate func remaining(after error: any Error) -> any Error {
        guard let failure = error as? Pairing.Failure, failure != .linkEnded else { return error }
        return SecurityRefusal(answer: self, pairing: failure)
    }
}
