// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How links come to be (Vol 6, Part B, 4.5.3 to 4.5.5).
extension Ether {
    /// Prepares a link that a connection request is about to ask for, and names it. Nil if the
    /// Central has no room for another. One that is never opened is given up with `abandonLink`.
    package mutating func proposeLink(_ proposal: LinkProposal) -> LinkID? {
        let account = links.accounts[proposal.central.index]
        guard links.names(of: proposal.central).count < account.linkLimit else { return nil }
        let id = links.makeName()
        var dice = seed.stream("access address", id.rawValue)
        let hopping = ChannelHopping(proposal, using: &dice)
        links.insert(Link(id: id, proposal: proposal, hopping: hopping))
        return id
    }

    /// Forgets a link that was asked for, of which the Central heard no more. An advertiser that
    /// has joined it will find out by itself.
    package mutating func abandonLink(_ id: LinkID) {
        guard let link = links[id], link.central == nil, link.peripheral == nil else { return }
        links.remove(id)
    }

    /// The advertiser has taken the connection request, which ended just now: it is the Peripheral
    /// from here on, and its host is told (LE Connection Complete). Nil, and nothing happens, if
    /// the link was given up, or the controller has no room for another.
    package mutating func joinLink(
        _ id: LinkID,
        as radio: RadioID,
        _ identity: LinkIdentity,
        advertisingSet: UInt8?
    ) -> ConnectionHandle? {
        guard let link = links[id], !link.isMade, link.proposal.central != radio else { return nil }
        return make(link, .peripheral, radio, identity, advertisingSet)
    }

    /// The initiator takes the link as made: its host is told (LE Connection Complete), and the first
    /// connection event will be. Whether the advertiser has joined, only the packets will tell.
    /// If it has as many links as it may have by now, its host is told that, and nothing is made.
    package mutating func openLink(_ id: LinkID, _ identity: LinkIdentity) {
        guard let link = links[id], link.central == nil else { return }
        let central = link.proposal.central
        guard make(link, .central, central, identity, nil) != nil, let anchor = links[id]?.anchor
        else {
            abandonLink(id)
            return tellHost(ofNoLink: .connectionLimitExceeded, .central, central)
        }
        timeline.schedule(.link(.connectionEvent, id), at: anchor)
    }

    private mutating func make(
        _ proposed: Link,
        _ side: LinkSide,
        _ radio: RadioID,
        _ identity: LinkIdentity,
        _ advertisingSet: UInt8?
    ) -> ConnectionHandle? {
        guard let handle = links.accounts[radio.index].open(proposed.id, side) else { return nil }
        var link = proposed
        if !link.isMade {
            link.anchor = firstAnchor(of: link)
            link.isMade = true
        }
        link[side] = LinkEnd(
            radio: radio,
            handle: handle,
            identity: identity,
            procedures: LinkProcedures(
                side: side,
                handle: handle,
                local: links.accounts[radio.index].capabilities,
                proposal: link.proposal,
                dice: seed.stream("link", link.id.rawValue, side == .central ? 0 : 1)
            ),
            rhythm: LinkRhythm(link.proposal),
            beginning: now
        )
        tellHost(of: link, side, advertisingSet)
        armDeadline(side, &link)
        links[link.id] = link
        return handle
    }
}
