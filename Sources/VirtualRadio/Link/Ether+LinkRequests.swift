// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The state of links for hosts and for the other parts of a controller, and requests to links.
extension Ether {
    /// Returns the link with the host's handle, and the controller's side of it.
    package func findLink(
        of radio: RadioID,
        _ handle: ConnectionHandle
    ) -> (LinkID, LinkSide)? {
        guard let (link, side) = links.resources[radio.index].handles[handle] else { return nil }
        return (link, side)
    }

    /// Returns the controller's end of the link with the host's handle.
    package func linkEnd(of radio: RadioID, _ handle: ConnectionHandle) -> LinkEnd? {
        guard let (link, side) = findLink(of: radio, handle) else { return nil }
        return links[link]?[side]
    }

    /// Passes a request to the link's control procedures.
    ///
    /// - Throws: `unknownConnectionIdentifier` if there is no such link, or the error of the
    ///   procedures.
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

    /// Returns the signal strength of the last packet that arrived at this end, for Read RSSI;
    /// `nil` if there is no such link, `ReceivedSignal.unavailable` before the first packet.
    package func linkRSSI(of radio: RadioID, _ handle: ConnectionHandle) -> Int8? {
        linkEnd(of: radio, handle)?.rssi
    }

    /// Returns whether the controller has a link to the address, on either side, for Connection
    /// Already Exists. Both identity addresses and addresses on the air match.
    package func hasLink(_ radio: RadioID, to peer: DeviceAddress) -> Bool {
        links.resources[radio.index].hasLink(to: peer)
    }

    /// Returns the number of the controller's links.
    package func linkCount(of radio: RadioID) -> Int { links.resources[radio.index].linkCount }

    /// Sets the capabilities of the controller in the control procedures of new links.
    package mutating func setLinkCapabilities(
        _ capabilities: LinkCapabilities,
        of radio: RadioID
    ) {
        links.resources[radio.index].capabilities = capabilities
    }
}
