// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

extension BluetoothHost {
    /// The bonded peers, beginning with the one that connected least recently.
    public var bonds: [BondedPeer] { core.bonds.map(BondedPeer.init) }

    /// Removes a bond and all stored data of the peer, and ends the links to the peer. Does nothing
    /// if no bonded peer has this identifier.
    ///
    /// - Parameter identifier: The identifier of the bonded peer, from ``bonds``.
    public func removeBond(_ identifier: PeerIdentifier) {
        guard let bond = core.bonds.first(where: { $0.identifier == identifier }) else { return }
        core.disconnect(bonded: bond.peer, now: executor.now)
        removeBond(with: bond.peer)
    }

    /// Allows peers to begin a pairing for some time, for example after a button was pressed.
    /// Bonded peers can connect and encrypt at any time.
    ///
    /// The call replaces an earlier window. It also ends the delay after pairing questions without
    /// a yes, which ``HostConfiguration/acceptsPairing`` describes.
    ///
    /// - Parameter duration: The time for which the window stays open; `nil` until
    ///   `closePairingWindow()`.
    public func openPairingWindow(for duration: Duration?) {
        core.openPairingWindow(for: duration, now: executor.now)
        drain()
    }

    /// Refuses pairings that peers begin from now on, with Pairing Not Supported. A pairing that is
    /// in progress continues.
    public func closePairingWindow() {
        core.closePairingWindow()
        drain()
    }

    /// Returns a stream of the changes of bonds.
    ///
    /// The stream can have any number of readers. The first reader also gets the latest earlier
    /// events, at most `securityEventLimit`. A reader that is more than that many events behind
    /// misses the oldest. The stream does not keep the host alive. It ends when the host is shut
    /// down or deallocated.
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
            self?.execute { $0.securityEventReaders.remove(reader) }
        }
        securityEventReaders.add(continuation, as: reader)
        return stream
    }

    /// The maximum number of events that `securityEvents()` holds for a busy or future reader.
    public static let securityEventLimit = 256
}

extension Link {
    /// Pairs with the peer, or encrypts the link with the keys of a bond that satisfies `policy`.
    ///
    /// The host asks `HostConfiguration.pairingDelegate` the questions of the pairing. A peripheral
    /// can only request security from the central. If the central does not react, the call fails
    /// after 30 seconds. Concurrent calls share one pairing if it satisfies their policies.
    /// Canceling the task cancels a pairing that the host began, unless another operation waits for
    /// it or the pairing replaces a lost bond.
    ///
    /// - Parameter policy: The requirements for the pairing; by default
    ///   `HostConfiguration.pairing`.
    /// - Returns: The security of the link afterward. The call returns at once if the link
    ///   satisfies `policy` already.
    /// - Throws: `Pairing.Failure` if the pairing fails. ``HostError/bondLost`` if the peer has
    ///   lost its keys. ``HostError/encryptionFailed(_:)``, ``HostError/notEncrypted`` or an error
    ///   of the controller if the link could not be encrypted with the keys of the bond.
    ///   ``HostError/tooManyBonds`` if there is no room for another bond.
    ///   ``HostError/bondNotStored(_:)`` if the keys cannot be stored.
    ///   ``HostError/tooManyRequests`` if too many calls wait. ``HostError/disconnected(_:)``,
    ///   ``HostError/adapter(_:)`` or ``HostError/closed`` if the link, the controller or the host
    ///   ends first. `CancellationError` if the task is canceled.
    public func pair(_ policy: Pairing.Policy? = nil) async throws -> LinkSecurity {
        let policy = policy ?? host.configuration.pairing
        let answer = try await host.request(.pair(policy), of: identifier)
        guard case .security(let security) = answer else { throw HostError.malformedAnswer }
        return security
    }

    /// The bonded peer of the link, once the peer has proved its identity: by encrypting the link
    /// with the keys of the bond, or by pairing; `nil` until then, whatever address the peer uses
    /// on the link. Throws the reason why the link ended if it is not open.
    public var bondedPeer: BondedPeer? {
        get async throws { try await host.bondedPeer(of: identifier) }
    }
}
