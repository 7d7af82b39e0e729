// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a report says of an advertisement, beside its data and strength.
struct ReportHeading: Equatable, Sendable {
    /// What the fields say that have nothing to say.
    static let noSet: UInt8 = 0xFF
    static let unknownPower: Int8 = 127

    /// The advertiser.
    var address: HCI.PeerAddress
    /// Whom it is for; nil if for everybody.
    var target: HCI.PeerAddress?
    var isConnectable = false
    var isScannable = false
    /// Whether it is the answer to a request.
    var isScanResponse = false
    /// Whether it was sent in a legacy PDU.
    var isLegacy = false
    /// On which PHY it was heard first.
    var primaryPHY = PHY.le1M
    /// On which PHY its data came; nil if in the first packet.
    var secondaryPHY: PHY?
    /// Advertising SID.
    var setIdentifier = ReportHeading.noSet
    /// In dBm, where the advertiser tells it.
    var transmitPower = ReportHeading.unknownPower

    /// The heading of a legacy advertisement.
    init(_ pdu: LegacyAdvertisement, by advertiser: AdmittedAdvertiser) {
        address = advertiser.address
        target = advertiser.target
        isConnectable = pdu.isConnectable
        isScannable = pdu.isScannable
        isLegacy = true
    }

    /// The heading of an extended advertisement. ADV_EXT_IND has an ADI only if it points to more.
    init(_ pdu: ExtendedAdvertisement, by advertiser: AdmittedAdvertiser, primaryPHY: PHY) {
        address = advertiser.address
        target = advertiser.target
        isConnectable = pdu.isConnectable
        isScannable = pdu.isScannable
        self.primaryPHY = primaryPHY
        setIdentifier = pdu.kind == .primary ? Self.noSet : pdu.sid
        transmitPower = pdu.transmitPower ?? Self.unknownPower
    }

    /// The heading of the answer to a request.
    var response: ReportHeading {
        var heading = self
        heading.isScanResponse = true
        return heading
    }

    /// The Event_Type of an extended report (Vol 4, Part E, 7.7.65.13).
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
    /// How much data a report holds; more is reported in pieces (Vol 4, Part E, 7.7.65.13).
    static let reportDataLimit = 229

    /// Tells the host of an advertisement, in the form that its commands ask for.
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
