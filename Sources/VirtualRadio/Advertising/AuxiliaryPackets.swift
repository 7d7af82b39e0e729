// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What an extended set sends on the secondary channels (Vol 6, Part B, 4.4.2.7): the packet that
/// those on the primary channels point to, the response to who asks, and the chains behind both.
extension VirtualController {
    /// Decides, at the beginning of an event, where its AUX_ADV_IND will be: T_MAFS after the last
    /// packet on a primary channel, or nowhere, if there is nothing to say in it.
    mutating func planAuxiliary(_ place: Int, _ start: Instant) {
        let manner = advertiser.sets[place].manner
        advertiser.sets[place].run?.carriedOctets = 0
        advertiser.sets[place].run?.isResponding = false
        guard
            manner.allowsRequests || manner.isAnonymous
                || !advertiser.sets[place].data.octets.isEmpty
        else {
            advertiser.sets[place].run?.pointer = nil
            return
        }
        let pointer = pointer(manner.secondary, after: start.later(manner.primaryDuration))
        advertiser.sets[place].run?.pointer = pointer
    }

    /// A pointer to T_MAFS after `end`, on any data channel.
    private mutating func pointer(
        _ modulation: Modulation,
        after end: Instant
    ) -> ExtendedAdvertisement.Pointer? {
        let index = Int(dice.uniform(below: Self.dataChannelCount))
        guard let channel = RadioChannel(index) else { return nil }
        return ExtendedAdvertisement.Pointer(
            channel: channel,
            modulation: modulation,
            start: end.later(AdvertisingPace.auxiliarySpace)
        )
    }

    /// Channels 0 to 36 serve data and secondary advertising (Vol 6, Part B, 1.4.1).
    private static let dataChannelCount: UInt64 = 37

    /// Sends the packet that the last one pointed to. If the radio is not free then, the rest of the
    /// event is lost.
    mutating func sendAuxiliary(
        _ place: Int,
        _ kind: ExtendedAdvertisement.Kind,
        _ ether: inout Ether
    ) {
        guard let pointer = advertiser.sets[place].run?.pointer else { return }
        let packet = auxiliaryPacket(
            place,
            kind,
            on: pointer.channel,
            to: nil,
            at: pointer.start
        )
        if !send(packet, of: place, &ether) { endEvent(place, &ether) }
    }

    /// The next packet of data or response, as full as can be, and prepares for the one after it.
    mutating func auxiliaryPacket(
        _ place: Int,
        _ kind: ExtendedAdvertisement.Kind,
        on channel: RadioChannel,
        to addressee: RadioID?,
        at start: Instant
    ) -> AdvertisingPacket {
        let part = nextPart(place, kind)
        let modulation = advertiser.sets[place].manner.secondary
        let length = ExtendedAdvertisingPDU(part.fields, dataLength: part.data.count)?.length ?? 0
        let end = start + modulation.airTime(pduLength: length)
        let next = part.fields.contains(.auxiliaryPointer) ? pointer(modulation, after: end) : nil
        advertiser.sets[place].run?.pointer = next
        let pdu = extendedPDU(
            kind,
            advertiser.sets[place],
            fields: part.fields,
            pointer: next,
            data: part.data
        )
        return AdvertisingPacket(
            .extended(pdu),
            from: radio,
            to: addressee,
            on: channel,
            modulation: modulation,
            start: start,
            reduction: advertiser.sets[place].manner.reduction
        )
    }

    /// What the next packet carries: all that is left, if it fits, or as much as does.
    private mutating func nextPart(
        _ place: Int,
        _ kind: ExtendedAdvertisement.Kind
    ) -> (fields: ExtendedAdvertisingPDU.Fields, data: [UInt8]) {
        let set = advertiser.sets[place]
        let fields = fields(of: kind, set.manner)
        let octets = carriedData(set)
        let carried = min(set.run?.carriedOctets ?? 0, octets.count)
        let rest = octets.count - carried
        if rest <= ExtendedAdvertisingPDU.dataLimit(fields) {
            advertiser.sets[place].run?.carriedOctets = octets.count
            return (fields, carried == 0 ? octets : Array(octets[carried...]))
        }
        let pointing = fields.union(.auxiliaryPointer)
        let end = carried + ExtendedAdvertisingPDU.dataLimit(pointing)
        advertiser.sets[place].run?.carriedOctets = end
        return (pointing, Array(octets[carried..<end]))
    }

    private func carriedData(_ set: borrowing AdvertisingSet) -> [UInt8] {
        guard set.run?.isResponding != true else { return set.response.octets }
        return set.manner.carriesData ? set.data.octets : []
    }

    private func fields(
        of kind: ExtendedAdvertisement.Kind,
        _ manner: AdvertisingManner
    ) -> ExtendedAdvertisingPDU.Fields {
        switch kind {
        case .primary, .auxiliary: manner.auxiliaryFields
        case .chained: .dataInfo
        case .scanResponse:
            manner.properties.contains(.includesTransmitPower)
                ? [.advertiserAddress, .dataInfo, .transmitPower]
                : [.advertiserAddress, .dataInfo]
        }
    }
}

extension AdvertisingRun {
    /// What the packet is that the last one pointed to: the first on the secondary channels, or one
    /// of a chain.
    var nextKind: ExtendedAdvertisement.Kind {
        carriedOctets == 0 && !isResponding ? .auxiliary : .chained
    }
}

extension AdvertisingManner {
    /// How long an event of an extended set is busy on the primary channels, in nanoseconds.
    var primaryDuration: Int64 {
        let fields: ExtendedAdvertisingPDU.Fields = [.dataInfo, .auxiliaryPointer]
        guard let pdu = ExtendedAdvertisingPDU(fields) else { return 0 }
        let count = Int64(channels.rawValue.nonzeroBitCount)
        let packet = pdu.airTime(primary).nanoseconds
        return count * packet + (count - 1) * AdvertisingPace.channelChange
    }
}
