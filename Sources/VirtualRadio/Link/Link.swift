// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A connection: its rhythm, and its two ends (Vol 6, Part B, 4.5).
package struct Link: Sendable {
    /// Its name.
    package let id: LinkID
    /// What was asked for.
    package let proposal: LinkProposal
}

extension Ether {
    /// Prepares a link that a connection request is about to ask for, and names it. Nil if the
    /// Central has no room for another. One that is never opened is given up with `abandonLink`.
    package mutating func proposeLink(_ proposal: LinkProposal) -> LinkID? { nil }

    /// Forgets a link that was asked for and did not come to be.
    package mutating func abandonLink(_ link: LinkID) {}

    /// The advertiser has taken the connection request, which ended just now: it is the Peripheral
    /// from here on, and its host is told (LE Connection Complete). False, and nothing happens, if
    /// the link was given up, or the controller has no room for another.
    package mutating func joinLink(
        _ link: LinkID,
        as radio: RadioID,
        _ identity: LinkIdentity,
        advertisingSet: UInt8?
    ) -> ConnectionHandle? { nil }

    /// The initiator takes the link as made: its host is told (LE Connection Complete), and the first
    /// connection event will be. Whether the advertiser has joined, only the packets will tell.
    package mutating func openLink(_ link: LinkID, _ identity: LinkIdentity) {}

    /// Something that the link set itself is due.
    package mutating func linkTimerFired(_ timer: LinkTimer, _ link: LinkID) {}

    /// The host sends data on one of its links.
    package mutating func sendData(_ packet: HCI.ACLPacket, from radio: RadioID) {}

    /// The addresses to which the controller has a link (Central and Peripheral), for Connection
    /// Already Exists.
    package func hasLink(_ radio: RadioID, to peer: DeviceAddress) -> Bool { false }

    /// How many links the controller has.
    package func linkCount(of radio: RadioID) -> Int { 0 }

    /// The controller loses all its links at once and in silence, as by Reset or loss of power. The
    /// peers find out by their supervision timeouts.
    package mutating func dropLinks(of radio: RadioID) {}
}
