// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The reception of legacy advertising (Vol 6, Part B, 4.4.3).
extension VirtualController {
    /// Handles an ADV_IND, ADV_DIRECT_IND, ADV_NONCONN_IND or ADV_SCAN_IND.
    mutating func receive(
        _ pdu: LegacyAdvertisement,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard let advertiser = admit(pdu.advertiser, target: pdu.target) else { return }
        let heading = ReportHeading(pdu, by: advertiser)
        let key = AdvertisementKey(heading)
        if scanner.isUnreported(key) {
            scanner.markReported(key)
            report(heading, pdu.data[...], rssi: rssi, &ether)
        }
        guard pdu.isScannable, scanner.settings.isActive(packet.modulation) else { return }
        let advertisement = ScannableAdvertisement(
            advertiser: pdu.advertiser,
            set: pdu.set,
            heading: heading,
            key: key,
            responseLength: LegacyAdvertisingPDU.scanResponse(
                dataLength: PacketLength.legacyDataLimit
            ).length
        )
        requestMore(advertisement, in: packet, &ether)
    }

    /// Handles a SCAN_RSP. Ignores it unless it answers a request of this scanner.
    mutating func receive(
        response pdu: LegacyAdvertisement,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard
            let request = takeRequest(answeredBy: pdu.advertiser, set: pdu.set, at: ether.now)
        else { return }
        let key = AdvertisementKey(request.heading)
        guard scanner.isUnreported(key) else { return }
        scanner.markReported(key)
        report(request.heading, pdu.data[...], rssi: rssi, &ether)
    }
}
