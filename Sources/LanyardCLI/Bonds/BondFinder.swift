// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Finds the bonded peer that a person named.
struct BondFinder: Sendable {
    let bonds: [BondedPeer]

    /// The peer; nil if the target is not bonded, but may be found by listening. Throws if it cannot
    /// be, or is not one alone.
    func find(_ target: Target) throws(ProgramFailure) -> BondedPeer? {
        let matches = bonds.filter { Self.matches($0, target) }
        if case .bond = target, matches.isEmpty { throw Self.notBonded(target) }
        guard matches.count > 1 else { return matches.first }
        let identifiers = matches.map(\.identifier.description).joined(separator: ", ")
        throw .usage(
            "\(matches.count) bonded devices are \(target)",
            advice: "say which by its identifier: \(identifiers)"
        )
    }

    /// The peer; throws if there is none, or more than one.
    func require(_ target: Target) throws(ProgramFailure) -> BondedPeer {
        guard let peer = try find(target) else { throw Self.notBonded(target) }
        return peer
    }

    private static func notBonded(_ target: Target) -> ProgramFailure {
        ProgramFailure(.notFound, "there is no bond with \(target)", advice: "see 'lanyard bonds'")
    }

    private static func matches(_ peer: BondedPeer, _ target: Target) -> Bool {
        switch target {
        case .bond(let identifier): peer.identifier == identifier
        case .address(let value, let kind):
            peer.identity.value == value && (kind == nil || kind == peer.identity.kind)
        case .name(let name):
            peer.name.map { $0 == name || TerminalText.escape($0) == name } ?? false
        }
    }
}
