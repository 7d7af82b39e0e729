// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The creation of links (Vol 6, Part B, 4.5.3 to 4.5.5).
extension Ether {
    /// Prepares a link for a connection request that is about to be sent. The caller must call
    /// `abandonLink` for a link that it does not open.
    ///
    /// - Returns: The identity of the link; `nil` if the central has the maximum number of links.
    package mutating func proposeLink(_ proposal: LinkProposal) -> LinkID? {
        let limit = links.resources[proposal.central.index].linkLimit
        guard links.hasRoom(proposal.central, limit: limit) else { return nil }
        let id = links.makeIdentifier()
        var generator = seed.stream("access address", id.rawValue)
        let hopping = ChannelHopping(proposal, using: &generator)
        links.insert(RadioLink(id: id, proposal: proposal, hopping: hopping))
        return id
    }

    /// Removes a proposed link that the central does not open. If the advertiser is already the
    /// peripheral of the link, the link stays until the advertiser's timeout.
    package mutating func abandonLink(_ id: LinkID) {
        guard let link = links[id], link.central == nil, link.peripheral == nil else { return }
        links.remove(id)
    }

    /// Makes the advertiser the peripheral of the link, whose connection request has ended just
    /// now, and reports it to the host with LE Connection Complete.
    ///
    /// - Returns: The handle of the link; `nil`, without any effect, if the link was abandoned or
    ///   already created, or if the controller is its central or has the maximum number of links.
    package mutating func joinLink(
        _ id: LinkID,
        as radio: RadioID,
        _ identity: LinkIdentity,
        advertisingSet: UInt8?
    ) -> ConnectionHandle? {
        guard let link = links[id], !link.isMade, link.proposal.central != radio else { return nil }
        return make(link, .peripheral, radio, identity, advertisingSet)
    }

    /// Makes the initiator the central of the link, reports it to the host with LE Connection
    /// Complete, and schedules the first connection event. Only the packets of that event show
    /// whether the advertiser has become the peripheral.
    ///
    /// If the controller already has the maximum number of links, the host gets a failed LE
    /// Connection Complete instead.
    package mutating func openLink(_ id: LinkID, _ identity: LinkIdentity) {
        guard let link = links[id], link.central == nil else { return }
        let central = link.proposal.central
        guard make(link, .central, central, identity, nil) != nil, let anchor = links[id]?.anchor
        else {
            abandonLink(id)
            return reportFailureToHost(.connectionLimitExceeded, .central, central)
        }
        timeline.schedule(.link(.connectionEvent, id), at: anchor)
    }

    private mutating func make(
        _ proposed: RadioLink,
        _ side: LinkSide,
        _ radio: RadioID,
        _ identity: LinkIdentity,
        _ advertisingSet: UInt8?
    ) -> ConnectionHandle? {
        let opened = links.resources[radio.index].open(proposed.id, side, to: identity)
        guard let handle = opened else { return nil }
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
                local: links.resources[radio.index].capabilities,
                proposal: link.proposal,
                generator: seed.stream("link", link.id.rawValue, side == .central ? 0 : 1)
            ),
            settings: LinkSettings(link.proposal),
            beginning: now
        )
        reportLinkToHost(link, side, advertisingSet)
        armDeadline(side, &link)
        links[link.id] = link
        links.changeCount += 1
        return handle
    }
}
