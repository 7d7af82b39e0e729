// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// One end of a link: the state of the link in one controller.
///
/// An end is large, and is read and changed many times for every packet, so it is a class. Only its
/// link refers to it. It changes only through a link that was taken out of the table
/// (`EtherLinks`), and the table copies links that are shared. So a `LinkEnd` can be sent like a
/// value.
package final class LinkEnd: @unchecked Sendable {
    /// The number of connection intervals within which the first packet must arrive (Vol 6, Part B,
    /// 4.5.2).
    package static let establishmentIntervals = 6

    // Every connection event uses the first properties. They are stored next to each other, because
    // with many links an event finds little of its link in the processor's cache.

    /// The radio of this end.
    package let radio: RadioID
    /// The side of the link.
    let side: LinkSide
    /// Whether the last packet, empty or not, is not acknowledged. Then the end sends the same
    /// packet again.
    var isAwaitingAcknowledgement = false
    /// The sequence numbers of packets.
    var sequence = PacketSequence()
    /// The signal strength of the last received packet, in dBm.
    package internal(set) var rssi = ReceivedSignal.unavailable
    /// The reason with which the end closes as soon as it has acknowledged the last packet that it
    /// received.
    var termination: HCI.ErrorCode?
    /// The number of consecutive connection events in which the radio was not free, or not for long
    /// enough for all data.
    package internal(set) var missedEvents = 0
    /// The number of connection events that the peripheral skips from now on, unless it has data to
    /// send.
    var eventsToSkip = 0
    /// The arrival of the last whole packet; `nil` before the first.
    package internal(set) var lastReceived: Instant?
    /// The instant of the timer, which is not later than the next deadline.
    var deadlineInstant: Instant?
    /// The properties of the procedures that every packet needs.
    private(set) var flags: LinkProcedures.Flags
    /// The values that are computed from the settings and the packet lengths.
    private(set) var timing: LinkTiming
    /// The host's data that was not yet sent.
    var queue = LinkQueue()
    /// The PDU that is being sent, until it is acknowledged.
    package internal(set) var outgoing: LinkPDU?
    /// The channels, timing and modulation of packets at this end.
    package var settings: LinkSettings { didSet { timing = LinkTiming(settings, dataLength) } }

    /// The timer of the deadlines.
    var deadlineToken: EventToken?
    /// The negotiated lengths of packets.
    package var dataLength = LinkDataLength.minimum {
        didSet { timing = LinkTiming(settings, dataLength) }
    }
    /// The key that encrypts sent payloads; `nil` without encryption.
    package var sendingKey: [UInt8]?
    /// The key with which the end expects received payloads to be encrypted; `nil` without
    /// encryption.
    package var receivingKey: [UInt8]?
    /// The number of packets from the host that the controller holds, including partly sent and not
    /// acknowledged ones.
    package internal(set) var heldPackets = 0
    /// The handle of the link at this end's host.
    package let handle: ConnectionHandle
    /// The instant at which this end regarded the link as created.
    package let beginning: Instant
    /// The identities that are reported to the host of this end.
    package let identity: LinkIdentity
    /// The control procedures.
    package var procedures: LinkProcedures { didSet { flags = procedures.readFlags() } }

    init(
        radio: RadioID,
        handle: ConnectionHandle,
        identity: LinkIdentity,
        procedures: LinkProcedures,
        settings: LinkSettings,
        beginning: Instant
    ) {
        self.radio = radio
        self.handle = handle
        self.identity = identity
        side = procedures.side
        var procedures = procedures
        flags = procedures.readFlags()
        self.procedures = procedures
        self.settings = settings
        self.beginning = beginning
        timing = LinkTiming(settings, dataLength)
    }

    /// Creates a copy.
    init(copying other: LinkEnd) {
        radio = other.radio
        side = other.side
        handle = other.handle
        identity = other.identity
        beginning = other.beginning
        procedures = other.procedures
        flags = other.flags
        settings = other.settings
        dataLength = other.dataLength
        timing = other.timing
        sendingKey = other.sendingKey
        receivingKey = other.receivingKey
        queue = other.queue
        heldPackets = other.heldPackets
        sequence = other.sequence
        outgoing = other.outgoing
        isAwaitingAcknowledgement = other.isAwaitingAcknowledgement
        lastReceived = other.lastReceived
        rssi = other.rssi
        missedEvents = other.missedEvents
        eventsToSkip = other.eventsToSkip
        termination = other.termination
        deadlineToken = other.deadlineToken
        deadlineInstant = other.deadlineInstant
    }

    /// Whether the end has a PDU to send that is not empty.
    var hasSomethingToSend: Bool { outgoing != nil || hasMore }

    /// Whether the end has more PDUs after the current one: the MD bit.
    var hasMore: Bool { flags.hasPDU || (!queue.isEmpty && !flags.isDataPaused) }

    /// The instant at which the end closes, unless it receives a packet before.
    package var supervisionDeadline: Instant {
        guard let lastReceived else {
            return beginning + settings.parameters.interval * Self.establishmentIntervals
        }
        return Instant(nanoseconds: lastReceived.nanoseconds + timing.supervisionTimeout)
    }

    /// The next deadline of the end.
    var nextDeadline: Instant {
        guard let deadline = flags.nextDeadline else { return supervisionDeadline }
        return min(supervisionDeadline, deadline)
    }

    /// The instant for which the timer must be set; `nil` if the timer is set for that instant or
    /// before.
    var deadlineToArm: Instant? {
        let deadline = nextDeadline
        guard let due = deadlineInstant, due <= deadline else { return deadline }
        return nil
    }
}

/// Values for every packet, computed once when the settings or the data lengths change.
struct LinkTiming: Hashable, Sendable {
    /// The connection interval, in nanoseconds.
    let interval: Int64
    /// The supervision timeout, in nanoseconds.
    let supervisionTimeout: Int64
    /// The maximum length of the payload of a data PDU in bytes.
    let payloadLimit: Int
    /// The air time of an empty PDU, in nanoseconds.
    let emptyNanoseconds: Int64
    /// The parts of the settings that both ends must agree on.
    private let sending: PHY
    private let receiving: PHY
    private let agreedInterval: Duration
    private let shift: Duration
    private let channels: UInt64

    /// Computes the values. Two data packets, one in each direction, must fit into an interval, or
    /// one end might never send its data. The limit matters only on LE Coded.
    init(_ settings: LinkSettings, _ dataLength: LinkDataLength) {
        interval = max(Self.intervalMinimum, settings.parameters.interval.nanoseconds)
        supervisionTimeout = settings.parameters.supervisionTimeout.nanoseconds
        emptyNanoseconds = settings.sending.airNanoseconds(pduLength: PacketLength.header)
        sending = settings.sending.phy
        receiving = settings.receiving
        agreedInterval = settings.parameters.interval
        shift = settings.shift
        channels = settings.channelMap.rawValue
        let half = LinkDataLength(
            sendBytes: dataLength.sendBytes,
            sendTime: min(
                dataLength.sendTime,
                .nanoseconds((interval - 2 * Self.frameSpace) / 2)
            ),
            receiveBytes: dataLength.receiveBytes,
            receiveTime: dataLength.receiveTime
        )
        payloadLimit = min(
            half.sendLimit(on: settings.sending),
            PacketLength.dataPayloadLimit
        )
    }

    /// Returns whether packets of two ends with these values reach each other.
    func isCompatible(with other: LinkTiming) -> Bool {
        sending == other.receiving && receiving == other.sending
            && agreedInterval == other.agreedInterval && shift == other.shift
            && channels == other.channels
    }

    /// The shortest connection interval, in nanoseconds.
    static let intervalMinimum: Int64 = 7_500_000
    /// The pause after each packet, in nanoseconds.
    static let frameSpace = FrameSpace.betweenFrames.nanoseconds
}
