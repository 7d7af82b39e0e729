// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI

@testable import BluetoothGAP

/// Reads the reports of a few advertisers in any order, with resets between them.
func fuzzAdvertising(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var assembler = ReportAssembler()
    while !input.isAtEnd {
        switch input.number(below: 8) {
        case 0: assembler = ReportAssembler()
        case 1, 2:
            let code = HCI.EventCode(rawValue: 0x3E)
            let event = try? HCI.Event(code: code, parameters: input.bytes()[...])
            for advertisement in assembler.advertisements(of: event) { check(advertisement) }
        case 3, 4:
            let report = HCI.AdvertisingReport(
                type: HCI.AdvertisingReportType(rawValue: input.byte() % 6),
                address: address(&input),
                data: input.bytes().prefix(31),
                rssi: Int8(bitPattern: input.byte())
            )
            if let advertisement = assembler.receive(report) { check(advertisement) }
        default:
            let report = extendedReport(&input)
            if let advertisement = assembler.receive(report) { check(advertisement) }
        }
    }
}

private func address(_ input: inout FuzzInput) -> HCI.PeerAddress {
    let kind = input.byte()
    return HCI.PeerAddress(
        type: HCI.AddressType(rawValue: kind & 0x80 != 0 ? kind : kind & 3),
        value: UInt64(input.number(below: 3))
    )
}

private func extendedReport(_ input: inout FuzzInput) -> HCI.ExtendedAdvertisingReport {
    HCI.ExtendedAdvertisingReport(
        type: .init(rawValue: input.word()),
        address: address(&input),
        primaryPHY: .le1M,
        secondaryPHY: input.flag() ? .le2M : nil,
        setIdentifier: UInt8(input.number(below: 17)),
        transmitPower: Int8(bitPattern: input.byte()),
        rssi: Int8(bitPattern: input.byte()),
        periodicInterval: .init(rawValue: input.word()),
        target: .none,
        data: input.bytes()[...]
    )
}

private func check(_ advertisement: Advertisement) {
    let data = advertisement.data
    require(
        advertisement.rawData.count <= AdvertisingData.extendedLimit,
        "more data than there can be"
    )
    require(data.bytes.count <= 2 * AdvertisingData.extendedLimit, "more merged than there can be")
    let length = data.structures.reduce(0) { $0 + 2 + $1.value.count }
    require(length <= data.bytes.count, "structures longer than the data")
    _ = (data.localName, data.completeLocalName, data.shortenedLocalName, data.flags, data.uri)
    _ = (data.txPowerLevel, data.appearance, data.role, data.advertisingInterval)
    _ = (data.peripheralConnectionIntervalRange, data.deviceAddress, data.targetAddresses)
    _ = (data.supportedFeatures, data.serviceUUIDs, data.solicitedServiceUUIDs, data.serviceData)
    _ = (data.hasIncompleteServiceUUIDs, data.allManufacturerData)
    var filter = DuplicateFilter()
    require(filter.isNew(advertisement), "a first report counts as a duplicate")
    require(!filter.isNew(advertisement), "a repeated report does not count as a duplicate")
}

extension ReportAssembler {
    fileprivate mutating func advertisements(of event: HCI.Event?) -> [Advertisement] {
        switch event {
        case .advertisingReports(let reports): reports.compactMap { receive($0) }
        case .directedAdvertisingReports(let reports): reports.compactMap { receive($0) }
        case .extendedAdvertisingReports(let reports): reports.compactMap { receive($0) }
        default: []
        }
    }
}
