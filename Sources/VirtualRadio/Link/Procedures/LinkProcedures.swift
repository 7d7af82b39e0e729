// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The Link Layer control procedures of one end of a link (Vol 6, Part B, 5): a state machine that
/// neither sends nor waits. Its inputs are requests of the host, received PDUs, connection events
/// and the time. Its outputs are actions and control PDUs.
///
/// An end runs one procedure of its own at a time. Others wait, at most one of each kind. The end
/// also answers a procedure of the peer meanwhile. If both procedures need an instant, only the
/// central's procedure continues (Vol 6, Part B, 5.3).
package struct LinkProcedures: Sendable {
    /// An action for the owner. Actions are performed in order.
    package enum Action: Equatable, Sendable {
        /// Send the event to the host.
        case emit(HCI.Event)
        /// Use these connection parameters from the current event on, which begins `windowOffset`
        /// after its old anchor.
        case setParameters(LinkParameters, windowOffset: Duration)
        /// Use this modulation and PHY from the current event on.
        case setPHYs(sending: Modulation, receiving: PHY)
        /// Use these channels from the current event on.
        case setChannels(UInt64)
        /// Limit PDUs from now on to these lengths.
        case setDataLength(LinkDataLength)
        /// Turn the encryption of sent and of received PDUs on or off from now on. `nil` leaves a
        /// direction unchanged. `key` identifies the encryption session. A PDU that `nextPDU`
        /// returned before keeps its encryption.
        case setEncryption(sending: Bool?, receiving: Bool?, key: [UInt8]?)
        /// Close this end at once, and report the reason to its host (Disconnection Complete).
        case end(HCI.ErrorCode)
        /// Close this end as soon as it has acknowledged the last packet that it received.
        case endAfterAcknowledging(HCI.ErrorCode)
    }

    /// A control PDU to send, with actions that precede its encryption.
    package struct Outgoing: Equatable, Sendable {
        /// The PDU.
        package var pdu: LLControlPDU
        /// The actions to perform first, in order.
        package var actions: [Action] = []
    }

    /// The procedure response timeout: the time that the peer has for each step of a procedure (Vol
    /// 6, Part B, 5.2).
    package static let responseTimeout = Duration.seconds(40)
    /// The maximum number of PDUs in each outbox. Further PDUs are dropped. A peer that runs one
    /// procedure at a time never causes so many.
    static let outboxLimit = 16

    /// The side of this end.
    package let side: LinkSide
    /// The handle of the link at the host.
    package let handle: ConnectionHandle
    /// The capabilities of the controller.
    package let local: LinkCapabilities
    /// The connection parameters.
    package internal(set) var parameters: LinkParameters
    /// The data channels.
    package internal(set) var channels: UInt64
    /// The modulation of sent packets.
    package internal(set) var sending: Modulation
    /// The PHY of received packets.
    package internal(set) var receiving: PHY
    /// The lengths of packets.
    package internal(set) var dataLength = LinkDataLength.minimum
    /// The time without authenticated packets on an encrypted link after which the host gets an
    /// event.
    package internal(set) var authenticatedPayloadTimeout: Duration

    /// The actions since the owner last took them.
    var actions: [Action] = []
    /// The PDUs that wait to be sent.
    var outbox: [LLControlPDU] = []
    /// The PDUs that are sent first: they belong to encryption, or end the link.
    var urgentOutbox: [LLControlPDU] = []
    /// The running procedure of this end.
    var own: RunningProcedure?
    /// The waiting procedures, at most one of each kind.
    var waiting: [LinkProcedure] = []
    /// The peer's procedure that has an instant.
    var remote: RemoteProcedure?
    /// The deadline for the peer to continue its procedure.
    var remoteDeadline: Instant?
    /// The updates that await their instants, at most one of each kind.
    var updates: [InstantUpdate] = []
    /// The state of encryption.
    var encryption = EncryptionProgress()
    /// The arrival of the last authenticated packet, while the link is encrypted.
    var lastAuthenticated: Instant?
    /// Whether LL_PING_REQ was sent since the last authenticated packet.
    var hasPinged = false
    /// The features of the peer's Link Layer; `nil` before the exchange.
    var peerFeatures: HCI.LEFeatures?
    /// The version of the peer's Link Layer; `nil` before the exchange.
    var peerVersion: LinkVersion?
    /// Whether this end has sent its version, which it does once.
    var hasSentVersion = false
    /// The maximum length and air time of sent packets that the host requests.
    var preferredLength: (bytes: Int, time: Duration)
    /// The lengths that the peer has offered.
    var peerLength: LengthOffer?
    /// The PHYs that the host prefers.
    package var preference: HCI.PHYPreference
    /// The coding that the host prefers on LE Coded.
    var coding = HCI.CodedPHYPreference.none
    /// The reason with which this end disconnects, and the deadline for the peer's acknowledgment.
    var termination: (own: HCI.ErrorCode, deadline: Instant)?
    /// Whether the end is closed and does nothing more.
    var isOver = false
    /// The randomness of this end's halves of session key diversifiers and initialization vectors.
    var generator: RandomStream

    /// Creates an end of a requested link.
    package init(
        side: LinkSide,
        handle: ConnectionHandle,
        local: LinkCapabilities,
        proposal: LinkProposal,
        generator: RandomStream
    ) {
        self.side = side
        self.handle = handle
        self.local = local
        self.generator = generator
        parameters = proposal.parameters
        channels = proposal.channelMap
        sending = proposal.modulation
        receiving = proposal.modulation.phy
        authenticatedPayloadTimeout = local.authenticatedPayloadTimeout
        preferredLength = (local.suggestedBytes, local.suggestedTime)
        preference = local.preference
        dataLength = effectiveDataLength
        if local.suggestedBytes > LinkDataLength.minimum.sendBytes { enqueue(.dataLength) }
        startNext()
    }

    /// The properties that an end needs several times for every packet.
    struct Flags: Hashable, Sendable {
        /// `LinkProcedures.hasPDU`.
        let hasPDU: Bool
        /// `LinkProcedures.isDataPaused`.
        let isDataPaused: Bool
        /// `LinkProcedures.isAboutToDisconnect`.
        let isAboutToDisconnect: Bool
        /// Whether an update takes effect at a later connection event.
        let hasUpdates: Bool
        /// `LinkProcedures.nextDeadline`.
        let nextDeadline: Instant?
    }

    /// Returns the current flags. It is `mutating`, because a read of a struct that an object holds
    /// copies the struct.
    mutating func readFlags() -> Flags {
        Flags(
            hasPDU: hasPDU,
            isDataPaused: isDataPaused,
            isAboutToDisconnect: isAboutToDisconnect,
            hasUpdates: !updates.isEmpty,
            nextDeadline: nextDeadline
        )
    }

    /// Whether data must wait, because encryption is being started or paused, or the link is
    /// ending.
    package var isDataPaused: Bool {
        encryption.isBusy || (termination != nil && !isAboutToDisconnect) || isOver
    }

    /// Whether the end is disconnecting.
    var isDisconnecting: Bool { termination != nil }

    /// Whether the end is disconnecting and has not sent LL_TERMINATE_IND yet. Data that already
    /// waits is sent before it, because a host that sends an answer and then disconnects expects
    /// the answer to arrive. The supervision timeout limits the wait.
    package var isAboutToDisconnect: Bool {
        guard termination != nil, !encryption.isBusy, !isOver,
            case .terminateIndication = urgentOutbox.first
        else { return false }
        return true
    }

    /// Whether `nextPDU` returns a PDU.
    package var hasPDU: Bool {
        guard !isOver, termination == nil || !encryption.isAwaitingCentral else { return false }
        return !urgentOutbox.isEmpty || (!encryption.isBusy && !outbox.isEmpty)
    }

    /// The next instant at which the owner must call `deadlinePassed`.
    package var nextDeadline: Instant? {
        if isOver { return nil }
        if let termination { return termination.deadline }
        return earliest(authenticationDeadline, earliest(own?.deadline, remoteDeadline))
    }

    /// Handles the peer's acknowledgment of the PDU.
    package mutating func acknowledged(_ pdu: LLControlPDU, now: Instant) -> [Action] {
        guard !isOver, let termination, case .terminateIndication = pdu else { return [] }
        end(termination.own)
        return takeActions()
    }

    /// Handles `nextDeadline`, at that instant or later.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        guard !isOver, let deadline = nextDeadline, deadline <= now else { return [] }
        if let termination {
            end(termination.own)
        } else if let response = earliest(own?.deadline, remoteDeadline), response <= now {
            end(.linkLayerResponseTimeout)
        } else {
            authenticationDeadlinePassed(now: now)
            startNext()
        }
        return takeActions()
    }

    /// Handles a data PDU that is not empty and not a repetition, and whose MIC was valid, or
    /// absent on an unencrypted link. If the result contains an `end`, the data must not go to the
    /// host.
    package mutating func receiveData(now: Instant) -> [Action] {
        guard !isOver else { return [] }
        authenticated(now: now)
        if encryption.isStrict { end(.messageIntegrityFailure) }
        return takeActions()
    }

    /// Returns and removes the actions.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    mutating func emit(_ event: HCI.Event) { actions.append(.emit(event)) }

    /// Closes this end without a PDU to the peer.
    mutating func end(_ reason: HCI.ErrorCode) {
        actions.append(.end(reason))
        isOver = true
    }
}
