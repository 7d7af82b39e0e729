// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The packets of an extended set on the secondary channels (Vol 6, Part B, 4.4.2.7): the
/// AUX_ADV_IND to which the packets on the primary channels point, the scan response, and the
/// chains of both.
extension VirtualController {
    /// Chooses, at the beginning of an event, the channel and time of its AUX_ADV_IND: T_MAFS after
    /// the last packet on a primary channel. An event has no AUX_ADV_IND if the set has no data,
    /// allows no requests and is not anonymous.
    mutating func planAuxiliary(_ index: Int, _ start: Instant) {
        let configuration = advertiser.sets[index].configuration
        advertiser.sets[index].run?.carriedBytes = 0
        advertiser.sets[index].run?.isResponding = false
        guard
            configuration.allowsRequests || configuration.isAnonymous
                || !advertiser.sets[index].data.bytes.isEmpty
        else {
            advertiser.sets[index].run?.pointer = nil
            return
        }
        let pointer = pointer(
            configuration.secondary,
            after: start.later(configuration.primaryDuration)
        )
        advertiser.sets[index].run?.pointer = pointer
    }

    /// Returns a pointer to a packet T_MAFS after `end`, on a random channel of those that the host
    /// has not classified as bad (Vol 4, Part E, 7.8.19).
    private mutating func pointer(
        _ modulation: Modulation,
        after end: Instant
    ) -> ExtendedAdvertisement.Pointer? {
        let map = settings.channelMap
        let good = (0..<ChannelMap.channelCount).filter { map >> $0 & 1 == 1 }
        let index = Int(generator.uniform(below: UInt64(good.count)))
        guard let channel = RadioChannel(good[index]) else { return nil }
        return ExtendedAdvertisement.Pointer(
            channel: channel,
            modulation: modulation,
            start: end.later(AdvertisingTiming.auxiliarySpace)
        )
    }

    /// Sends the packet to which the last one pointed. If the radio is not free at that time, the
    /// event ends.
    mutating func sendAuxiliary(
        _ index: Int,
        _ kind: ExtendedAdvertisement.Kind,
        _ ether: inout Ether
    ) {
        guard let pointer = advertiser.sets[index].run?.pointer else { return }
        let packet = auxiliaryPacket(
            index,
            kind,
            on: pointer.channel,
            to: nil,
            at: pointer.start
        )
        if !send(packet, of: index, &ether) { endEvent(index, &ether) }
    }

    /// Returns the next packet of the data or the scan response, as full as possible, and sets the
    /// pointer to the packet after it.
    mutating func auxiliaryPacket(
        _ index: Int,
        _ kind: ExtendedAdvertisement.Kind,
        on channel: RadioChannel,
        to addressee: RadioID?,
        at start: Instant
    ) -> AdvertisingPacket {
        let part = nextPart(index, kind)
        let modulation = advertiser.sets[index].configuration.secondary
        let length = ExtendedAdvertisingPDU(part.fields, dataLength: part.data.count)?.length ?? 0
        let end = start + modulation.airTime(pduLength: length)
        let next = part.fields.contains(.auxiliaryPointer) ? pointer(modulation, after: end) : nil
        advertiser.sets[index].run?.pointer = next
        let pdu = extendedPDU(
            kind,
            advertiser.sets[index],
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
            reduction: advertiser.sets[index].configuration.reduction
        )
    }

    /// Returns the content of the next packet: all remaining data if it fits, or as much as fits.
    private mutating func nextPart(
        _ index: Int,
        _ kind: ExtendedAdvertisement.Kind
    ) -> (fields: ExtendedAdvertisingPDU.Fields, data: [UInt8]) {
        let set = advertiser.sets[index]
        let fields = fields(of: kind, set.configuration)
        let bytes = carriedData(set)
        let carried = min(set.run?.carriedBytes ?? 0, bytes.count)
        let rest = bytes.count - carried
        if rest <= ExtendedAdvertisingPDU.dataLimit(fields) {
            advertiser.sets[index].run?.carriedBytes = bytes.count
            return (fields, carried == 0 ? bytes : Array(bytes[carried...]))
        }
        let pointing = fields.union(.auxiliaryPointer)
        let end = carried + ExtendedAdvertisingPDU.dataLimit(pointing)
        advertiser.sets[index].run?.carriedBytes = end
        return (pointing, Array(bytes[carried..<end]))
    }

    private func carriedData(_ set: borrowing VirtualAdvertisingSet) -> [UInt8] {
        guard set.run?.isResponding != true else { return set.response.bytes }
        return set.configuration.carriesData ? set.data.bytes : []
    }

    private func fields(
        of kind: ExtendedAdvertisement.Kind,
        _ configuration: AdvertisingSetConfiguration
    ) -> ExtendedAdvertisingPDU.Fields {
        switch kind {
        case .primary, .auxiliary: configuration.auxiliaryFields
        case .chained: .dataInfo
        case .scanResponse: configuration.responseFields
        }
    }
}

extension AdvertisingRun {
    /// The PDU type of the packet to which the last one pointed: the first packet on the secondary
    /// channels, or one of a chain.
    var nextKind: ExtendedAdvertisement.Kind {
        carriedBytes == 0 && !isResponding ? .auxiliary : .chained
    }
}

extension AdvertisingSetConfiguration {
    /// The duration of an extended set's event on the primary channels, in nanoseconds.
    var primaryDuration: Int64 {
        let fields: ExtendedAdvertisingPDU.Fields = [.dataInfo, .auxiliaryPointer]
        guard let pdu = ExtendedAdvertisingPDU(fields) else { return 0 }
        let count = Int64(channels.rawValue.nonzeroBitCount)
        let packet = pdu.airTime(primary).nanoseconds
        return count * packet + (count - 1) * AdvertisingTiming.channelChange
    }
}
