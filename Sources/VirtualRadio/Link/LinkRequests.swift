// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What hosts and the rest of a controller want to know of links, and ask of them.
extension Ether {
    /// The link that the host calls by the handle, and which side of it the controller is.
    package func findLink(
        of radio: RadioID,
        _ handle: ConnectionHandle
    ) -> (LinkID, LinkSide)? {
        guard let (link, side) = links.accounts[radio.index].handles[handle] else { return nil }
        return (link, side)
    }

    /// The end of the link that the host calls by the handle.
    package func linkEnd(of radio: RadioID, _ handle: ConnectionHandle) -> LinkEnd? {
        guard let (link, side) = findLink(of: radio, handle) else { return nil }
        return links[link]?[side]
    }

    /// Asks something of the link's control procedures. Throws `unknownConnectionIdentifier` if
    /// there is no such link, and whatever the procedures answer.
    package mutating func request(
        _ request: LinkProcedureRequest,
        of radio: RadioID,
        _ handle: ConnectionHandle
    ) throws(HCI.ErrorCode) {
        guard let (id, side) = findLink(of: radio, handle), let box = links.take(id) else {
            throw .unknownConnectionIdentifier
        }
        defer { links.putBack(box) }
        guard var procedures = box.link[side]?.procedures else {
            throw .unknownConnectionIdentifier
        }
        let counter = box.link.eventCounter
        let actions = try procedures.request(request, eventCounter: counter, now: now)
        box.link[side]?.procedures = procedures
        perform(actions, side, &box.link)
        armDeadline(side, &box.link)
    }

    /// How strong the last packet was that arrived at this end, for Read RSSI; nil if there is no
    /// such link, `SignalStrength.unavailable` before the first packet.
    package func linkRSSI(of radio: RadioID, _ handle: ConnectionHandle) -> Int8? {
        linkEnd(of: radio, handle)?.rssi
    }

    /// Whether the controller has a link to the address, on either side, for Connection Already
    /// Exists: identity addresses and those on the air both count.
    package func hasLink(_ radio: RadioID, to peer: DeviceAddress) -> Bool {
        links.names(of: radio).contains { id in
            guard let link = links[id] else { return false }
            return LinkSide.allCases.contains { side in
                guard let end = link[side], end.radio == radio else { return false }
                return end.identity.peer == peer || end.identity.peerPrivateAddress == peer
            }
        }
    }

    /// How many links the controller has.
    package func linkCount(of radio: RadioID) -> Int { links.accounts[radio.index].linkCount }

    /// Says what the controller brings into the control procedures of links to come.
    package mutating func setLinkCapabilities(
        _ capabilities: LinkCapabilities,
        of radio: RadioID
    ) {
        links.accounts[radio.index].capabilities = capabilities
    }
}
