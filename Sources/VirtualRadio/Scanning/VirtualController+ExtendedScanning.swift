// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The reception of extended advertising (Vol 6, Part B, 4.4.3): a scanner follows the pointers
/// from ADV_EXT_IND to AUX_ADV_IND to the AUX_CHAIN_INDs.
extension VirtualController {
    /// Handles a packet of extended advertising.
    mutating func receive(
        _ pdu: ExtendedAdvertisement,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        switch pdu.kind {
        case .primary:
            guard scannerExpects(packet) else { return }
            receivePrimary(pdu, in: packet, rssi: rssi, &ether)
        case .auxiliary, .chained:
            guard let follow = takeFollow(packet, &ether) else { return }
            receive(pdu, after: follow, in: packet, rssi: rssi, &ether)
        case .scanResponse: receiveResponse(pdu, in: packet, rssi: rssi, &ether)
        }
    }

    /// Handles an ADV_EXT_IND: a complete advertisement, or a pointer to an AUX_ADV_IND.
    private mutating func receivePrimary(
        _ pdu: ExtendedAdvertisement,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard let pointer = pdu.pointer else {
            guard let advertiser = admit(pdu.advertiser, target: pdu.target) else { return }
            let phy = packet.modulation.phy
            let heading = ReportHeading(pdu, by: advertiser, primaryPHY: phy)
            return receiveBeginning(pdu, heading, rssi: rssi, &ether)
        }
        guard pdu.advertiser == nil || admit(pdu.advertiser, target: pdu.target) != nil else {
            return
        }
        follow(pointer, of: pdu, .primary(pdu, packet.modulation.phy), &ether)
    }

    private mutating func receive(
        _ pdu: ExtendedAdvertisement,
        after follow: AuxiliaryFollow,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        let isContinued = pdu.sid == follow.sid && pdu.dataID == follow.dataID
        switch follow.announcement {
        case .primary(let primary, let phy) where isContinued && pdu.kind == .auxiliary:
            receiveAuxiliary(pdu, after: primary, phy, in: packet, rssi: rssi, &ether)
        case .primary: break
        case .chain(let chain) where isContinued && pdu.kind == .chained:
            receiveMore(pdu, of: chain, rssi: rssi, &ether)
        case .chain(let chain): truncate(chain, &ether)
        }
    }

    /// Handles an AUX_ADV_IND, which has the fields that the ADV_EXT_IND does not have.
    private mutating func receiveAuxiliary(
        _ pdu: ExtendedAdvertisement,
        after primary: ExtendedAdvertisement,
        _ phy: PHY,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        let address = pdu.advertiser ?? primary.advertiser
        guard let advertiser = admit(address, target: pdu.target ?? primary.target) else { return }
        var heading = ReportHeading(pdu, by: advertiser, primaryPHY: phy)
        heading.secondaryPHY = packet.modulation.phy
        if let power = pdu.transmitPower ?? primary.transmitPower { heading.transmitPower = power }
        receiveBeginning(pdu, heading, rssi: rssi, &ether)
        guard pdu.isScannable, let address,
            scanner.settings.isActive(phy == .le1M ? .le1M : .codedS8)
        else { return }
        let advertisement = ScannableAdvertisement(
            advertiser: address,
            set: pdu.set,
            heading: heading,
            key: AdvertisementKey(heading, dataID: pdu.dataID),
            responseLength: PacketLength.header + PacketLength.advertisingPayloadLimit
        )
        requestMore(advertisement, in: packet, &ether)
    }

    /// Handles an AUX_SCAN_RSP. Ignores it unless it answers a request of this scanner.
    private mutating func receiveResponse(
        _ pdu: ExtendedAdvertisement,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard
            let request = takeRequest(answeredBy: pdu.advertiser, set: pdu.set, at: ether.now)
        else { return }
        var heading = request.heading
        if let power = pdu.transmitPower { heading.transmitPower = power }
        receiveBeginning(pdu, heading, rssi: rssi, &ether)
    }

    /// Handles the first packet with data, which may be the only one.
    private mutating func receiveBeginning(
        _ pdu: ExtendedAdvertisement,
        _ heading: ReportHeading,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        let key = AdvertisementKey(heading, dataID: pdu.dataID)
        guard scanner.isUnreported(key) else { return }
        let chain = AdvertisementChain(heading: heading, key: key, rssi: rssi)
        receiveMore(pdu, of: chain, rssi: rssi, &ether)
    }

    /// Reports a packet with data to the host at once, and waits for the next one.
    private mutating func receiveMore(
        _ pdu: ExtendedAdvertisement,
        of chain: AdvertisementChain,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        var chain = chain
        chain.rssi = rssi
        chain.length += pdu.data.count
        let next = pdu.kind == .primary ? nil : pdu.pointer
        guard let next else {
            scanner.markReported(chain.key)
            return report(chain.heading, pdu.data[...], rssi: rssi, &ether)
        }
        let isFollowed =
            chain.length <= PacketLength.extendedDataLimit
            && follow(next, of: pdu, .chain(chain), &ether)
        let status: HCI.ExtendedReportType.DataStatus = isFollowed ? .incomplete : .truncated
        report(chain.heading, pdu.data[...], rssi: rssi, status: status, &ether)
    }

    /// Reports that the rest of the data is lost. The advertisement is not a duplicate when it
    /// arrives again.
    mutating func truncate(_ chain: AdvertisementChain, _ ether: inout Ether) {
        report(chain.heading, [], rssi: chain.rssi, status: .truncated, &ether)
    }
}
