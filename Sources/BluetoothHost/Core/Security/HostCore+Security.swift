// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// What is known of a link's protection. How it comes about is in `HostCore+Securing` (wishes for it),
// `HostCore+Encryption` and `HostCore+Pairing`; what comes of it in `HostCore+Bonding`; what is not
// done without it in `HostCore+SecurityGate`.
extension HostCore {
    /// How well a link is protected; nil once it has ended.
    package func security(of link: LinkIdentifier) -> LinkSecurity? {
        handles[link].flatMap { links[$0]?.security }
    }

    /// The bond of a peer that has shown that it is who it seems to be.
    package func provenBond(of link: LinkIdentifier) -> Bond? {
        guard let link = handles[link].flatMap({ links[$0] }), !link.isSealed else { return nil }
        return link.bond
    }

    /// The address with which a link's peer has connected; nil once the link has ended.
    package func peer(of link: LinkIdentifier) -> DeviceAddress? {
        handles[link].flatMap { links[$0]?.peer }
    }

    /// The bond with a new link's peer.
    mutating func recogniseBond(of handle: ConnectionHandle) {
        let identity = links[handle]?.identity
        guard let bond = bonds.first(where: { $0.peer == identity }) else { return }
        links[handle]?.bond = bond
        links[handle]?.security = bond.security(isEncrypted: false)
    }

    /// Tells the server what the peer signs with, if anything.
    mutating func useSigningKey(on handle: ConnectionHandle) {
        guard let client = links[handle]?.identifier.client, let peer = links[handle]?.identity
        else {
            return
        }
        let bond = links[handle]?.bond.flatMap { isRemoved($0) ? nil : $0 }
        let key = bond?.signingKey
        server.setSigningKey(key, of: client, kept: key == nil ? nil : memories[peer])
    }
}
