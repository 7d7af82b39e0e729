// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Reservations of radios for connection events. A radio does one thing at a time, and its links
/// share it. An event does not take place if the central's radio is reserved. A reservation that
/// has not begun gives way to the event of a link that has missed more events.
extension Ether {
    /// Reserves the central's radio, and the peripheral's if the peripheral listens, for
    /// the first exchange, which begins now.
    ///
    /// If there is no time for the data of both ends, the peripheral's data waits.
    ///
    /// - Returns: The event; `nil` if the central's radio is reserved.
    mutating func reserveFirstExchange(
        of link: inout RadioLink,
        on channel: RadioChannel
    ) -> ConnectionEvent? {
        let whole = link.nextExchangeLength()
        let least = link.nextExchangeLength(answer: 0)
        guard var length = reserve(link.central, of: link.id, whole, orElse: least) else {
            return nil
        }
        var isThere = false
        if link.peripheral?.listensAtNextAnchor == true {
            let answered = reserve(link.peripheral, of: link.id, length, orElse: min(least, length))
            isThere = answered != nil
            length = answered ?? length
            if !isThere { link.peripheral?.missedEvents += 1 }
        }
        return ConnectionEvent(
            channel: channel,
            isPeripheralListening: isThere,
            isShortened: length < whole,
            exchangeEnd: Instant(nanoseconds: now.nanoseconds + length)
        )
    }

    /// Reserves both radios for another exchange of the same event, which begins one frame space
    /// from now.
    ///
    /// - Returns: `false` if there is not enough time before the next anchor or another
    ///   reservation.
    mutating func reserveNextExchange(of link: inout RadioLink) -> Bool {
        guard let central = link.central?.radio, let peripheral = link.peripheral?.radio else {
            return false
        }
        let start = Instant(nanoseconds: now.nanoseconds + LinkTiming.frameSpace)
        let end = Instant(nanoseconds: start.nanoseconds + link.nextExchangeLength())
        guard end <= link.nextAnchor,
            schedules[peripheral.index].isFree(from: start, to: end, for: link.id),
            schedules[central.index].reserve(from: start, to: end, for: link.id, now: now)
        else { return false }
        schedules[peripheral.index].reserve(from: start, to: end, for: link.id, now: now)
        link.event?.exchangeEnd = end
        return true
    }

    /// Reserves the radios in advance for the first exchange of the next event, with the length
    /// that is known now.
    mutating func reserveAhead(for link: inout RadioLink) {
        let start = link.anchor
        let end = Instant(nanoseconds: start.nanoseconds + link.nextExchangeLength())
        reserve(link.central, of: link.id, from: start, to: end)
        if link.peripheral?.listensAtNextAnchor == true {
            reserve(link.peripheral, of: link.id, from: start, to: end)
        }
    }

    /// Releases the radios.
    mutating func release(_ link: inout RadioLink) {
        if let radio = link.central?.radio { schedules[radio.index].release(link.id, from: now) }
        if let radio = link.peripheral?.radio { schedules[radio.index].release(link.id, from: now) }
    }

    /// Reserves the radio of an end from now on, for `length` or else for `other`, both in
    /// nanoseconds.
    ///
    /// - Returns: The length that was possible; `nil` if neither was.
    private mutating func reserve(
        _ linkEnd: LinkEnd?,
        of link: LinkID,
        _ length: Int64,
        orElse other: Int64
    ) -> Int64? {
        let now = now
        let end = Instant(nanoseconds: now.nanoseconds + length)
        if reserve(linkEnd, of: link, from: now, to: end) { return length }
        guard other < length else { return nil }
        let otherEnd = Instant(nanoseconds: now.nanoseconds + other)
        return reserve(linkEnd, of: link, from: now, to: otherEnd) ? other : nil
    }

    /// Reserves the radio of an end.
    ///
    /// - Returns: `false` if there is no such end, or its radio is reserved.
    @discardableResult
    mutating func reserve(
        _ end: LinkEnd?,
        of link: LinkID,
        from start: Instant,
        to instant: Instant
    ) -> Bool {
        guard let end else { return false }
        return schedules[end.radio.index]
            .reserve(from: start, to: instant, for: link, urgency: end.missedEvents, now: now)
    }
}

extension RadioLink {
    /// Returns the duration of the next exchange with the data of both ends, in nanoseconds.
    ///
    /// This and the next method are `mutating`, because a read would copy the whole link.
    mutating func nextExchangeLength() -> Int64 {
        guard let number = peripheral?.sequence.sending else {
            return nextExchangeLength(answer: 0)
        }
        // The peripheral does not repeat a packet that the central has received.
        let isReceived = central?.sequence.expecting != number
        return nextExchangeLength(answer: peripheral?.nextPayload(isReceived: isReceived) ?? 0)
    }

    /// Returns the duration of the next exchange, in nanoseconds, if the peripheral's PDU has
    /// `answer` bytes of payload and MIC.
    mutating func nextExchangeLength(answer: Int) -> Int64 {
        guard let sending = central?.settings.sending, let request = central?.nextRequest else {
            return 0
        }
        let answering = peripheral?.settings.sending ?? sending
        return sending.airNanoseconds(pduLength: PacketLength.header + request)
            + answering.airNanoseconds(pduLength: PacketLength.header + answer)
            + 2 * LinkTiming.frameSpace
    }
}

extension LinkEnd {
    /// The maximum length of the payload of a control PDU and its MIC, in bytes.
    private static let controlLength = LinkDataLength.minimum.sendBytes + PacketLength.mic

    /// The maximum length of the central's next PDU: payload and MIC in bytes.
    fileprivate var nextRequest: Int { nextPayload(isReceived: !isAwaitingAcknowledgement) }

    /// Returns the maximum length of the next PDU: payload and MIC in bytes.
    ///
    /// - Parameter isReceived: Whether the peer has received the last PDU.
    func nextPayload(isReceived: Bool) -> Int {
        let isRetransmission = isAwaitingAcknowledgement && !isReceived
        if let length = outgoing?.length, isRetransmission || !isAwaitingAcknowledgement {
            return length - PacketLength.header
        }
        if isRetransmission { return 0 }
        let isLast = flags.isAboutToDisconnect && !queue.isEmpty
        if flags.hasPDU, !isLast { return Self.controlLength }
        guard !queue.isEmpty, !flags.isDataPaused else { return 0 }
        let payload = min(queue.nextLength, timing.payloadLimit)
        return payload + (sendingKey == nil ? 0 : PacketLength.mic)
    }
}
