// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Connection events in which both ends send one empty PDU. Nearly all events of a link that waits
/// for data are of this kind.
extension Ether {
    /// Performs the event that begins now in one step, if both ends listen and have nothing to
    /// send, and nothing else in the world happens until the end of the peripheral's packet. Then
    /// no other part of the world can detect the difference from an event in single steps: no
    /// packet overlaps those of the event, so the air need not record them.
    ///
    /// - Returns: The result, with which the caller must close the event. The current time is then
    ///   the end of the event's last packet. `nil` if the event must be performed in single steps.
    ///   Nothing has changed in that case, except that radios may be reserved, which the single
    ///   steps do again.
    mutating func performEmptyEvent(
        of link: inout RadioLink,
        on channel: RadioChannel
    ) -> EventOutcome? {
        guard takesShortcuts, announcedPorts.isEmpty, let central = link.central,
            let peripheral = link.peripheral, central.isIdle, peripheral.isIdle,
            peripheral.eventsToSkip == 0, air.isQuiet(channel, from: now), link.endsAgree
        else { return nil }
        let request = now.later(central.timing.emptyNanoseconds)
        let answer = request.later(LinkTiming.frameSpace + peripheral.timing.emptyNanoseconds)
        let exchangeEnd = answer.later(LinkTiming.frameSpace)
        guard timeline.canPass(to: answer),
            reserve(central, of: link.id, from: now, to: exchangeEnd),
            reserve(peripheral, of: link.id, from: now, to: exchangeEnd)
        else { return nil }
        let isReceived = passEmptyPacket(from: central, to: peripheral, endingAt: request)
        if isReceived { _ = passEmptyPacket(from: peripheral, to: central, endingAt: answer) }
        return EventOutcome(hasPeripheralReceived: isReceived)
    }

    /// Advances to the end of an empty packet that nothing overlaps, and processes it at the
    /// receiver if it arrives whole.
    ///
    /// - Returns: Whether the packet arrives whole.
    private mutating func passEmptyPacket(
        from sender: LinkEnd,
        to receiver: LinkEnd,
        endingAt end: Instant
    ) -> Bool {
        sender.isAwaitingAcknowledgement = true
        guard timeline.pass(to: end),
            let power = environment.power(from: sender.radio, to: receiver.radio, at: end)
        else { return false }
        let strength = receive(
            power,
            pduLength: PacketLength.header,
            modulation: sender.settings.sending,
            at: receiver.radio
        )
        guard let strength else { return false }
        receiver.receiveEmptyPacket(of: sender.sequence, rssi: strength, now: end)
        return true
    }
}

extension LinkEnd {
    /// Whether the end has nothing to send, and does not close after the next packet.
    fileprivate var isIdle: Bool {
        outgoing == nil && termination == nil && !hasMore
    }

    /// Processes an empty packet with the sequence numbers.
    fileprivate func receiveEmptyPacket(of peer: PacketSequence, rssi: Int8, now: Instant) {
        self.rssi = rssi
        lastReceived = now
        if sequence.acknowledges(peer.expecting) { isAwaitingAcknowledgement = false }
        _ = sequence.isNew(peer.sending)
    }
}
