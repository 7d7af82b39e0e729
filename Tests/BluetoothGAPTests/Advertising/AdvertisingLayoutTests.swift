// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP

@Suite("The layout of advertising content")
struct AdvertisingLayoutTests {
    private let long = BluetoothUUID("00112233-4455-6677-8899-AABBCCDDEEFF")
    private let other = BluetoothUUID("FFEEDDCC-BBAA-9988-7766-554433221100")

    /// Content with a small amount of every field.
    private var everything: AdvertisingContent {
        var content = AdvertisingContent(localName: "Lanyard")
        content.serviceUUIDs = [BluetoothUUID(0x180D), BluetoothUUID(0x180F)]
        content.manufacturerData = [.init(company: 0x0059, bytes: [1, 2])]
        content.serviceData = [.init(uuid: BluetoothUUID(0x180F), bytes: [99])]
        content.appearance = 0x0341
        content.transmitPower = .level(-8)
        content.connectionIntervals = .milliseconds(15) ... .milliseconds(30)
        content.solicitedServiceUUIDs = [BluetoothUUID(0x1805)]
        return content
    }

    @Test("With enough space, all content is in the advertising data and parses back")
    func roomEnough() {
        let room = AdvertisingRoom(advertisingData: 245, scanResponse: 0)
        let layout = AdvertisingLayout(everything, in: room)
        let data = layout.advertisingData
        #expect(layout.omissions.isEmpty)
        #expect(layout.scanResponse.bytes.isEmpty)
        #expect(data.flags == [.generalDiscoverable, .brEdrNotSupported])
        #expect(data.serviceUUIDs == [BluetoothUUID(0x180D), BluetoothUUID(0x180F)])
        #expect(!data.hasIncompleteServiceUUIDs)
        #expect(data.manufacturerData?.bytes == [1, 2])
        #expect(data.serviceData == [BluetoothUUID(0x180F): [99]])
        #expect(data.completeLocalName == "Lanyard")
        #expect(data.appearance == 0x0341)
        #expect(data.txPowerLevel == -8)
        #expect(
            data.peripheralConnectionIntervalRange == .milliseconds(15) ... .milliseconds(30)
        )
        #expect(data.solicitedServiceUUIDs == [BluetoothUUID(0x1805)])
    }

    @Test("Content that does not fit goes into the scan response, but flags never do")
    func overflow() {
        let layout = AdvertisingLayout(everything, in: .legacy)
        #expect(layout.omissions.isEmpty)
        #expect(layout.advertisingData.bytes.count <= 31)
        #expect(layout.scanResponse.bytes.count <= 31)
        #expect(layout.advertisingData.flags != nil)
        #expect(layout.scanResponse.flags == nil)
        let merged = layout.advertisingData.merging(scanResponse: layout.scanResponse)
        #expect(merged.completeLocalName == "Lanyard")
        #expect(merged.txPowerLevel == -8)
        #expect(merged.solicitedServiceUUIDs == [BluetoothUUID(0x1805)])
    }

    @Test("A name that is too long is shortened at a character and marked")
    func shortenedName() throws {
        let name = String(repeating: "ä", count: 20)
        let layout = AdvertisingLayout(AdvertisingContent(localName: name), in: .legacy)
        let merged = layout.advertisingData.merging(scanResponse: layout.scanResponse)
        let sent = try #require(merged.shortenedLocalName)
        #expect(merged.completeLocalName == nil)
        #expect(sent == String(repeating: "ä", count: 14))
        #expect(layout.omissions == [.nameShortened(sent)])
    }

    @Test("A name that is too long leaves space for all other content")
    func nameComesLast() {
        var content = AdvertisingContent(localName: String(repeating: "n", count: 60))
        content.appearance = 0x0341
        content.transmitPower = .level(4)
        let layout = AdvertisingLayout(content, in: .legacy)
        let merged = layout.advertisingData.merging(scanResponse: layout.scanResponse)
        #expect(merged.appearance == 0x0341)
        #expect(merged.txPowerLevel == 4)
        #expect(merged.shortenedLocalName?.isEmpty == false)
    }

    @Test("A list of services that do not all fit is marked incomplete")
    func incompleteServices() throws {
        let uuids = (0..<20).map { BluetoothUUID(UInt16(0x1800 + $0)) }
        let content = AdvertisingContent(serviceUUIDs: uuids)
        let layout = AdvertisingLayout(content, in: .legacy)
        let merged = layout.advertisingData.merging(scanResponse: layout.scanResponse)
        #expect(merged.hasIncompleteServiceUUIDs)
        #expect(merged.serviceUUIDs == Array(uuids.prefix(14)))
        #expect(layout.omissions == [.serviceUUIDs(Array(uuids.dropFirst(14)))])
    }

    @Test("Lists of UUIDs of different widths are cut separately")
    func twoLongServices() throws {
        let uuids = [try #require(long), try #require(other), BluetoothUUID(0x180D)]
        var content = AdvertisingContent(serviceUUIDs: uuids)
        content.manufacturerData = [.init(company: 1, bytes: [UInt8](repeating: 7, count: 8))]
        let layout = AdvertisingLayout(content, in: .legacy)
        let merged = layout.advertisingData.merging(scanResponse: layout.scanResponse)
        #expect(merged.serviceUUIDs.contains(BluetoothUUID(0x180D)))
        #expect(merged.serviceUUIDs.contains(uuids[0]))
        #expect(layout.omissions == [.serviceUUIDs([uuids[1]])])
    }

    @Test("A service that is named twice is sent once")
    func duplicates() {
        let uuid = BluetoothUUID(0x180D)
        let layout = AdvertisingLayout(
            AdvertisingContent(serviceUUIDs: [uuid, uuid]),
            in: .legacy
        )
        #expect(layout.advertisingData.bytes == [2, 1, 6, 3, 3, 0x0D, 0x18])
    }

    @Test("All content that cannot be sent is reported")
    func noRoom() {
        let layout = AdvertisingLayout(
            everything,
            in: AdvertisingRoom(advertisingData: 0, scanResponse: 0)
        )
        #expect(layout.advertisingData.bytes.isEmpty)
        #expect(
            Set(layout.omissions) == [
                .serviceUUIDs(everything.serviceUUIDs), .manufacturerData(company: 0x0059),
                .serviceData(BluetoothUUID(0x180F)), .name, .appearance, .transmitPower,
                .connectionIntervals,
                .solicitedServiceUUIDs(everything.solicitedServiceUUIDs),
            ]
        )
        #expect(layout.omissions.count == 8)
    }

    @Test(
        "No layout is too long or malformed, or loses content without a report",
        arguments: RunSeed.seeds(1)
    )
    func randomContent(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let content = Self.randomContent(&random)
            let room = AdvertisingRoom(
                advertisingData: Int.random(in: 0...300, using: &random),
                scanResponse: Int.random(in: 0...60, using: &random)
            )
            let layout = AdvertisingLayout(content, in: room)
            #expect(layout.advertisingData.bytes.count <= room.advertisingData)
            #expect(layout.scanResponse.bytes.count <= room.scanResponse)
            #expect(!layout.advertisingData.isMalformed && !layout.scanResponse.isMalformed)
            let merged = layout.advertisingData.merging(scanResponse: layout.scanResponse)
            let left = layout.omissions.flatMap { omission -> [BluetoothUUID] in
                if case .serviceUUIDs(let uuids) = omission { uuids } else { [] }
            }
            #expect(Set(merged.serviceUUIDs + left) == Set(content.serviceUUIDs))
            #expect(merged.hasIncompleteServiceUUIDs == false || !left.isEmpty)
            let isNameWhole = merged.completeLocalName == content.localName
            let isNameReported = layout.omissions.contains { omission in
                switch omission {
                case .name, .nameShortened: true
                default: false
                }
            }
            #expect(isNameWhole != isNameReported)
        }
    }

    private static func randomContent(_ random: inout SplitMix64) -> AdvertisingContent {
        let length = Int.random(in: 1...40, using: &random)
        var content = AdvertisingContent(localName: String(repeating: "x", count: length))
        content.serviceUUIDs = (0..<Int.random(in: 0...9, using: &random)).map { _ in
            Bool.random(using: &random)
                ? BluetoothUUID(UInt16.random(in: 1...0xFFFF, using: &random))
                : BluetoothUUID(short32: UInt32.random(in: 0x10000...0xFFFF_FFFF, using: &random))
        }
        if Bool.random(using: &random) { content.appearance = 1 }
        if Bool.random(using: &random) {
            let count = Int.random(in: 0...30, using: &random)
            content.manufacturerData = [.init(company: 1, bytes: .init(repeating: 3, count: count))]
        }
        return content
    }
}

@Suite("Raw advertising data")
struct RawAdvertisingTests {
    @Test("Well-formed data is used unchanged")
    func taken() throws {
        let layout = try AdvertisingLayout(
            rawAdvertisingData: [2, 1, 6],
            scanResponse: [2, 0x0A, 4],
            in: .legacy
        )
        #expect(layout.advertisingData.bytes == [2, 1, 6])
        #expect(layout.scanResponse.bytes == [2, 0x0A, 4])
        #expect(layout.omissions.isEmpty)
    }

    @Test("Data that is too long, malformed, or has flags in the wrong place is refused")
    func refused() {
        #expect(throws: AdvertisingError.dataTooLong(bytes: 32, limit: 31)) {
            try AdvertisingLayout(
                rawAdvertisingData: [31, 0xFF] + [UInt8](repeating: 0, count: 30),
                scanResponse: [],
                in: .legacy
            )
        }
        #expect(throws: AdvertisingError.malformedData) {
            try AdvertisingLayout(rawAdvertisingData: [9, 1, 6], scanResponse: [], in: .legacy)
        }
        #expect(throws: AdvertisingError.flagsInScanResponse) {
            try AdvertisingLayout(rawAdvertisingData: [], scanResponse: [2, 1, 6], in: .legacy)
        }
    }
}
