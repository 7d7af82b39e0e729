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
        guard var length = engage(.central, link, [whole, least]) else { return nil }
        var isThere = false
        if let peripheral = link.peripheral, peripheral.wantsToListen {
            let answered = engage(.peripheral, link, [length, min(least, length)])
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
        guard let central = link.central, let peripheral = link.peripheral else { return false }
        let start = Instant(nanoseconds: now.nanoseconds + LinkPace.frameSpace)
        let end = Instant(nanoseconds: start.nanoseconds + link.exchangeLength)
        guard end <= link.nextAnchor,
            schedules[peripheral.radio.index].isFree(from: start, to: end, for: link.id),
            schedules[central.radio.index]
                .engage(from: start, to: end, for: link.id, now: now)
        else { return false }
        schedules[peripheral.radio.index].engage(from: start, to: end, for: link.id, now: now)
        link.event?.exchangeEnd = end
        return true
    }

    /// Engages the radios ahead for the first exchange of the next event, as far as is known now.
    mutating func engageAhead(for link: Link) {
        let end = Instant(nanoseconds: link.anchor.nanoseconds + link.exchangeLength)
        for side in LinkSide.allCases {
            guard let party = link[side], side == .central || party.wantsToListen else { continue }
            schedules[party.radio.index].engage(
                from: link.anchor,
                to: end,
                for: link.id,
                urgency: party.missedEvents,
                now: now
            )
        }
    }

    /// Lets the radios go.
    mutating func release(_ link: Link) {
        for side in LinkSide.allCases {
            guard let radio = link[side]?.radio else { continue }
            schedules[radio.index].release(link.id, from: now)
        }
    }

    /// Engages the radio of one side from now on, for the first length that is possible.
    private mutating func engage(_ side: LinkSide, _ link: Link, _ lengths: [Int64]) -> Int64? {
        guard let party = link[side] else { return nil }
        return lengths.first { length in
            schedules[party.radio.index].engage(
                from: now,
                to: Instant(nanoseconds: now.nanoseconds + length),
                for: link.id,
                urgency: party.missedEvents,
                now: now
            )
        }
    }
}

extension Link {
    /// How long the next exchange takes, with all that both have to say, in nanoseconds.
    var exchangeLength: Int64 {
        guard let peripheral else { return exchangeLength(answer: 0) }
        // What the Central has heard of the Peripheral will not come again.
        let isHeard = central.map { $0.sequence.expecting != peripheral.sequence.sending } ?? false
        return exchangeLength(answer: peripheral.nextPayload(isHeard: isHeard).length)
    }

    /// How long the next exchange takes if the Peripheral's PDU has so many octets of payload and
    /// MIC.
    func exchangeLength(answer: Int) -> Int64 {
        guard let central else { return 0 }
        let request = central.nextPayload(isHeard: !central.isAwaitingAcknowledgement).length
        let answering = peripheral?.rhythm.sending ?? central.rhythm.sending
        return central.rhythm.sending.airNanoseconds(pduLength: PacketLength.header + request)
            + answering.airNanoseconds(pduLength: PacketLength.header + answer)
            + 2 * LinkPace.frameSpace
    }
}

extension LinkEnd {
    /// The most a control PDU has, in octets with its MIC.
    private static let controlLength = DataLength.minimum.sendOctets + PacketLength.mic

    /// What it sends next, if the peer has heard what it sent last or has not: how many octets
    /// payload and MIC are.
    func nextPayload(isHeard: Bool) -> (length: Int, isKnown: Bool) {
        if let outgoing, !isHeard || !isAwaitingAcknowledgement {
            return (outgoing.length - PacketLength.header, true)
        }
        if isAwaitingAcknowledgement, !isHeard { return (0, true) }
        let isLast = procedures.isAboutToLeave && !queue.isEmpty
        if procedures.hasPDU, !isLast { return (Self.controlLength, false) }
        guard !queue.isEmpty, !procedures.isDataPaused else { return (0, true) }
        let payload = min(queue.nextLength, pace.payloadLimit)
        return (payload + (sendingKey == nil ? 0 : PacketLength.mic), true)
    }
}
