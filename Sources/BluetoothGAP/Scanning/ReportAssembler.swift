// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Turns the controller's advertising reports into sightings.
///
/// Three things stand between a report and an `Advertisement`:
/// - Extended data comes in pieces of at most 229 bytes. They are joined, per advertising set, and
///   bounded in length (`AdvertisingData.extendedLimit`) and in number (`chainLimit`).
/// - A scan response comes as a report of its own. It is laid beside the advertisement of its
///   sender, from then on (`SightingMemory`).
/// - Most reports repeat the one before. Then what was made of that is used again: the bytes are
///   compared, and nothing is parsed, copied or allocated.
///
/// Reports without an address (anonymous advertising) are dropped: they name nobody to connect to.
package struct ReportAssembler: Sendable {
    /// How many chains of extended reports are joined at once; the oldest is given up for a new one.
    /// A controller reports the pieces of a chain together, or nearly so.
    package static let chainLimit = 16

    private var memory = SightingMemory()
    private var chains: [Chain] = []

    package init() {}

    /// Takes a legacy report (Vol 4, Part E, 7.7.65.2).
    ///
    /// - Returns: the sighting; nil if the report names nobody.
    package mutating func receive(_ report: HCI.AdvertisingReport) -> Advertisement? {
        guard let address = report.address.deviceAddress else { return nil }
        let isScanResponse = report.type == .scanResponse
        let (recalled, wasConnectable) = memory.recall(
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
            sighting: recalled
        )
    }

    /// Takes a report of a directed advertisement whose target the controller could not resolve
    /// (Vol 4, Part E, 7.7.65.11). Such an advertisement carries no data.
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

    /// Takes an extended report (Vol 4, Part E, 7.7.65.13).
    ///
    /// - Returns: the sighting, when its data has come to an end; nil while more is to come, or if
    ///   the report names nobody.
    package mutating func receive(_ report: HCI.ExtendedAdvertisingReport) -> Advertisement? {
        guard let address = report.address.deviceAddress else { return nil }
        let key = ChainKey(report, address)
        let index = chains.firstIndex { $0.key == key }
        if index == nil, report.type.dataStatus == .complete {
            return sighting(report, address, data: report.data, isTruncated: false)
        }
        var chain = index.map { chains.remove(at: $0) } ?? Chain(key: key)
        chain.append(report.data)
        if report.type.dataStatus == .incomplete {
            if chains.count >= Self.chainLimit { chains.removeFirst() }
            chains.append(chain)
            return nil
        }
        let isTruncated = chain.isTruncated || report.type.dataStatus != .complete
        return sighting(report, address, data: chain.data[...], isTruncated: isTruncated)
    }

    /// Forgets everybody: the scan that reported them is over.
    package mutating func reset() {
        memory = SightingMemory()
        chains = []
    }

    private mutating func sighting(
        _ report: HCI.ExtendedAdvertisingReport,
        _ address: DeviceAddress,
        data: ArraySlice<UInt8>,
        isTruncated: Bool
    ) -> Advertisement {
        let setIdentifier =
            report.setIdentifier <= Self.setIdentifierMaximum
            ? report.setIdentifier : nil
        let (recalled, _) = memory.recall(
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
            sighting: recalled
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

    /// The largest advertising set identifier; 0xFF stands for none.
    private static let setIdentifierMaximum: UInt8 = 0x0F

    /// What a controller sends where it does not know a power.
    private static let notAvailable: Int8 = 127

    private static func decibels(_ value: Int8) -> Int? {
        value == notAvailable ? nil : Int(value)
    }
}

/// What tells one chain of reports from another.
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

/// The data of an advertisement of which more is to come.
private struct Chain: Sendable {
    let key: ChainKey
    var data: [UInt8] = []
    var isTruncated = false

    mutating func append(_ piece: ArraySlice<UInt8>) {
        let room = AdvertisingData.extendedLimit - data.count
        isTruncated = isTruncated || piece.count > room
        data += piece.prefix(room)
    }
}
