// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP

@Suite("Building advertising data")
struct AdvertisingDataBuilderTests {
    @Test("Data that the builder wrote parses to the same values")
    func roundTrip() throws {
        var builder = AdvertisingData.Builder(limit: 200)
        let uuids = [
            BluetoothUUID(0x180D), BluetoothUUID(short32: 0x1234_5678),
            try #require(BluetoothUUID("00112233-4455-6677-8899-AABBCCDDEEFF")),
        ]
        let company = AdvertisingData.ManufacturerData(company: 0x0059, bytes: [1, 2, 3])
        try builder.append(flags: [.limitedDiscoverable])
        try builder.append(serviceUUIDs: uuids)
        try builder.append(manufacturerData: company)
        for (index, uuid) in uuids.enumerated() {
            try builder.append(serviceData: [UInt8(index)], of: uuid)
        }
        try builder.append(txPowerLevel: -8)
        try builder.append(appearance: 0x0341)
        builder.appendLocalName("Lanyard")

        let data = builder.data
        #expect(!data.isMalformed)
        #expect(data.flags == [.limitedDiscoverable])
        #expect(data.serviceUUIDs == uuids)
        #expect(!data.hasIncompleteServiceUUIDs)
        #expect(data.manufacturerData == company)
        #expect(data.serviceData == [uuids[0]: [0], uuids[1]: [1], uuids[2]: [2]])
        #expect(data.txPowerLevel == -8)
        #expect(data.appearance == 0x0341)
        #expect(data.completeLocalName == "Lanyard")
    }

    @Test("A structure that does not fit is refused, and no part of it is written")
    func full() throws {
        var builder = AdvertisingData.Builder()
        try builder.append(.manufacturerData, [UInt8](repeating: 7, count: 26))
        #expect(builder.room == 1)
        let before = builder.data
        #expect(throws: AdvertisingData.Builder.DoesNotFit(needed: 4, available: 3)) {
            try builder.append(serviceUUIDs: [BluetoothUUID(0x180D)])
        }
        #expect(builder.data == before)
        try builder.append(txPowerLevel: 0)
        #expect(builder.data.bytes.count == AdvertisingData.legacyLimit)
        #expect(builder.room == 0)
    }

    @Test("Lists of UUIDs are written completely or not at all")
    func allOrNothing() throws {
        var builder = AdvertisingData.Builder()
        let long = try #require(BluetoothUUID("00112233-4455-6677-8899-AABBCCDDEEFF"))
        let many = (0..<8).map { BluetoothUUID(0x1800 + $0) }
        #expect(throws: AdvertisingData.Builder.DoesNotFit.self) {
            try builder.append(serviceUUIDs: many + [long])
        }
        #expect(builder.data.bytes.isEmpty)
        try builder.append(serviceUUIDs: many, areAll: false)
        #expect(builder.data.hasIncompleteServiceUUIDs)
    }

    @Test("A name is shortened between characters, never within one")
    func shortened() {
        var builder = AdvertisingData.Builder(limit: 8)
        builder.appendLocalName("Zoé's lamp")
        #expect(builder.data.shortenedLocalName == "Zoé's")
        #expect(builder.data.completeLocalName == nil)
        var tight = AdvertisingData.Builder(limit: 5)
        tight.appendLocalName("Zoé")
        #expect(tight.data.shortenedLocalName == "Zo")
        var none = AdvertisingData.Builder(limit: 2)
        none.appendLocalName("Z")
        #expect(none.data.bytes.isEmpty)
    }

    @Test("No structure is longer than its length byte can express")
    func longest() throws {
        var builder = AdvertisingData.Builder(limit: .max)
        #expect(builder.limit == AdvertisingData.extendedLimit)
        try builder.append(.manufacturerData, [UInt8](repeating: 0, count: 254))
        #expect(throws: AdvertisingData.Builder.DoesNotFit.self) {
            try builder.append(.manufacturerData, [UInt8](repeating: 0, count: 255))
        }
        #expect(builder.data.structures.reduce(0) { count, _ in count + 1 } == 1)
    }
}
