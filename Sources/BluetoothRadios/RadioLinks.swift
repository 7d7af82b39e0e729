// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The open links of several radios, with the identifiers that their ports or hosts use.
///
/// A port or host counts only its own links. Clients regard the link with the greatest identifier as
/// the newest, so these identifiers count the links of all radios, in the order in which they open.
struct RadioLinks: Sendable {
    /// A link as its port or host identifies it.
    struct Member: Hashable, Sendable {
        let radio: Int
        let inner: LinkIdentifier
    }

    private var members: [LinkIdentifier: Member] = [:]
    private var identifiers: [Member: LinkIdentifier] = [:]
    private var last: UInt64 = 0

    subscript(link: LinkIdentifier) -> Member? { members[link] }
    subscript(member: Member) -> LinkIdentifier? { identifiers[member] }

    /// Adds a link. Returns its identifier, which is greater than those of all earlier links.
    mutating func open(_ member: Member) -> LinkIdentifier {
        last += 1
        let link = LinkIdentifier(rawValue: last)
        members[link] = member
        identifiers[member] = link
        return link
    }

    /// Removes a link. Returns its identifier; `nil` if it is not open.
    mutating func close(_ member: Member) -> LinkIdentifier? {
        guard let link = identifiers.removeValue(forKey: member) else { return nil }
        members[link] = nil
        return link
    }
}
