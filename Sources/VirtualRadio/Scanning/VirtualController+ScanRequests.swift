// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A SCAN_REQ or AUX_SCAN_REQ that was sent and is not yet answered.
struct PendingScanRequest: Sendable {
    /// The address of the advertiser on the air.
    let advertiser: DeviceAddress
    /// The handle of the advertiser's set.
    let set: UInt8
    /// The properties of the response in its report.
    let heading: ReportHeading
    /// The key that prevents a second request to the advertiser.
    let key: AdvertisementKey
    /// The end of the time for which the radio is reserved.
    let reservedUntil: Instant
    /// The latest end of the response.
    let deadline: Instant

    /// Returns whether the response of the set, received at `now`, answers the request.
    func isAnswered(by advertiser: DeviceAddress?, set: UInt8, at now: Instant) -> Bool {
        (advertiser == nil || advertiser == self.advertiser) && set == self.set && now <= deadline
    }
}

/// A scannable advertisement, with the information that a request to its advertiser needs.
struct ScannableAdvertisement {
    /// AdvA.
    let advertiser: DeviceAddress
    /// The handle of the advertiser's set.
    let set: UInt8
    /// The properties of the advertisement in its report.
    let heading: ReportHeading
    /// The key that prevents a second request to the advertiser.
    let key: AdvertisementKey
    /// The length of the longest response, header and payload, in bytes.
    let responseLength: Int
}

/// Active scanning (Vol 6, Part B, 4.4.3.2).
extension VirtualController {
    /// Sends a request to the advertiser of a packet that has just ended, if one is due.
    ///
    /// With a duplicate filter, the scanner does not send a request to an advertiser that has
    /// answered before. Without the filter, the host expects every response again.
    mutating func requestMore(
        _ advertisement: ScannableAdvertisement,
        in packet: AdvertisingPacket,
        _ ether: inout Ether
    ) {
        giveUpLateRequest(ether.now)
        guard scanner.request == nil,
            scanner.duplicates == .off || !scanner.answered.contains(advertisement.key),
            let own = requestAddress(toward: advertisement), scanner.backoff.admitsRequest()
        else { return }
        let pdu = ScanRequestPDU(
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
        // The length of the response is known only when it begins. The scanner sends a request only
        // if the radio is free for the longest legacy response.
        let certain = LegacyAdvertisingPDU.scanResponse(dataLength: PacketLength.legacyDataLimit)
        let expected = request.transmission.end + FrameSpace.betweenFrames + certain.airTime
        let end = min(expected, deadline)
        guard ether.schedules[radio.index].reserve(from: ether.now, to: end, now: ether.now) else {
            return
        }
        scanner.request = PendingScanRequest(
            advertiser: advertisement.advertiser,
            set: advertisement.set,
            heading: advertisement.heading.response,
            key: advertisement.key,
            reservedUntil: end,
            deadline: deadline
        )
        ether.transmit(request)
    }

    /// Returns the private address for the peer if there is one, or the controller's identity
    /// address.
    private func requestAddress(toward peer: ScannableAdvertisement) -> DeviceAddress? {
        let type = scanner.settings.ownAddressType
        let identity = peer.heading.address.deviceAddress ?? peer.advertiser
        return privateAddress(type, toward: identity) ?? identityAddress(type)
    }

    /// Records the failure of a request that was not answered in time. The scanner checks this only
    /// before it sends the next request.
    private mutating func giveUpLateRequest(_ now: Instant) {
        guard let request = scanner.request, now > request.deadline else { return }
        scanner.request = nil
        scanner.backoff.failed(&generator)
    }

    /// Returns and removes the request that the response answers, and records its success; `nil`
    /// if there is none.
    mutating func takeRequest(
        answeredBy advertiser: DeviceAddress?,
        set: UInt8,
        at now: Instant
    ) -> PendingScanRequest? {
        guard let request = scanner.request,
            request.isAnswered(by: advertiser, set: set, at: now)
        else { return nil }
        scanner.request = nil
        scanner.backoff.succeeded(&generator)
        if scanner.duplicates != .off { scanner.answered.insert(request.key) }
        return request
    }

    /// Handles the end of the scan request, when the advertiser has decided whether to respond. If
    /// the response lasts longer than the radio is reserved, extends the reservation. If the radio
    /// is not free for that time, the response is lost, and the request has failed.
    mutating func scannerTransmitted(_ packet: AdvertisingPacket, _ ether: inout Ether) {
        guard let request = scanner.request else { return }
        let start = ether.now + FrameSpace.betweenFrames
        guard let end = ether.air.end(ofPacketsFrom: start, on: packet.transmission.channel),
            end > request.reservedUntil
        else { return }
        let stays = ether.schedules[radio.index].reserve(
            from: request.reservedUntil,
            to: min(end, request.deadline),
            now: ether.now
        )
        guard !stays else { return }
        scanner.request = nil
        scanner.backoff.failed(&generator)
    }
}
