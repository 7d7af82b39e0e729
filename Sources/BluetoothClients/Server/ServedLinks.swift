// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The links whose peers can use the services of this device.
struct ServedLinks: Sendable {
    private struct Link: Sendable {
        let peer: PeerIdentifier
        /// Whether the peer made the link.
        let isIncoming: Bool
        var mtu = ATT.defaultMTU
    }

    private var links: [LinkIdentifier: Link] = [:]

    /// The links, the oldest first.
    var identifiers: [LinkIdentifier] { links.keys.sorted() }

    mutating func open(_ link: LinkIdentifier, to peer: PeerIdentifier, isIncoming: Bool) {
        links[link] = Link(peer: peer, isIncoming: isIncoming)
    }

    mutating func close(_ link: LinkIdentifier) { links[link] = nil }

    mutating func setMTU(_ mtu: Int, of link: LinkIdentifier) { links[link]?.mtu = mtu }

    /// Returns the ATT MTU of a link, which is the default one before an exchange; `nil` if the
    /// link is closed.
    func mtu(of link: LinkIdentifier) -> Int? { links[link]?.mtu }

    func peer(of link: LinkIdentifier) -> PeerIdentifier? { links[link]?.peer }

    /// Returns the newest link to a peer; `nil` if there is none.
    func newest(to peer: PeerIdentifier) -> LinkIdentifier? {
        links.filter { $0.value.peer == peer }.keys.max()
    }

    /// Returns the peer of a link as an application sees it; `nil` if the link is closed.
    func central(on link: LinkIdentifier) -> ServedCentral? {
        links[link].map { central($0.peer) }
    }

    /// Returns a peer as an application sees it. If the peer has several links, the maximum length
    /// of a value depends on the smallest MTU: values are truncated before it is known which link
    /// carries them.
    func central(_ peer: PeerIdentifier) -> ServedCentral {
        let mtu = links.values.lazy.filter { $0.peer == peer }.map(\.mtu).min()
        return ServedCentral(
            peer: peer,
            // The MTU without the opcode and the handle of a notification (Vol 3, Part F, 3.4.7.1).
            maximumUpdateValueLength: (mtu ?? ATT.defaultMTU) - 3
        )
    }

    /// Returns the former links of a peer that made this link. A central that connects again has
    /// lost its former link, which stays open here until its supervision timeout.
    func superseded(by link: LinkIdentifier) -> [LinkIdentifier] {
        guard links.count > 1, let current = links[link], current.isIncoming else {
            return []
        }
        return links.filter { identifier, other in
            identifier < link && other.peer == current.peer && other.isIncoming
        }.keys.sorted()
    }
}
