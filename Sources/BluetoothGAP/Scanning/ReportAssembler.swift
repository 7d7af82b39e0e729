// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// An assembler of advertisements from the controller's advertising reports.
///
/// - Extended data arrives in pieces of at most 229 bytes. The assembler joins them for each
///   advertising set, bounded in length (`AdvertisingData.extendedLimit`) and in number
///   (`chainLimit`).
/// - A scan response is a separate report. The assembler merges it with the advertisement of its
///   sender (`AdvertisementCache`).
/// - Most reports repeat the previous one. The assembler compares the bytes and uses the earlier
///   result again, without parsing, copying or allocating.
///
/// The assembler drops reports without an address (anonymous advertising), because no connection to
/// their sender is possible.
package struct ReportAssembler: Sendable {
    /// The maximum number of incomplete chains of extended reports. A new chain replaces the
    /// oldest. A controller reports the pieces of a chain close together.
    package static let chainLimit = 16

    private var cache = AdvertisementCache()
    private var chains: [Chain] = []

    package init() {}

    /// Receives a legacy report (Vol 4, Part E, 7.7.65.2).
    ///
    /// - Returns: The advertisement, or `nil` if the report has no address.
    package mutating func receive(_ report: HCI.AdvertisingReport) -> Advertisement? {
        guard let address = report.address.deviceAddress else { return nil }
        let isScanResponse = report.type == .scanResponse
        let (recorded, wasConnectable) = cache.record(
            .init(address: address, setIdentifier: nil),
            report.data,
            isScanResponse: isScanResponse,
            isConnectable: report.type == .connectable || report.type == .connectableDirected
        )
        return Advertisement(
            address: address,
            isIdentityResolved: report.address.isIdentity,
            isConnectable: wasConnectable,
            isScannable: report.type == .connectable || report.type == .scannable
                || isScanResponse,
            isDirected: report.type == .connectableDirected,
            isScanResponse: isScanResponse,
            rssi: Self.decibels(report.rssi),
            payload: recorded
        )
    }

    /// Receives a report of a directed advertisement whose target the controller could not resolve
    /// (Vol 4, Part E, 7.7.65.11). Such an advertisement carries no data.
    ///
    /// - Returns: The advertisement, or `nil` if the report has no address.
    package mutating func receive(_ report: HCI.DirectedAdvertisingReport) -> Advertisement? {
        report.address.deviceAddress.map { address in
            Advertisement(
                address: address,
                isIdentityResolved: report.address.isIdentity,
                isScannable: false,
                isDirected: true,
                rssi: Self.decibels(report.rssi)
            )
        }
    }

    /// Receives an extended report (Vol 4, Part E, 7.7.65.13).
    ///
    /// - Returns: The advertisement, or `nil` if more data follows or the report has no address.
    package mutating func receive(_ report: HCI.ExtendedAdvertisingReport) -> Advertisement? {
        guard let address = report.address.deviceAddress else { return nil }
        let key = ChainKey(report, address)
        let index = chains.firstIndex { $0.key == key }
        if index == nil, report.type.dataStatus == .complete {
            return advertisement(report, address, data: report.data, isTruncated: false)
        }
        var chain = index.map { chains.remove(at: $0) } ?? Chain(key: key)
        chain.append(report.data)
        if report.type.dataStatus == .incomplete {
            if chains.count >= Self.chainLimit { chains.removeFirst() }
            chains.append(chain)
            return nil
        }
        let isTruncated = chain.isTruncated || report.type.dataStatus != .complete
        return advertisement(report, address, data: chain.data[...], isTruncated: isTruncated)
    }

    /// Drops incomplete data, because the scan has stopped. The next scan reports the data from the
    /// beginning.
    package mutating func scanStopped() { chains = [] }

    private mutating func advertisement(
        _ report: HCI.ExtendedAdvertisingReport,
        _ address: DeviceAddress,
        data: ArraySlice<UInt8>,
        isTruncated: Bool
    ) -> Advertisement {
        let setIdentifier =
            report.setIdentifier <= Self.setIdentifierMaximum
            ? report.setIdentifier : nil
        let (recorded, _) = cache.record(
            .init(address: address, setIdentifier: setIdentifier),
            data,
            isScanResponse: report.type.isScanResponse,
            isConnectable: report.type.isConnectable
        )
        var advertisement = Advertisement(
            address: address,
            isIdentityResolved: report.address.isIdentity,
            isConnectable: report.type.isConnectable,
            isScannable: report.type.isScannable,
            isDirected: report.type.isDirected,
            isLegacy: report.type.isLegacy,
            isScanResponse: report.type.isScanResponse,
            rssi: Self.decibels(report.rssi),
            payload: recorded
        )
        advertisement.isTruncated = isTruncated
        advertisement.txPower = Self.decibels(report.transmitPower) ?? advertisement.txPower
        advertisement.primaryPHY = report.primaryPHY
        advertisement.secondaryPHY = report.secondaryPHY ?? advertisement.secondaryPHY
        advertisement.setIdentifier = setIdentifier
        if report.periodicInterval.rawValue != 0 {
            advertisement.periodicInterval = report.periodicInterval.duration
        }
        return advertisement
    }

    /// The largest advertising set identifier. 0xFF means none.
    private static let setIdentifierMaximum: UInt8 = 0x0F

    /// The value that means an unknown power or signal strength.
    private static let notAvailable: Int8 = 127

    private static func decibels(_ value: Int8) -> Int? {
        value == notAvailable ? nil : Int(value)
    }
}

/// The key of a chain of reports.
private struct ChainKey: Sendable, Equatable {
    let address: DeviceAddress
    let setIdentifier: UInt8
    let isScanResponse: Bool

    init(_ report: HCI.ExtendedAdvertisingReport, _ address: DeviceAddress) {
        self.address = address
        setIdentifier = report.setIdentifier
        isScanResponse = report.type.isScanResponse
    }
}

/// The data of an incomplete advertisement.
private struct Chain: Sendable {
    let key: ChainKey
    var data: [UInt8] = []
    var isTruncated = false

    mutating func append(_ piece: ArraySlice<UInt8>) {
        let freeLength = AdvertisingData.extendedLimit - data.count
        isTruncated = isTruncated || piece.count > freeLength
        data += piece.prefix(freeLength)
    }
}
