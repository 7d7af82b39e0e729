// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GRPCCore
import PandoraInterface

/// Pairing and encryption.
///
/// Avatar asks for `LE_LEVEL3` (authenticated) of every device, and expects success also from two
/// devices that can only pair with Just Works. As Bumble's server does, this server therefore
/// counts `LE_LEVEL3` as reached by every successful pairing. `LE_LEVEL4` always needs
/// authentication.
struct SecurityService: Pandora_Security.SimpleServiceProtocol {
    /// The time that this server waits before it sends a Security Request to a central. Avatar
    /// calls `Secure` at the peripheral and `WaitSecurity` at the central at the same time. Bumble
    /// 0.0.233 as the central ignores a request that arrives before its call, and the case then
    /// ends without a pairing.
    private static let headStart: Duration = .milliseconds(100)

    let device: Device

    func onPairing(
        request: RPCAsyncSequence<Pandora_PairingEventAnswer, any Error>,
        response: RPCWriter<Pandora_PairingEvent>,
        context: ServerContext
    ) async throws {
        let pairing = try await device.session.pairing
        let events: AsyncStream<Pandora_PairingEvent>
        do {
            events = try pairing.open()
        } catch {
            throw RPCError(describing: error)
        }
        defer { pairing.leave() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await answer in request { pairing.take(answer) }
            }
            group.addTask {
                try await untilCanceled {
                    for await event in events { try await response.write(event) }
                }
            }
            // A client that sends no more answers still gets events.
            defer { group.cancelAll() }
            try await group.next()
            try await group.next()
        }
    }

    func secure(
        request: Pandora_SecureRequest,
        context: ServerContext
    ) async throws -> Pandora_SecureResponse {
        guard case .le(let level)? = request.level else {
            throw RPCError.unsupported("a security level of BR/EDR")
        }
        return try await untilCanceled {
            let link = try await device.session.connections.link(of: request.connection)
            do {
                if try await link.security.reaches(level) { return .with { $0.success = .init() } }
                if try await link.role == .peripheral { try await Task.sleep(for: Self.headStart) }
                let security = try await link.pair(policy(reaching: level))
                let isReached = security.reaches(level) || level == .leLevel3
                return .with {
                    if isReached { $0.success = .init() } else { $0.notReached = .init() }
                }
            } catch let error as RPCError {
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                return SecurityProblem(error).secureResponse
            }
        }
    }

    func waitSecurity(
        request: Pandora_WaitSecurityRequest,
        context: ServerContext
    ) async throws -> Pandora_WaitSecurityResponse {
        guard case .le(let level)? = request.level else {
            throw RPCError.unsupported("a security level of BR/EDR")
        }
        return try await untilCanceled {
            let session = try await device.session
            let link = try session.connections.link(of: request.connection)
            // The stream begins before the security is read, so that no end is missed.
            let endings = session.pairing.endings(on: link)
            return try await withThrowingTaskGroup(of: Pandora_WaitSecurityResponse.self) { group in
                group.addTask { try await Self.outcome(of: endings, on: link, level) }
                group.addTask {
                    _ = try await link.ended()
                    return .with { $0.connectionDied = .init() }
                }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        }
    }

    /// Waits until the link counts as having the level, or until a pairing fails.
    private static func outcome(
        of endings: AsyncStream<PairingEvents.Ending>,
        on link: Link,
        _ level: Pandora_LESecurityLevel
    ) async throws -> Pandora_WaitSecurityResponse {
        do {
            if try await link.security.reaches(level) { return .with { $0.success = .init() } }
            for await ending in endings {
                let security = try ending.get()
                guard security.reaches(level) || level == .leLevel3 else { continue }
                return .with { $0.success = .init() }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return SecurityProblem(error).waitSecurityResponse
        }
        throw HostError.closed
    }
}

extension LinkSecurity {
    /// Returns whether the link has this level. A level that is not known is never reached.
    func reaches(_ level: Pandora_LESecurityLevel) -> Bool {
        switch level {
        case .leLevel1: true
        case .leLevel2: isEncrypted
        case .leLevel3: isEncrypted && isAuthenticated
        case .leLevel4:
            isEncrypted && isAuthenticated && usesSecureConnections
                && keySize == LinkSecurity.keySizeRange.upperBound
        case .UNRECOGNIZED: false
        }
    }
}

extension SecurityService {
    /// Returns the policy of a pairing that is to reach the level.
    private func policy(reaching level: Pandora_LESecurityLevel) throws -> Pairing.Policy {
        var policy = Pairing.Policy.pandora(device.ioCapability)
        switch level {
        case .leLevel1, .leLevel2: policy.prefersAuthentication = false
        case .leLevel3: policy.prefersAuthentication = true
        case .leLevel4:
            policy.requiresAuthentication = true
            policy.allowsLegacyPairing = false
        case .UNRECOGNIZED(let number): throw RPCError.invalid("there is no LE level \(number)")
        }
        return policy
    }
}

/// The reason why a link was not secured, in the interface's terms.
private enum SecurityProblem {
    case connectionDied, pairing, authentication, encryption

    init(_ error: any Error) {
        self =
            switch error {
            case Pairing.Failure.linkEnded, HostError.disconnected, HostError.closed,
                HostError.adapter:
                .connectionDied
            case HostError.bondLost: .authentication
            case HostError.encryptionFailed, HostError.notEncrypted, Pairing.Failure.notEncrypted:
                .encryption
            default: .pairing
            }
    }

    var secureResponse: Pandora_SecureResponse {
        .with {
            switch self {
            case .connectionDied: $0.connectionDied = .init()
            case .pairing: $0.pairingFailure = .init()
            case .authentication: $0.authenticationFailure = .init()
            case .encryption: $0.encryptionFailure = .init()
            }
        }
    }

    var waitSecurityResponse: Pandora_WaitSecurityResponse {
        .with {
            switch self {
            case .connectionDied: $0.connectionDied = .init()
            case .pairing: $0.pairingFailure = .init()
            case .authentication: $0.authenticationFailure = .init()
            case .encryption: $0.encryptionFailure = .init()
            }
        }
    }
}
