// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The Link Layer control procedures of one end of a link (Vol 6, Part B, 5): a value that neither
/// sends nor waits. It is told what its host asks, what arrived, which event begins and what time
/// it is, and it tells what to do.
package struct LinkProcedures: Sendable {
    /// What the owner is to do, in order.
    package enum Action: Equatable, Sendable {
        /// Tell the host.
        case emit(HCI.Event)
        /// The event that begins now is the first of this pace, the windowOffset after its old anchor.
        case setParameters(LinkParameters, windowOffset: Duration)
        /// From the event that begins now on, this end sends and receives so.
        case setPHYs(sending: Modulation, receiving: PHY)
        /// From the event that begins now on, these are the channels.
        case setChannels(UInt64)
        /// Cut what is sent from now on so.
        case setDataLength(DataLength)
        /// What is sent or received from now on is encrypted in the session of `key`, or is not. Nil
        /// leaves a direction as it is. What was given by `nextPDU` before is sent as it was then.
        case setEncryption(sending: Bool?, receiving: Bool?, key: [UInt8]?)
        /// The end is over at once; its host is told why (Disconnection Complete).
        case end(HCI.ErrorCode)
        /// The end is over as soon as it has acknowledged what it received last.
        case endAfterAcknowledging(HCI.ErrorCode)
    }

    /// A control PDU to send, and what to do before it is encrypted and sent.
    package struct Outgoing: Equatable, Sendable {
        package var pdu: LLControlPDU
        package var actions: [Action] = []
    }

    /// Which end it is.
    package let side: LinkSide
    /// How the host calls the link.
    package let handle: ConnectionHandle
    /// What the controller brings.
    package let local: LinkCapabilities
    /// The pace of the link.
    package private(set) var parameters: LinkParameters
    /// The channels of the link.
    package private(set) var channels: UInt64
    /// How it sends.
    package private(set) var sending: Modulation
    /// On which PHY it receives.
    package private(set) var receiving: PHY
    /// How long packets may be.
    package private(set) var dataLength = DataLength.minimum
    /// How long an encrypted link may be without authenticated packets before the host is told.
    package private(set) var authenticatedPayloadTimeout: Duration
    private var dice: RandomStream

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
    }

    /// Whether data has to wait: encryption is being started, paused, or the link ended.
    package var isDataPaused: Bool { false }

    /// Whether `nextPDU` would give one.
    package var hasPDU: Bool { false }

    /// When `deadlinePassed` wants to be called next.
    package var nextDeadline: Instant? { nil }

    /// Does what the host asks, or throws how the command is refused; then nothing has changed.
    package mutating func request(
        _ request: LinkProcedureRequest,
        eventCounter: UInt16,
        now: Instant
    ) throws(HCI.ErrorCode) -> [Action] { [] }

    /// The peer's PDU has arrived, for the first time, and its MIC was right.
    ///
    /// - Parameter wanted: The LE events that the host has unmasked (none if LE Meta is masked): on
    ///   two of them it depends how the Link Layer goes on (Vol 4, Part E, 7.7.65.5 and 7.7.65.6).
    package mutating func receive(
        _ pdu: LLControlPDU,
        wanted: HCI.LEEventMask,
        eventCounter: UInt16,
        now: Instant
    ) -> [Action] { [] }

    /// A data PDU that is not empty has arrived for the first time; its MIC was right, or it has
    /// none as it must. If an `end` comes back, the data is not for the host.
    package mutating func receiveData(now: Instant) -> [Action] { [] }

    /// The next control PDU to send; the owner calls it when the one before is acknowledged, and
    /// prefers it to data. Does the actions first.
    package mutating func nextPDU(eventCounter: UInt16, now: Instant) -> Outgoing? { nil }

    /// The peer has acknowledged the PDU.
    package mutating func acknowledged(_ pdu: LLControlPDU, now: Instant) -> [Action] { [] }

    /// The event with that number begins: before its first packet. Events that the end passes over
    /// need not be told.
    package mutating func eventBegins(_ eventCounter: UInt16, now: Instant) -> [Action] { [] }

    /// It is `nextDeadline`, or later.
    package mutating func deadlinePassed(now: Instant) -> [Action] { [] }
}
