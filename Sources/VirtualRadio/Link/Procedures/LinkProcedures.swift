// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The Link Layer control procedures of one end of a link (Vol 6, Part B, 5): a value that neither
/// sends nor waits. It is told what its host asks, what arrived, which event begins and what time
/// it is, and it tells what to do.
///
/// An end runs one procedure of its own at a time; others wait, at most one of a kind. What the peer
/// starts is answered beside it, unless both need an instant: then the Central's goes on
/// (Vol 6, Part B, 5.3).
package struct LinkProcedures: Sendable {
    /// What the owner is to do, in order.
    package enum Action: Equatable, Sendable {
        /// Tell the host.
        case emit(HCI.Event)
        /// The event that begins now is the first of this pace, the windowOffset after its old
        /// anchor.
        case setParameters(LinkParameters, windowOffset: Duration)
        /// From the event that begins now on, this end sends and receives so.
        case setPHYs(sending: Modulation, receiving: PHY)
        /// From the event that begins now on, these are the channels.
        case setChannels(UInt64)
        /// Cut what is sent from now on so.
        case setDataLength(DataLength)
        /// What is sent or received from now on is encrypted in the session of `key`, or is not.
        /// Nil leaves a direction as it is. What was given by `nextPDU` before is sent as it was
        /// then.
        case setEncryption(sending: Bool?, receiving: Bool?, key: [UInt8]?)
        /// The end is over at once; its host is told why (Disconnection Complete).
        case end(HCI.ErrorCode)
        /// The end is over as soon as it has acknowledged what it received last.
        case endAfterAcknowledging(HCI.ErrorCode)
    }

    /// A control PDU to send, and what to do before it is encrypted and sent.
    package struct Outgoing: Equatable, Sendable {
        /// What to send.
        package var pdu: LLControlPDU
        /// What to do first, in order.
        package var actions: [Action] = []
    }

    /// How long the peer may take for each step of a procedure (Vol 6, Part B, 5.2).
    package static let responseTimeout = Duration.seconds(40)
    /// How many PDUs wait to be sent. A peer that keeps to one procedure at a time never makes it
    /// that many; one that does not gets no more answers.
    static let outboxLimit = 16

    /// Which end it is.
    package let side: LinkSide
    /// How the host calls the link.
    package let handle: ConnectionHandle
    /// What the controller brings.
    package let local: LinkCapabilities
    /// The pace of the link.
    package internal(set) var parameters: LinkParameters
    /// The channels of the link.
    package internal(set) var channels: UInt64
    /// How it sends.
    package internal(set) var sending: Modulation
    /// On which PHY it receives.
    package internal(set) var receiving: PHY
    /// How long packets may be.
    package internal(set) var dataLength = DataLength.minimum
    /// How long an encrypted link may be without authenticated packets before the host is told.
    package internal(set) var authenticatedPayloadTimeout: Duration

    /// What is to be done, since the owner last asked.
    var actions: [Action] = []
    /// What waits to be sent.
    var outbox: [LLControlPDU] = []
    /// What waits to be sent, and goes first: it belongs to encryption, or ends the link.
    var urgentOutbox: [LLControlPDU] = []
    /// The procedure of its own.
    var own: RunningProcedure?
    /// What comes after that, one of each kind.
    var waiting: [Procedure] = []
    /// The peer's procedure that has an instant.
    var remote: RemoteProcedure?
    /// When the peer has to go on with a procedure that it started.
    var remoteDeadline: Instant?
    /// What changes later, one of each kind.
    var updates: [InstantUpdate] = []
    /// How far encryption is.
    var encryption = EncryptionProgress()
    /// When the last authenticated packet came, while the link is encrypted.
    var lastAuthenticated: Instant?
    /// Whether the peer has been asked for one since.
    var hasPinged = false
    /// What the peer's Link Layer can do; nil before it said so.
    var peerFeatures: HCI.LEFeatures?
    /// Who made the peer's Link Layer; nil before it said so.
    var peerVersion: LinkVersion?
    /// Whether the peer was told the own version: that is done once.
    var hasSentVersion = false
    /// How long the packets may be that it sends, as the host wants.
    var lengthWish: (octets: Int, time: Duration)
    /// What the peer said of its packets.
    var peerLength: LengthOffer?
    /// The PHYs that the host wants.
    var preference: HCI.PHYPreference
    /// How it codes on LE Coded.
    var coding = HCI.CodedPHYPreference.none
    /// Why it is ending the link, and until when it tries to say so.
    var farewell: (own: HCI.ErrorCode, deadline: Instant)?
    /// Whether the end is over: it does nothing more.
    var isOver = false
    /// Its chance: halves of sessions.
    var dice: RandomStream

    /// An end of a link that begins so.
    package init(
        side: LinkSide,
        handle: ConnectionHandle,
        local: LinkCapabilities,
        proposal: LinkProposal,
        dice: RandomStream
    ) {
        self.side = side
        self.handle = handle
        self.local = local
        self.dice = dice
        parameters = proposal.parameters
        channels = proposal.channelMap
        sending = proposal.modulation
        receiving = proposal.modulation.phy
        authenticatedPayloadTimeout = local.authenticatedPayloadTimeout
        lengthWish = (local.suggestedOctets, local.suggestedTime)
        preference = local.preference
        dataLength = effectiveDataLength
        if local.suggestedOctets > DataLength.minimum.sendOctets { enqueue(.dataLength) }
        startNext()
    }

    /// Whether data has to wait: encryption is being started or paused, or the link ended.
    package var isDataPaused: Bool {
        encryption.isBusy || (farewell != nil && !isAboutToLeave) || isOver
    }

    /// Whether the end says good-bye, or has said it.
    var isLeaving: Bool { farewell != nil }

    /// Whether the good-bye is not said yet: data that waits goes first, for a host that answers
    /// and then disconnects means its answer to arrive. Where that takes too long, the supervision
    /// timeout ends it.
    package var isAboutToLeave: Bool {
        guard farewell != nil, !encryption.isBusy, !isOver,
            case .terminateIndication = urgentOutbox.first
        else { return false }
        return true
    }

    /// Whether `nextPDU` would give one.
    package var hasPDU: Bool {
        guard !isOver, farewell == nil || !encryption.isSwitching else { return false }
        return !urgentOutbox.isEmpty || (!encryption.isBusy && !outbox.isEmpty)
    }

    /// When `deadlinePassed` wants to be called next.
    package var nextDeadline: Instant? {
        if isOver { return nil }
        if let farewell { return farewell.deadline }
        return earliest(authenticationDeadline, earliest(own?.deadline, remoteDeadline))
    }

    /// The peer has acknowledged the PDU.
    package mutating func acknowledged(_ pdu: LLControlPDU, now: Instant) -> [Action] {
        guard !isOver, let farewell, case .terminateIndication = pdu else { return [] }
        end(farewell.own)
        return takeActions()
    }

    /// It is `nextDeadline`, or later.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        guard !isOver, let deadline = nextDeadline, deadline <= now else { return [] }
        if let farewell {
            end(farewell.own)
        } else if let response = earliest(own?.deadline, remoteDeadline), response <= now {
            end(.linkLayerResponseTimeout)
        } else {
            authenticationDeadlinePassed(now: now)
            startNext()
        }
        return takeActions()
    }

    /// A data PDU that is not empty has arrived for the first time; its MIC was right, or it has
    /// none as it must. If an `end` comes back, the data is not for the host.
    package mutating func receiveData(now: Instant) -> [Action] {
        guard !isOver else { return [] }
        authenticated(now: now)
        if encryption.isStrict { end(.messageIntegrityFailure) }
        return takeActions()
    }

    /// Takes out what is to be done.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    mutating func emit(_ event: HCI.Event) { actions.append(.emit(event)) }

    /// The end is over, without a word to the peer.
    mutating func end(_ reason: HCI.ErrorCode) {
        actions.append(.end(reason))
        isOver = true
    }
}
