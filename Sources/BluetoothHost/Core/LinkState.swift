// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

/// Everything the core knows of one link.
struct LinkState: Sendable {
    /// The link-layer procedures of which a link runs one of each kind at a time.
    enum Procedure: Hashable, Sendable {
        case connectionUpdate
        case phyUpdate
        case versionExchange
        case encryption
    }

    /// Who waits for a procedure, and how long.
    struct Waiter: Sendable {
        /// Nil once the application does not wait any more; the procedure still runs.
        var request: RequestIdentifier?
        let deadline: Instant
    }

    let identifier: LinkIdentifier
    let handle: ConnectionHandle
    /// The address with which the peer has connected.
    let peer: DeviceAddress
    /// Who the peer is: the identity address of one that is bonded, else the address with which it
    /// has connected.
    var identity: DeviceAddress
    /// The address that our controller has used for this link. As Peripheral with several
    /// advertising sets, what it is shows right after the link has begun, before the peer's first
    /// packet: so it is to be read when it is needed, and not before.
    var localAddress: DeviceAddress
    /// Whether the controller itself has said which it was.
    let isLocalAddressReported: Bool
    /// Which end of the link is ours.
    let role: HCI.Role
    var parameters: ConnectionParameters
    var dataLength = DataLength(
        transmitOctets: DataLength.octetRange.lowerBound,
        receiveOctets: DataLength.octetRange.lowerBound
    )
    var phy = LinkPHY(transmit: .le1M, receive: .le1M)

    var recombiner = FrameRecombiner()
    /// Signalling, and the channels that it sets up.
    var logicalLink: LogicalLink
    /// Whether those channels go before ATT with the next frame: they take turns.
    var isChannelsTurn = false
    var gatt: GATTClient
    /// The bearers beside the one that `gatt` has.
    var enhanced = EnhancedBearers()
    var serving = LinkServing()

    /// The key that is shared with the peer.
    var bond: Bond?
    var security = LinkSecurity.none
    /// Whether the application has authorized the peer.
    var isAuthorized = false
    var protection = LinkProtection()

    /// Whether the MTU was asked for, which is done once.
    var hasAskedForMTU = false

    /// What is known of the peer's table.
    var lookup = DatabaseLookup()
    /// The operation that the lookup has under way.
    var lookupOperation: UInt64?
    /// Who waits for the table.
    var databaseRequests: [RequestIdentifier] = []

    /// The operation whose end shows that the link is usable, until it has ended.
    var probe: UInt64?
    /// The dial that made this link, until the link is found to be usable.
    var dial: RequestIdentifier?
    var procedures: [Procedure: Waiter] = [:]
    /// What the application has asked for, and may be asked for again when the link is better
    /// protected.
    var repeatable: [UInt64: HostCore.Demand.Wish] = [:]
    /// What a Peripheral asks for in the link layer, and may have to ask for in another way.
    var askedParameters: ConnectionUpdate?
    /// When a Peripheral asks for the parameters that it prefers.
    var preferredParametersDueAt: Instant?
    /// Requests that end when the link ends.
    var disconnectRequests: [RequestIdentifier] = []
    /// Until when the link has to be gone; nil while it may stay.
    var disconnectDeadline: Instant?
    var isDisconnecting: Bool { disconnectDeadline != nil }
    /// Whether the controller is told to when the peer has the keys that are on their way to it.
    var awaitsKeys = false
    /// When the controller, which would not end the link or has not been told to yet, is told to.
    var nextDisconnectAttempt: Instant?

    init(
        identifier: LinkIdentifier,
        report: ConnectionReport,
        identity: DeviceAddress,
        localAddress: DeviceAddress,
        dial: RequestIdentifier?,
        receiveMTULimit: Int
    ) {
        self.identifier = identifier
        handle = report.handle
        peer = report.peer
        self.identity = identity
        self.localAddress = localAddress
        isLocalAddressReported = report.localPrivateAddress != nil
        role = report.role
        parameters = report.parameters
        self.dial = dial
        logicalLink = LogicalLink(role: report.role == .peripheral ? .peripheral : .central)
        gatt = GATTClient(receiveMTULimit: receiveMTULimit)
    }

    /// Nobody waits for this request any more.
    mutating func forgetWaiter(_ request: RequestIdentifier) {
        for procedure in procedures.keys where procedures[procedure]?.request == request {
            procedures[procedure]?.request = nil
        }
    }

    private var nextDisconnect: Instant? { earliest(disconnectDeadline, nextDisconnectAttempt) }

    /// The same as `nextDeadline`, of a link that is not copied for it.
    mutating func findNextDeadline() -> Instant? { nextDeadline }

    var nextDeadline: Instant? {
        let waiting = procedures.isEmpty ? nil : procedures.values.map(\.deadline).min()
        let machines = earliest(
            earliest(gatt.nextDeadline, logicalLink.nextDeadline),
            earliest(enhanced.nextDeadline, preferredParametersDueAt)
        )
        let others = earliest(protection.nextDeadline, nextDisconnect)
        return earliest(machines, earliest(waiting, others))
    }
}
