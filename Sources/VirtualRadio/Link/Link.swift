// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A connection: its rhythm, and its two ends (Vol 6, Part B, 4.5).
///
/// A link is *proposed* when a connection request is about to ask for it, and lives from when one of
/// the two takes it as made until both have given it up. Each end knows only what it heard: the
/// Central sends at every anchor, whether anybody is there or not, and an end that hears nothing for
/// too long is over.
package struct Link: Sendable {
    /// Its name.
    package let id: LinkID
    /// What was asked for.
    package let proposal: LinkProposal
    /// The Central's end; nil before it took the link as made, and when it has given it up.
    package var central: LinkEnd?
    /// The Peripheral's end; nil before it took the request, and when it has given it up.
    package var peripheral: LinkEnd?
    /// Whether one of the two has taken the link as made.
    var isMade = false

    /// The number of the next connection event, or of the present one.
    package internal(set) var eventCounter: UInt16 = 0
    /// When that begins, or began.
    package internal(set) var anchor = Instant.zero
    /// Which channel the connection events have.
    var hopping: ChannelHopping
    /// The connection event that is going on.
    var event: ConnectionEvent?

    init(id: LinkID, proposal: LinkProposal, hopping: ChannelHopping) {
        self.id = id
        self.proposal = proposal
        self.hopping = hopping
    }

    /// The same once more, which shares nothing with the other.
    init(copying other: Link) {
        self = other
        central = other.central.map(LinkEnd.init(copying:))
        peripheral = other.peripheral.map(LinkEnd.init(copying:))
    }

    /// Whether it was, and both ends have given it up.
    var isOver: Bool { isMade && central == nil && peripheral == nil }

    /// Whether both ends have it.
    var isWhole: Bool { central != nil && peripheral != nil }

    /// When the next connection event begins, as the Central counts.
    var nextAnchor: Instant {
        Instant(nanoseconds: anchor.nanoseconds + (central?.pace.interval ?? 0))
    }

    /// The end of the side; nil if it is not there.
    package subscript(side: LinkSide) -> LinkEnd? {
        get { side == .central ? central : peripheral }
        set { if side == .central { central = newValue } else { peripheral = newValue } }
    }

    /// Whether the radio is an end of it, or asked for it.
    func involves(_ radio: RadioID) -> Bool {
        central?.radio == radio || peripheral?.radio == radio
            || (!isMade && proposal.central == radio)
    }
}
