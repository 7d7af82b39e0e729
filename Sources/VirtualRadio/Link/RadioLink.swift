// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A connection with its schedule and its two ends (Vol 6, Part B, 4.5).
///
/// A link is *proposed* before a connection request for it is sent. It is *made* when one of the
/// two devices regards it as created, and exists until both ends are closed. The ends close
/// independently: the central sends whether or not the peripheral exists, and an end that receives
/// nothing until its supervision deadline closes.
package struct RadioLink: Sendable {
    /// The identity of the link.
    package let id: LinkID
    /// The central's end; `nil` before the central regards the link as created, and after this end
    /// has closed.
    package var central: LinkEnd?
    /// The peripheral's end; `nil` before the peripheral accepts the request, and after this end
    /// has closed.
    package var peripheral: LinkEnd?
    /// Whether one of the two devices has regarded the link as created.
    var isMade = false

    /// The number of the current connection event, or of the next one.
    package internal(set) var eventCounter: UInt16 = 0
    /// The anchor of the event with the number `eventCounter`.
    package internal(set) var anchor = Instant.zero
    /// The channel selection of the connection events.
    var hopping: ChannelHopping
    /// The current connection event; `nil` between events.
    var event: ConnectionEvent?
    /// The content of the connection request.
    package let proposal: LinkProposal

    init(id: LinkID, proposal: LinkProposal, hopping: ChannelHopping) {
        self.id = id
        self.proposal = proposal
        self.hopping = hopping
    }

    /// Creates a copy that does not share the ends.
    init(copying other: RadioLink) {
        self = other
        central = other.central.map(LinkEnd.init(copying:))
        peripheral = other.peripheral.map(LinkEnd.init(copying:))
    }

    /// Whether the link was made and both ends are closed.
    var isOver: Bool { isMade && central == nil && peripheral == nil }

    /// The anchor of the next connection event, by the central's interval.
    var nextAnchor: Instant {
        Instant(nanoseconds: anchor.nanoseconds + (central?.timing.interval ?? 0))
    }

    /// The end of the side; `nil` if it does not exist.
    package subscript(side: LinkSide) -> LinkEnd? {
        get { side == .central ? central : peripheral }
        set { if side == .central { central = newValue } else { peripheral = newValue } }
    }

    /// Returns whether the radio is an end of the link, or has requested it.
    func involves(_ radio: RadioID) -> Bool {
        central?.radio == radio || peripheral?.radio == radio
            || (!isMade && proposal.central == radio)
    }
}
