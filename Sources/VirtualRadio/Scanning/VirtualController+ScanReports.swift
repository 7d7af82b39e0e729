// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The properties of an advertisement in a report, other than its data and signal strength.
struct ReportHeading: Equatable, Sendable {
    /// The values of a report that mean that there is no set, or that the power is unknown.
    static let noSet: UInt8 = 0xFF
    static let unknownPower: Int8 = 127

    /// The advertiser.
    var address: HCI.PeerAddress
    /// The target of directed advertising; `nil` for undirected advertising.
    var target: HCI.PeerAddress?
    var isConnectable = false
    var isScannable = false
    /// Whether the advertisement is a scan response.
    var isScanResponse = false
    /// Whether the advertisement was sent in a legacy PDU.
    var isLegacy = false
    /// The PHY of the packet on the primary channel.
    var primaryPHY = PHY.le1M
    /// The PHY of the packets on secondary channels; `nil` if there are none.
    var secondaryPHY: PHY?
    /// The Advertising SID.
    var setIdentifier = ReportHeading.noSet
    /// The TxPower field in dBm, if the advertiser sends it.
    var transmitPower = ReportHeading.unknownPower

    /// Creates the properties of a legacy advertisement.
    init(_ pdu: LegacyAdvertisement, by advertiser: AdmittedAdvertiser) {
        address = advertiser.address
        target = advertiser.target
        isConnectable = pdu.isConnectable
        isScannable = pdu.isScannable
        isLegacy = true
    }

    /// Creates the properties of an extended advertisement. An ADV_EXT_IND has an ADI only if it
    /// has a pointer.
    init(_ pdu: ExtendedAdvertisement, by advertiser: AdmittedAdvertiser, primaryPHY: PHY) {
        address = advertiser.address
        target = advertiser.target
        isConnectable = pdu.isConnectable
        isScannable = pdu.isScannable
        self.primaryPHY = primaryPHY
        setIdentifier = pdu.kind == .primary ? Self.noSet : pdu.sid
        transmitPower = pdu.transmitPower ?? Self.unknownPower
    }

    /// The properties of the scan response to the advertisement.
    var response: ReportHeading {
        var heading = self
        heading.isScanResponse = true
        return heading
    }

    /// Returns the Event_Type of an extended report (Vol 4, Part E, 7.7.65.13).
    func extendedType(_ status: HCI.ExtendedReportType.DataStatus) -> HCI.ExtendedReportType {
        let flags: [(Bool, UInt16)] = [
            (isConnectable, 1 << 0), (isScannable, 1 << 1), (target != nil, 1 << 2),
            (isScanResponse, 1 << 3), (isLegacy, 1 << 4),
        ]
        let bits = flags.reduce(status.rawValue << 5) { $1.0 ? $0 | $1.1 : $0 }
        return HCI.ExtendedReportType(rawValue: bits)
    }

    /// The Event_Type of a legacy report (Vol 4, Part E, 7.7.65.2).
    var legacyType: HCI.AdvertisingReportType {
        if isScanResponse { return .scanResponse }
        if target != nil { return .connectableDirected }
        if isConnectable { return .connectable }
        return isScannable ? .scannable : .nonConnectable
    }
}

extension VirtualController {
    /// The maximum length of the data of a report in bytes. Longer data is reported in fragments
    /// (Vol 4, Part E, 7.7.65.13).
    static let reportDataLimit = 229

    /// Reports an advertisement to the host, with the event that belongs to the host's scanning
    /// commands.
    func report(
        _ heading: ReportHeading,
        _ data: ArraySlice<UInt8>,
        rssi: Int8,
        status: HCI.ExtendedReportType.DataStatus = .complete,
        _ ether: inout Ether
    ) {
        guard scanner.settings.isExtended else {
            return reportLegacy(heading, data, rssi: rssi, &ether)
        }
        var rest = data
        while rest.count > Self.reportDataLimit {
            let piece = rest.prefix(Self.reportDataLimit)
            reportExtended(heading, piece, rssi: rssi, status: .incomplete, &ether)
            rest = rest.dropFirst(Self.reportDataLimit)
        }
        reportExtended(heading, rest, rssi: rssi, status: status, &ether)
    }

    private func reportExtended(
        _ heading: ReportHeading,
        _ data: ArraySlice<UInt8>,
        rssi: Int8,
        status: HCI.ExtendedReportType.DataStatus,
        _ ether: inout Ether
    ) {
        let report = HCI.ExtendedAdvertisingReport(
            type: heading.extendedType(status),
            address: heading.address,
            primaryPHY: heading.primaryPHY,
            secondaryPHY: heading.secondaryPHY,
            setIdentifier: heading.setIdentifier,
            transmitPower: heading.transmitPower,
            rssi: rssi,
            periodicInterval: HCI.ConnectionInterval(rawValue: 0),
            target: heading.target ?? .none,
            data: data
        )
        ether.emit(.extendedAdvertisingReports([report]), to: radio)
    }

    private func reportLegacy(
        _ heading: ReportHeading,
        _ data: ArraySlice<UInt8>,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        if let target = heading.target, target.type == .unresolved {
            let report = HCI.DirectedAdvertisingReport(
                type: heading.legacyType,
                address: heading.address,
                target: HCI.PeerAddress(type: .random, value: target.value),
                rssi: rssi
            )
            return ether.emit(.directedAdvertisingReports([report]), to: radio)
        }
        let report = HCI.AdvertisingReport(
            type: heading.legacyType,
            address: heading.address,
            data: data,
            rssi: rssi
        )
        ether.emit(.advertisingReports([report]), to: radio)
    }
}
