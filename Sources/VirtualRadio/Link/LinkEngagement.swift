// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// How connection events get their radios: each does one thing at a time, and several links share
/// it. An event that finds its radio taken does not happen; of two that are in each other's way
/// the one goes first that was in need more often.
extension Ether {
    /// Engages both radios for the first exchange, which begins now. Nil if the Central's is taken.
    ///
    /// If there is no time for all that the two have to say, the Peripheral's part waits.
    mutating func engageFirstExchange(
        of link: inout Link,
        on channel: RadioChannel
    ) -> ConnectionEvent? {
        let whole = link.exchangeLength
        let least = link.exchangeLength(answer: 0)
        guard var length = engage(.central, link, whole, orElse: least) else { return nil }
        var isThere = false
        if link.peripheral?.wantsToListen == true {
            let answered = engage(.peripheral, link, length, orElse: min(least, length))
            isThere = answered != nil
            length = answered ?? length
            if !isThere { link.peripheral?.missedEvents += 1 }
        }
        return ConnectionEvent(
            channel: channel,
            isPeripheralListening: isThere,
            isSqueezed: length < whole,
            exchangeEnd: Instant(nanoseconds: now.nanoseconds + length)
        )
    }

    /// Engages both radios for another exchange of the same event, which begins one frame space
    /// from now. False if there is no time for it before the next anchor, or before something else.
    mutating func engageNextExchange(of link: inout Link) -> Bool {
        guard let central = link.central?.radio, let peripheral = link.peripheral?.radio else {
            return false
        }
        let start = Instant(nanoseconds: now.nanoseconds + LinkPace.frameSpace)
        let end = Instant(nanoseconds: start.nanoseconds + link.exchangeLength)
        guard end <= link.nextAnchor,
            schedules[peripheral.index].isFree(from: start, to: end, for: link.id),
            schedules[central.index].engage(from: start, to: end, for: link.id, now: now)
        else { return false }
        schedules[peripheral.index].engage(from: start, to: end, for: link.id, now: now)
        link.event?.exchangeEnd = end
        return true
    }

    /// Engages the radios ahead for the first exchange of the next event, as far as is known now.
    mutating func engageAhead(for link: Link) {
        let start = link.anchor
        let end = Instant(nanoseconds: start.nanoseconds + link.exchangeLength)
        engage(.central, link, from: start, to: end)
        if link.peripheral?.wantsToListen == true {
            engage(.peripheral, link, from: start, to: end)
        }
    }

    /// Lets the radios go.
    mutating func release(_ link: Link) {
        if let radio = link.central?.radio { schedules[radio.index].release(link.id, from: now) }
        if let radio = link.peripheral?.radio { schedules[radio.index].release(link.id, from: now) }
    }

    /// Engages the radio of one side from now on, for one length or the other.
    private mutating func engage(
        _ side: LinkSide,
        _ link: Link,
        _ length: Int64,
        orElse other: Int64
    ) -> Int64? {
        let now = now
        let end = Instant(nanoseconds: now.nanoseconds + length)
        if engage(side, link, from: now, to: end) { return length }
        guard other < length else { return nil }
        let otherEnd = Instant(nanoseconds: now.nanoseconds + other)
        return engage(side, link, from: now, to: otherEnd) ? other : nil
    }

    /// Engages the radio of one side. False if there is none, or it is taken.
    @discardableResult
    private mutating func engage(
        _ side: LinkSide,
        _ link: Link,
        from start: Instant,
        to end: Instant
    ) -> Bool {
        guard let radio = link[side]?.radio, let urgency = link[side]?.missedEvents else {
            return false
        }
        return schedules[radio.index]
            .engage(from: start, to: end, for: link.id, urgency: urgency, now: now)
    }
}

extension Link {
    /// How long the next exchange takes, with all that both have to say, in nanoseconds.
    var exchangeLength: Int64 {
        guard let number = peripheral?.sequence.sending else { return exchangeLength(answer: 0) }
        // What the Central has heard of the Peripheral will not come again.
        let isHeard = central?.sequence.expecting != number
        return exchangeLength(answer: peripheral?.nextPayload(isHeard: isHeard) ?? 0)
    }

    /// How long the next exchange takes if the Peripheral's PDU has so many octets of payload and
    /// MIC.
    func exchangeLength(answer: Int) -> Int64 {
        guard let sending = central?.rhythm.sending, let request = central?.nextRequest else {
            return 0
        }
        let answering = peripheral?.rhythm.sending ?? sending
        return sending.airNanoseconds(pduLength: PacketLength.header + request)
            + answering.airNanoseconds(pduLength: PacketLength.header + answer)
            + 2 * LinkPace.frameSpace
    }
}

extension LinkEnd {
    /// The most a control PDU has, in octets with its MIC.
    private static let controlLength = DataLength.minimum.sendOctets + PacketLength.mic

    /// What a Central sends next: how many octets payload and MIC are.
    fileprivate var nextRequest: Int { nextPayload(isHeard: !isAwaitingAcknowledgement) }

    /// What it sends next, if the peer has heard what it sent last or has not: how many octets
    /// payload and MIC are, at most.
    func nextPayload(isHeard: Bool) -> Int {
        let isAgain = isAwaitingAcknowledgement && !isHeard
        if let length = outgoing?.length, isAgain || !isAwaitingAcknowledgement {
            return length - PacketLength.header
        }
        if isAgain { return 0 }
        let isLast = procedures.isAboutToLeave && !queue.isEmpty
        if procedures.hasPDU, !isLast { return Self.controlLength }
        guard !queue.isEmpty, !procedures.isDataPaused else { return 0 }
        let payload = min(queue.nextLength, pace.payloadLimit)
        return payload + (sendingKey == nil ? 0 : PacketLength.mic)
    }
}
