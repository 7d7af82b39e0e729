// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A SCAN_REQ or AUX_SCAN_REQ that was sent and is not answered yet.
struct PendingScanRequest: Sendable {
    /// Who was asked, as on the air.
    let advertiser: DeviceAddress
    /// For which of its sets.
    let set: UInt8
    /// How its answer is reported.
    let heading: ReportHeading
    /// By which it is not asked again.
    let key: AdvertisementKey
    /// Until when the radio is engaged for it.
    let engagedUntil: Instant
    /// When the answer has been heard, if at all.
    let deadline: Instant

    /// Whether the response of the set, heard at the instant, is the answer.
    func isAnswered(by advertiser: DeviceAddress?, set: UInt8, at now: Instant) -> Bool {
        (advertiser == nil || advertiser == self.advertiser) && set == self.set && now <= deadline
    }
}

/// A scannable advertisement, and how to ask for more.
struct ScannableAdvertisement {
    /// AdvA.
    let advertiser: DeviceAddress
    /// The set.
    let set: UInt8
    /// How it was reported.
    let heading: ReportHeading
    /// By which it is not asked again.
    let key: AdvertisementKey
    /// How many octets the longest response has, header and payload.
    let responseLength: Int
}

/// Active scanning (Vol 6, Part B, 4.4.3.2).
extension VirtualController {
    /// Sends a request to the advertiser of a packet that has just ended, if it is to be asked now.
    /// With a duplicate filter nobody is asked again who has answered; without one the host wants
    /// to see responses again and again, too.
    mutating func requestMore(
        _ advertisement: ScannableAdvertisement,
        in packet: AdvertisingPacket,
        _ ether: inout Ether
    ) {
        giveUpLateRequest(ether.now)
        guard scanner.request == nil,
            scanner.duplicates == .off || !scanner.answered.contains(advertisement.key),
            let own = requestAddress(toward: advertisement), scanner.backoff.takesTurn()
        else { return }
        let pdu = ScanRequest(
            set: advertisement.set,
            scanner: own,
            advertiser: advertisement.advertiser
        )
        let request = AdvertisingPacket(
            .scanRequest(pdu),
            from: radio,
            to: packet.sender,
            on: packet.transmission.channel,
            modulation: packet.modulation,
            start: ether.now + FrameSpace.betweenFrames
        )
        send(request, advertisement, &ether)
    }

    private mutating func send(
        _ request: AdvertisingPacket,
        _ advertisement: ScannableAdvertisement,
        _ ether: inout Ether
    ) {
        let response = request.modulation.airTime(pduLength: advertisement.responseLength)
        let deadline = request.transmission.end + FrameSpace.betweenFrames + response
        // How long the response takes is known when it begins; nobody asks who has no time for one
        // of the length of a legacy one.
        let certain = LegacyAdvertisingPDU.scanResponse(dataLength: PacketLength.legacyDataLimit)
        let expected = request.transmission.end + FrameSpace.betweenFrames + certain.airTime
        let end = min(expected, deadline)
        guard ether.schedules[radio.index].engage(from: ether.now, to: end, now: ether.now) else {
            return
        }
        scanner.request = PendingScanRequest(
            advertiser: advertisement.advertiser,
            set: advertisement.set,
            heading: advertisement.heading.response,
            key: advertisement.key,
            engagedUntil: end,
            deadline: deadline
        )
        ether.transmit(request)
    }

    /// The private address for the peer if there is one, else the own identity address.
    private func requestAddress(toward peer: ScannableAdvertisement) -> DeviceAddress? {
        let type = scanner.settings.ownAddressType
        let identity = peer.heading.address.deviceAddress ?? peer.advertiser
        return privateAddress(type, toward: identity) ?? identityAddress(type)
    }

    /// A request that has not been answered in time has failed. Nobody needs to know earlier than
    /// when the next may be sent.
    private mutating func giveUpLateRequest(_ now: Instant) {
        guard let request = scanner.request, now > request.deadline else { return }
        scanner.request = nil
        scanner.backoff.failed(&dice)
    }

    /// Takes the request out that a response answers; nil if there is none.
    mutating func takeRequest(
        answeredBy advertiser: DeviceAddress?,
        set: UInt8,
        at now: Instant
    ) -> PendingScanRequest? {
        guard let request = scanner.request,
            request.isAnswered(by: advertiser, set: set, at: now)
        else { return nil }
        scanner.request = nil
        scanner.backoff.succeeded(&dice)
        if scanner.duplicates != .off { scanner.answered.insert(request.key) }
        return request
    }

    /// Its scan request has ended, and who was asked has decided whether to answer: the radio stays
    /// for as long as the response lasts. If something else needs it by then, the response is cut
    /// off, and the request has failed.
    mutating func scannerTransmitted(_ packet: AdvertisingPacket, _ ether: inout Ether) {
        guard let request = scanner.request else { return }
        let start = ether.now + FrameSpace.betweenFrames
        guard let end = ether.air.end(ofPacketsFrom: start, on: packet.transmission.channel),
            end > request.engagedUntil
        else { return }
        let stays = ether.schedules[radio.index].engage(
            from: request.engagedUntil,
            to: min(end, request.deadline),
            now: ether.now
        )
        guard !stays else { return }
        scanner.request = nil
        scanner.backoff.failed(&dice)
    }
}
