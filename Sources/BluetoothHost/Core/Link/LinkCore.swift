// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

/// The state of one link, and the methods for everything that happens on it.
///
/// A link recombines packets, and runs the channels and the bearers. It contains the GATT client
/// and the Security Manager for its peer, and connects the peer to the host's server. The methods
/// take the `LinkContext`, which holds the shared state, and append their actions to the context's
/// outbox.
struct LinkCore: Sendable {
    /// The link-layer procedures. A link runs one of each kind at a time.
    enum Procedure: Hashable, Sendable {
        case connectionUpdate
        case phyUpdate
        case versionExchange
        case encryption
    }

    /// The request that awaits the result of a procedure, and the procedure's deadline.
    struct Waiter: Sendable {
        /// The request, or `nil` if the host itself needs the procedure or the application has
        /// canceled the request.
        var request: RequestIdentifier?
        let deadline: Instant
    }

    /// The time that a link-layer procedure may take before its request fails (Vol 6, Part B, 5.2).
    package static let procedureTimeout: Duration = .seconds(40)

    let identifier: LinkIdentifier
    let handle: ConnectionHandle
    /// The address that the peer used when the link was made.
    let peer: DeviceAddress
    /// The peer's identity address if the controller or the host has resolved `peer`, or the peer
    /// has bonded on this link. Otherwise `peer`.
    var identity: DeviceAddress
    /// The address that the local controller uses on this link. On a peripheral with several
    /// advertising sets, the address may be wrong until the controller has reported which set led
    /// to the link. This report arrives after the beginning of the link and before the peer's first
    /// packet.
    var localAddress: DeviceAddress
    /// Whether the controller itself reported `localAddress`.
    let isLocalAddressReported: Bool
    /// The role of this host.
    let role: HCI.Role
    var parameters: ConnectionParameters
    var dataLength = DataLength(
        transmitBytes: DataLength.byteRange.lowerBound,
        receiveBytes: DataLength.byteRange.lowerBound
    )
    var phy = LinkPHY(transmit: .le1M, receive: .le1M)

    var recombiner = FrameRecombiner()
    /// The signaling channel, and the channels that it opens.
    var logicalLink: LogicalLink
    /// Whether the channels of `logicalLink` send the next frame before ATT does. The two take
    /// turns.
    var sendsChannelsNext = false
    /// The bearer of the fixed channel, which every link has.
    var bearer: LinkBearer
    /// The bearers on enhanced channels.
    var enhanced = EnhancedBearers()
    var serving = LinkServing()

    /// The keys that are shared with the peer.
    var bond: Bond? {
        didSet { hasBond = bond != nil }
    }
    /// Whether there is a bond. The value is stored, because a comparison copies the bond, and the
    /// link needs it for every value.
    private(set) var hasBond = false
    var security = LinkSecurity.none
    /// Whether the application has authorized the peer.
    var isAuthorized = false
    var protection = LinkProtection() {
        didSet { protectionDeadline = protection.nextDeadline }
    }
    /// The deadline of `protection`, stored when it changes, because it changes rarely.
    private(set) var protectionDeadline: Instant?

    /// Whether this host has begun an MTU exchange, which is allowed once.
    var hasAskedForMTU = false

    /// The search for the peer's database, and its result.
    var lookup = DatabaseLookup()
    /// The current operation of the search.
    var lookupOperation: UInt64?
    var databaseRequests: [RequestIdentifier] = []
    /// The handles of all indications of Service Changed that arrived before encryption.
    var unverifiedChange: ClosedRange<AttributeHandle>?

    /// The MTU exchange, whose answer shows that the link is usable; `nil` before it begins and
    /// after its end.
    var probe: UInt64?
    /// The connection request that this link answers; `nil` after it was completed.
    var connectionRequest: RequestIdentifier?
    var procedures: [Procedure: Waiter] = [:]
    /// The requests that are repeated if the peer refuses them because the link lacks protection.
    var repeatable: [UInt64: DeferredRequest] = [:]
    /// The requests that the peer refused for lack of protection. They are keyed by the operation
    /// that protects the link, and repeated after it.
    var refused: [UInt64: RefusedRequest] = [:]
    /// The parameters that a peripheral requests in the Link Layer, and may have to request again
    /// on the signaling channel.
    var askedParameters: ConnectionUpdate?
    /// The time at which a peripheral asks for its preferred parameters.
    var preferredParametersDueAt: Instant?
    /// The requests that the end of the link completes.
    var disconnectRequests: [RequestIdentifier] = []
    /// The time at which the link must have ended, or `nil` if it is not being disconnected.
    var disconnectDeadline: Instant?
    /// Whether the disconnection waits until the peer has its keys.
    var awaitsKeyDelivery = false
    /// The time of the next Disconnect command.
    var nextDisconnectAttempt: Instant?

    /// Whether the link is in `LinkContext.blockedLinks`. The value is stored, because the link
    /// needs it for every packet.
    var isBlocked = false
    /// Whether `LinkContext.occupyingLinks` counts this link.
    var isCountedAsOccupying = false

    var isDisconnecting: Bool { disconnectDeadline != nil }

    init(
        identifier: LinkIdentifier,
        report: ConnectionReport,
        identity: DeviceAddress,
        localAddress: DeviceAddress,
        connectionRequest: RequestIdentifier?,
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
        self.connectionRequest = connectionRequest
        logicalLink = LogicalLink(role: report.role == .peripheral ? .peripheral : .central)
        bearer = LinkBearer(receiveMTULimit: receiveMTULimit)
    }

    /// Returns the earliest deadline of the link. The method is `mutating`, because a nonmutating
    /// method would copy the link after every input.
    mutating func readNextDeadline() -> Instant? {
        var soonest = earliest(bearer.att.nextDeadline, logicalLink.nextDeadline)
        if !enhanced.isEmpty { soonest = earliest(soonest, enhanced.nextDeadline) }
        soonest = earliest(soonest, enhanced.nextRepetition)
        soonest = earliest(soonest, preferredParametersDueAt)
        soonest = earliest(soonest, protectionDeadline)
        soonest = earliest(soonest, earliest(disconnectDeadline, nextDisconnectAttempt))
        if !procedures.isEmpty {
            for waiter in procedures.values { soonest = earliest(soonest, waiter.deadline) }
        }
        return soonest
    }

    mutating func deadlinePassed(_ context: inout LinkContext) {
        expireBearers(&context)
        perform(logicalLink.deadlinePassed(now: context.now), &context)
        repeatEnhancedOpenings(&context)
        expireProtection(&context)
        if let due = preferredParametersDueAt, due <= context.now {
            askForPreferredParameters(&context)
        }
        if let deadline = disconnectDeadline, deadline <= context.now {
            context.emit(.log("the controller does not end a link, which counts as ended"))
            return context.post(.ended(.disconnected(.connectionTimeout)), of: identifier)
        }
        if let attempt = nextDisconnectAttempt, attempt <= context.now {
            attemptDisconnect(&context)
        }
        expireProcedures(&context)
    }
}
