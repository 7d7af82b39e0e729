// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// What has come of a pairing.
struct PairingReport: Equatable, Sendable {
    /// The address that the link is with.
    let address: DeviceAddress
    let name: String?
    /// How the sides made sure of each other; nil if they had keys already, and used those.
    let method: Pairing.Method?
    let security: LinkSecurity
    /// Nil if no keys are kept.
    let bond: PeerIdentifier?

    /// Several lines. The name is the peer's own choice, and escaped.
    var text: String {
        let who = name.map { "\"\(TerminalText.escape($0))\" " } ?? ""
        let peer = who + AddressText.describe(address)
        let beginning = method == nil ? "bonded already: \(peer)" : "paired: \(peer)"
        let lines = [
            beginning, method.map { "method: \($0)" }, "protection: \(protection)",
            bond.map { "bond: \($0)" } ?? "bond: none, the keys are good for this link only",
        ]
        return lines.compactMap { $0 }.joined(separator: "\n")
    }

    private var protection: String {
        let keys = security.usesSecureConnections ? "LE Secure Connections" : "legacy pairing"
        let middle =
            security.isAuthenticated
            ? "authenticated" : "not authenticated: somebody may be in between"
        return "\(keys), a key of \(security.keySize) octets, \(middle)"
    }

    var json: JSON {
        .object([
            .init("address", .string(address.description)),
            .init("addressType", .string(AddressText.name(of: address.kind))),
            .init("name", .string(orNull: name)),
            .init("method", .string(orNull: method?.rawValue)),
            .init("secureConnections", .bool(security.usesSecureConnections)),
            .init("authenticated", .bool(security.isAuthenticated)),
            .init("keySize", .number(security.keySize)),
            .init("bond", .string(orNull: bond?.description)),
        ])
    }
}
