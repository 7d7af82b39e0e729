// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

extension BluetoothHost {
    /// The peers that keys are shared with, those not met for the longest first.
    public var bonds: [BondedPeer] { core.bonds.map(BondedPeer.init) }

    /// Shares no keys with a peer any more, and forgets what it has configured. Links with it end.
    /// Nothing happens if there is no such peer.
    public func removeBond(_ identifier: PeerIdentifier) {
        guard let bond = core.bonds.first(where: { $0.identifier == identifier }) else { return }
        core.disconnect(bonded: bond.peer, now: executor.now)
        removeBond(with: bond.peer)
    }

    /// What becomes of bonds, from now on.
    ///
    /// Any number may read. What happened before anybody did, as far back as the last
    /// `securityEventLimit` events, is told to the first. A reader that lags as many behind misses the
    /// oldest. Ends when the host is shut down.
    public func securityEvents() -> AsyncStream<SecurityEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SecurityEvent.self,
            bufferingPolicy: .bufferingNewest(Self.securityEventLimit)
        )
        guard core.state != .closed else {
            continuation.finish()
            return stream
        }
        let reader = takeRequest()
        continuation.onTermination = { [weak self] _ in
            self?.enter { $0.securityEventReaders.remove(reader) }
        }
        securityEventReaders.add(continuation, as: reader)
        return stream
    }

    /// How many events `securityEvents()` holds for a reader that is busy, or yet to come.
    public static let securityEventLimit = 256
}

extension Link {
    /// Pairs with the peer, or encrypts with the keys of a bond that is as good as `policy` asks for.
    /// Returns how well the link is protected then; at once, if it is so already.
    ///
    /// `HostConfiguration.pairingDelegate` is asked what there is to ask. A Peripheral can but ask its
    /// Central, which may not care: then this fails after 30 seconds. Of several calls, one pairing
    /// serves those that it is good enough for. Cancelling the task gives up the pairing, if nobody
    /// else waits for it.
    ///
    /// Throws `Pairing.Failure`, and these of `HostError`: `bondLost` if the peer has lost its keys;
    /// `encryptionFailed` and `notEncrypted` if the keys of the bond led to nothing; `tooManyBonds` if
    /// there is no room for new ones; `tooManyRequests` if too many wait for the same;
    /// `disconnected`, `adapter` and `closed` if link, controller or host end meanwhile. Throws
    /// `CancellationError` if the task was cancelled.
    ///
    /// - Parameter policy: what the pairing may come to; by default `HostConfiguration.pairing`.
    public func pair(_ policy: Pairing.Policy? = nil) async throws -> LinkSecurity {
        let policy = policy ?? host.configuration.pairing
        let answer = try await host.request(.pair(policy), of: identifier)
        guard case .security(let security) = answer else { throw HostError.malformedAnswer }
        return security
    }

    /// The bonded peer at the other end, once it has shown that it is: by encrypting the link with the
    /// keys of the bond, or by a pairing. Nil before, whatever address it has connected with.
    public var bondedPeer: BondedPeer? {
        get async throws { try await host.bondedPeer(of: identifier) }
    }
}
