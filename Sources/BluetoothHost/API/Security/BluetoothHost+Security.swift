// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

extension BluetoothHost {
    /// The peers that keys are shared with, those not met for the longest first.
    public var bonds: [BondedPeer] { core.bonds.map(BondedPeer.init) }

    /// Shares no keys with a peer any more, and forgets what it has configured. Links with it end.
    /// Nothing happens if there is no such peer.
    public func removeBond(_ identifier: PeerIdentifier) async throws {
        guard let bond = core.bonds.first(where: { $0.identifier == identifier }) else { return }
        removeBond(with: bond.peer)
    }
}

extension Link {
    /// Pairs with the peer, or encrypts with the keys of a bond that is as good as `policy` asks for.
    /// Returns how well the link is protected then.
    ///
    /// Throws `Pairing.Failure`; `HostError.bondLost` if the peer has lost its keys.
    ///
    /// - Parameter policy: what the pairing may come to; by default `HostConfiguration.pairing`.
    public func pair(_ policy: Pairing.Policy? = nil) async throws -> LinkSecurity {
        throw HostError.unsupported("pairing")
    }

    /// The bonded peer at the other end, if it is one.
    public var bondedPeer: BondedPeer? {
        get async throws { nil }
    }
}
