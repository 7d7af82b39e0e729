// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// A bonded peer, for people and for programs. Its name is its own choice, and escaped.
enum BondText {
    /// The name, if there is one, and the address that stays the same.
    static func name(of peer: BondedPeer) -> String {
        let address = AddressText.describe(peer.identity)
        return peer.name.map { "\"\(TerminalText.escape($0))\" \(address)" } ?? address
    }

    /// How well links with it are protected.
    static func describe(_ security: LinkSecurity) -> String {
        let method = security.usesSecureConnections ? "Secure Connections" : "legacy pairing"
        let authentication = security.isAuthenticated ? "authenticated" : "not authenticated"
        return "\(method), \(authentication), \(security.keySize) octets"
    }

    /// A line of the list.
    static func line(_ peer: BondedPeer) -> String {
        "\(peer.identifier)  \(name(of: peer)): \(describe(peer.security))"
            + (peer.isPrivate ? ", private addresses" : "")
    }

    static func json(_ peer: BondedPeer) -> JSON { .object(members(peer)) }

    /// What an object has that tells of it.
    static func members(_ peer: BondedPeer) -> [JSON.Member] {
        [
            .init("identifier", .string(peer.identifier.description)),
            .init("name", .string(orNull: peer.name)),
            .init("identity", .string(peer.identity.description)),
            .init("identityType", .string(AddressText.name(of: peer.identity.kind))),
            .init("secureConnections", .bool(peer.security.usesSecureConnections)),
            .init("authenticated", .bool(peer.security.isAuthenticated)),
            .init("keySize", .number(peer.security.keySize)),
            .init("private", .bool(peer.isPrivate)),
        ]
    }
}
