// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// One end of a link: what one controller knows of it.
///
/// It is large, and is looked at and changed many times for every packet, so it stays in one place.
/// Only its link refers to it, and is changed only by who has taken it out of the table (`LinkTable`),
/// which makes copies of what is shared: so it may be sent like a value.
package final class LinkEnd: @unchecked Sendable {
    /// Before how many intervals the first packet has to be there (Vol 6, Part B, 4.5.2).
    package static let establishmentIntervals = 6

    /// Whose end it is.
    package let radio: RadioID
    /// How its host calls the link.
    package let handle: ConnectionHandle
    /// Who its host is told to be at the other end.
    package let identity: LinkIdentity
    /// When it took the link as made.
    package let beginning: Instant

    /// The control procedures.
    package var procedures: LinkProcedures
    /// How packets are sent and when, as this end sees it.
    package var rhythm: LinkRhythm { didSet { pace = LinkPace(rhythm, dataLength) } }
    /// How long packets may be.
    package var dataLength = DataLength.minimum { didSet { pace = LinkPace(rhythm, dataLength) } }
    /// What follows from the two.
    private(set) var pace: LinkPace
    /// With what it encrypts what it sends; nil for nothing.
    package var sendingKey: [UInt8]?
    /// With what it expects the peer's payloads to be encrypted; nil for nothing.
    package var receivingKey: [UInt8]?

    /// The host's data that has not been sent.
    var queue = LinkQueue()
    /// How many of the host's packets it holds, sent in part or not acknowledged included.
    package internal(set) var heldPackets = 0
    /// What keeps its packets in order.
    var sequence = PacketSequence()
    /// The PDU that has been taken to be sent, until it is acknowledged.
    var outgoing: LinkPDU?

    /// Whether it has sent a packet, empty or not, that is not acknowledged: then it sends just
    /// that again.
    var isAwaitingAcknowledgement = false

    /// When the last packet arrived whole; nil before the first.
    package internal(set) var lastHeard: Instant?
    /// How strong the last packet was.
    package internal(set) var rssi = SignalStrength.unavailable
    /// In how many connection events in a row the radio was taken, or too short of time for what
    /// there was to send.
    package internal(set) var missedEvents = 0
    /// How many connection events the Peripheral passes over from here, if it has nothing to say.
    var eventsToSkip = 0
    /// The reason with which the end is over as soon as it has acknowledged what it received last.
    var farewell: HCI.ErrorCode?

    /// The timer of its deadlines.
    var deadlineToken: EventToken?
    /// When that is due: at the next deadline, or before.
    var deadlineInstant: Instant?

    init(
        radio: RadioID,
        handle: ConnectionHandle,
        identity: LinkIdentity,
        procedures: LinkProcedures,
        rhythm: LinkRhythm,
        beginning: Instant
    ) {
        self.radio = radio
        self.handle = handle
        self.identity = identity
        self.procedures = procedures
        self.rhythm = rhythm
        self.beginning = beginning
        pace = LinkPace(rhythm, dataLength)
    }

    /// The same once more, in a place of its own.
    init(copying other: LinkEnd) {
        radio = other.radio
        handle = other.handle
        identity = other.identity
        beginning = other.beginning
        procedures = other.procedures
        rhythm = other.rhythm
        dataLength = other.dataLength
        pace = other.pace
        sendingKey = other.sendingKey
        receivingKey = other.receivingKey
        queue = other.queue
        heldPackets = other.heldPackets
        sequence = other.sequence
        outgoing = other.outgoing
        isAwaitingAcknowledgement = other.isAwaitingAcknowledgement
        lastHeard = other.lastHeard
        rssi = other.rssi
        missedEvents = other.missedEvents
        eventsToSkip = other.eventsToSkip
        farewell = other.farewell
        deadlineToken = other.deadlineToken
        deadlineInstant = other.deadlineInstant
    }

    /// Whether it has something to say beside that it is there.
    var hasSomethingToSend: Bool { outgoing != nil || hasMore }

    /// Whether it has something to say beside what it is saying: the MD bit.
    var hasMore: Bool { procedures.hasPDU || (!queue.isEmpty && !procedures.isDataPaused) }

    /// When it gives the link up, if nothing is heard until then.
    package var supervisionDeadline: Instant {
        guard let lastHeard else {
            return beginning + rhythm.parameters.interval * Self.establishmentIntervals
        }
        return Instant(nanoseconds: lastHeard.nanoseconds + pace.supervisionTimeout)
    }

    /// When something of it is due.
    var nextDeadline: Instant {
        guard let deadline = procedures.nextDeadline else { return supervisionDeadline }
        return min(supervisionDeadline, deadline)
    }

    /// When its timer has to be due that is not; nil if that is, or will be before.
    var deadlineToArm: Instant? {
        let deadline = nextDeadline
        guard let due = deadlineInstant, due <= deadline else { return deadline }
        return nil
    }
}

/// What an end would have to work out for every packet, worked out when its rhythm changes.
struct LinkPace: Hashable, Sendable {
    /// The connection interval, in nanoseconds.
    let interval: Int64
    /// The supervision timeout, in nanoseconds.
    let supervisionTimeout: Int64
    /// The longest payload of a data PDU, in octets.
    let payloadLimit: Int

    /// Two packets of data have to fit into an interval, one from each side, or one side might
    /// never have its turn. Only on LE Coded they might not.
    init(_ rhythm: LinkRhythm, _ dataLength: DataLength) {
        interval = max(Self.intervalMinimum, rhythm.parameters.interval.nanoseconds)
        supervisionTimeout = rhythm.parameters.supervisionTimeout.nanoseconds
        let half = DataLength(
            sendOctets: dataLength.sendOctets,
            sendTime: min(
                dataLength.sendTime,
                .nanoseconds((interval - 2 * Self.frameSpace) / 2)
            ),
            receiveOctets: dataLength.receiveOctets,
            receiveTime: dataLength.receiveTime
        )
        payloadLimit = min(
            half.sendLimit(on: rhythm.sending),
            PacketLength.dataPayloadLimit
        )
    }

    /// The shortest connection interval, in nanoseconds.
    static let intervalMinimum: Int64 = 7_500_000
    /// The pause after each packet, in nanoseconds.
    static let frameSpace = FrameSpace.betweenFrames.nanoseconds
}
