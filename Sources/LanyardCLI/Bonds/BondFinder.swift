// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothPort
import BluetoothTypes
import JSONText

/// A bond of a host or of the Bluetooth daemon, as commands print it.
struct AccessoryBond: Equatable, Sendable {
    let identifier: PeerIdentifier
    let identity: DeviceAddress
    let name: String?
    /// The bond of a host; `nil` for a bond of the daemon, which reports no protection and no
    /// permanent identifier.
    let peer: BondedPeer?

    init(_ peer: BondedPeer) {
        (identifier, identity, name) = (peer.identifier, peer.identity, peer.name)
        self.peer = peer
    }

    init(_ bond: PortBond) {
        (identifier, identity, name, peer) = (bond.peer, bond.identity, bond.name, nil)
    }
}

/// A finder of a bonded peer by the target on the command line.
struct BondFinder: Sendable {
    let bonds: [AccessoryBond]

    /// Returns the peer, or `nil` if the target is not bonded but scanning may find it. Throws if
    /// the target is the identifier of a bond that does not exist, or if several peers match.
    func find(_ target: Target) throws(ProgramFailure) -> AccessoryBond? {
        let exact = bonds.filter { Self.matches($0, target) }
        let matches = exact.isEmpty ? bonds.filter { Self.hasName($0, target) } : exact
        if case .bond = target, matches.isEmpty { throw notBonded(target) }
        guard matches.count > 1 else { return matches.first }
        let identifiers = matches.map(\.identifier.description).joined(separator: ", ")
        throw .usage(
            "\(matches.count) bonded devices are \(target)",
            advice: "name one by its identifier: \(identifiers)"
        )
    }

    /// Returns the peer. Throws if there is none, or more than one.
    func require(_ target: Target) throws(ProgramFailure) -> AccessoryBond {
        guard let peer = try find(target) else { throw notBonded(target) }
        return peer
    }

    private func notBonded(_ target: Target) -> ProgramFailure {
        let names = bonds.compactMap(\.name).map { TerminalText.escape($0) }
        var advice = bonds.isEmpty ? "there are no bonds" : "see 'lanyard bonds'"
        if case .name(let name) = target {
            advice = ProgramFailure.didYouMean(
                TerminalText.escape(name),
                among: names,
                otherwise: advice
            )
        }
        return ProgramFailure(.notFound, "there is no bond with \(target)", advice: advice)
    }

    private static func matches(_ peer: AccessoryBond, _ target: Target) -> Bool {
        switch target {
        case .bond(let identifier): peer.identifier == identifier
        case .address(let value, let kind):
            peer.identity.value == value && (kind == nil || kind == peer.identity.kind)
        case .name(let name):
            peer.name.map { $0 == name || TerminalText.escape($0) == name } ?? false
        }
    }

    /// Returns whether the peer has the target's name, in upper or lower case.
    private static func hasName(_ peer: AccessoryBond, _ target: Target) -> Bool {
        guard case .name(let wanted) = target, let name = peer.name else { return false }
        return TerminalText.escape(name).lowercased() == wanted.lowercased()
    }
}

/// The text that describes a bonded peer, for people and for programs. Its name comes from the peer
/// and is escaped.
enum BondText {
    /// Returns the name, if there is one, and the identity address.
    static func name(of peer: AccessoryBond) -> String {
        let address = AddressText.describe(peer.identity)
        return peer.name.map { "\"\(TerminalText.escape($0))\" \(address)" } ?? address
    }

    /// Returns the protection of links with the peer.
    static func describe(_ security: LinkSecurity) -> String {
        let method = security.usesSecureConnections ? "Secure Connections" : "legacy pairing"
        let authentication = security.isAuthenticated ? "authenticated" : "not authenticated"
        return "\(method), \(authentication), \(security.keySize) bytes"
    }

    /// Returns a line of the list.
    static func line(_ bond: AccessoryBond) -> String {
        let name = name(of: bond)
        guard let peer = bond.peer else { return "\(name): kept by the Bluetooth daemon" }
        return "\(peer.identifier)  \(name): \(describe(peer.security))"
            + (peer.isPrivate ? ", private addresses" : "")
    }

    static func json(_ bond: AccessoryBond) -> JSON { .object(members(bond)) }

    /// Returns the members of a JSON object that describes a bond, with `null` for each fact that
    /// the daemon does not report.
    static func members(_ bond: AccessoryBond) -> [JSON.Member] {
        let (peer, security) = (bond.peer, bond.peer?.security)
        return [
            .init("identifier", .string(orNull: peer?.identifier.description)),
            .init("name", .string(orNull: bond.name)),
            .init("identity", .string(bond.identity.description)),
            .init("identityType", .string(AddressText.name(of: bond.identity.kind))),
            .init("secureConnections", security.map { .bool($0.usesSecureConnections) } ?? .null),
            .init("authenticated", security.map { .bool($0.isAuthenticated) } ?? .null),
            .init("keySize", .integer(orNull: security?.keySize)),
            .init("private", peer.map { .bool($0.isPrivate) } ?? .null),
        ]
    }
}

extension SecurityEvent {
    /// The problem with the store; `nil` if there is none. Safe to print.
    var problem: String? {
        switch self {
        case .setAside(let entry, let reason):
            TerminalText.escape("\(entry) in the store is damaged and was moved aside: \(reason)")
        case .leftAlone(let entry, let reason):
            TerminalText.escape("\(entry) in the store is not used: \(reason)")
        case .storeFailed(let reason): TerminalText.escape("the store failed: \(reason)")
        case .bonded, .bondLost, .bondRemoved: nil
        }
    }

    /// The event that `serve` prints; `nil` for none.
    var serveEvent: ServeEvent? {
        switch self {
        case .bonded(let peer): .bonded(AccessoryBond(peer))
        case .bondLost(let peer): .bondLost(AccessoryBond(peer))
        case .bondRemoved(let peer): .bondRemoved(AccessoryBond(peer))
        case .setAside, .leftAlone, .storeFailed: nil
        }
    }
}
