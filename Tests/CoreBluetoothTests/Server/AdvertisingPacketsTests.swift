// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("The layout of an advertisement")
struct AdvertisingPacketsTests {
    private static let flags: [UInt8] = [2, 1, 6]
    private static let full = "11111111-2222-3333-4444-555555555555"
    private static let otherFull = "AAAAAAAA-2222-3333-4444-555555555555"

    private func packets(_ name: String?, _ services: [String] = []) -> AdvertisingPackets {
        AdvertisingPackets(name: name, services: services.compactMap { WrittenUUID(text: $0) })
    }

    private func advertisement(_ name: String?, _ services: [String] = []) -> AdvertisingData {
        AdvertisingData(packets(name, services).advertisingData)
    }

    private func response(_ name: String?, _ services: [String] = []) -> AdvertisingData {
        AdvertisingData(packets(name, services).scanResponse)
    }

    @Test("12.2 A name that fits after the flags is complete in the advertisement")
    func shortName() {
        let name = String(repeating: "n", count: 26)
        #expect(packets(name).advertisingData == Self.flags + [27, 9] + [UInt8](name.utf8))
        #expect(packets(name).scanResponse.isEmpty)
    }

    @Test("12.2 Without services, a longer name is cut to 26 bytes and marked as shortened")
    func longName() {
        let name = String(repeating: "n", count: 27)
        #expect(advertisement(name).shortenedLocalName == String(repeating: "n", count: 26))
        #expect(advertisement(name).completeLocalName == nil)
    }

    @Test("12.2 With a long UUID, a name of up to ten bytes is complete in the scan response")
    func nameInResponse() {
        #expect(advertisement("12345678", [Self.full]).completeLocalName == "12345678")
        #expect(advertisement("123456789", [Self.full]).localName == nil)
        #expect(response("123456789", [Self.full]).completeLocalName == "123456789")
        #expect(response("1234567890", [Self.full]).completeLocalName == "1234567890")
        #expect(response("1234567890A", [Self.full]).shortenedLocalName == "1234567890")
    }

    @Test("12.2 A name is cut between characters")
    func characters() {
        #expect(response("ääääää", [Self.full]).shortenedLocalName == "äääää")
        #expect(response("👩‍👩‍👧‍👦", [Self.full]).localName == nil)
    }

    @Test("12.6 A UUID is advertised in the width in which it was made")
    func widths() {
        let short = packets(nil, ["180D"]).advertisingData
        #expect(short == Self.flags + [3, 3, 0x0D, 0x18])
        let middle = packets(nil, ["0000180D"]).advertisingData
        #expect(middle == Self.flags + [5, 5, 0x0D, 0x18, 0, 0])
        let long = packets(nil, ["0000180D-0000-1000-8000-00805F9B34FB"]).advertisingData
        #expect(long.count == 3 + 18 && long[3] == 17 && long[4] == 7)
        #expect(AdvertisingData(long).serviceUUIDs == [BluetoothUUID(0x180D)])
    }

    @Test(
        "12.2 An advertisement holds thirteen short UUIDs, and others are in the overflow area"
    )
    func overflow() {
        let services = (0..<15).map { "A00" + String($0, radix: 16).uppercased() }
        let shown = advertisement(nil, services)
        #expect(shown.serviceUUIDs.count == 13)
        #expect(shown.hasIncompleteServiceUUIDs)
        let hidden = services.suffix(2).compactMap { BluetoothUUID($0) }
        #expect(OverflowArea.matches(hidden, in: response(nil, services)) == hidden)
    }

    @Test("12.2 Of two long UUIDs, one overflows, and a short one after them still fits")
    func mixed() {
        let services = [Self.full, Self.otherFull, "180D"]
        let shown = advertisement(nil, services)
        #expect(
            shown.serviceUUIDs == [0x180D].map { BluetoothUUID($0) } + [BluetoothUUID(Self.full)]
        )
        #expect(shown.hasIncompleteServiceUUIDs)
        let hidden = [BluetoothUUID(Self.otherFull)].compactMap { $0 }
        #expect(OverflowArea.matches(hidden, in: response(nil, services)) == hidden)
    }

    @Test("12.2 Ten bytes of name and the overflow area fill a scan response exactly")
    func exact() {
        let packets = packets("1234567890", [Self.full, Self.otherFull])
        #expect(packets.scanResponse.count == 31)
        #expect(AdvertisingData(packets.scanResponse).completeLocalName == "1234567890")
        #expect(OverflowArea.isPresent(in: AdvertisingData(packets.scanResponse)))
    }

    @Test("A UUID that is given twice is advertised once")
    func duplicates() {
        let shown = packets(nil, ["180D", "180D"]).advertisingData
        #expect(shown == Self.flags + [3, 3, 0x0D, 0x18])
    }

    @Test(
        "With random input, both packets are well formed and fit",
        arguments: RunSeed.seeds(200)
    )
    func anything(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let name = String(repeating: "é", count: next(30))
        let services = (0..<next(12)).map { _ in
            ["180D", "1234ABCD", Self.full, Self.otherFull, "A00\(next(9))"][next(5)]
        }
        let packets = packets(name, services)
        for bytes in [packets.advertisingData, packets.scanResponse] {
            #expect(bytes.count <= 31 && !AdvertisingData(bytes).isMalformed)
        }
        let both = AdvertisingData(packets.advertisingData + packets.scanResponse)
        let wanted = services.compactMap { BluetoothUUID($0) }
        let shown = Set(both.serviceUUIDs)
        let missing = wanted.filter { !shown.contains($0) }
        #expect(OverflowArea.matches(missing, in: both) == missing)
    }
}

@Suite("The overflow area")
struct OverflowAreaTests {
    @Test("12.2 The area matches its services, and other services only if they have the same bit")
    func matches() throws {
        let all = (0..<UInt16(1000)).map { BluetoothUUID(0x1000 + $0) }
        let area = try #require(OverflowArea.data(of: all.prefix(3)))
        var builder = AdvertisingData.Builder()
        try builder.append(manufacturerData: area)
        #expect(builder.data.bytes.count == OverflowArea.encodedLength)
        let found = OverflowArea.matches(all, in: builder.data)
        #expect(Array(found.prefix(3)) == Array(all.prefix(3)))
        let bits = Set(all.prefix(3).map { OverflowArea.bit(of: $0) })
        #expect(found.allSatisfy { bits.contains(OverflowArea.bit(of: $0)) })
        #expect(found.count < 100)
    }

    @Test("12.2 A service has one of the 112 bits, and the same one each time")
    func vectors() {
        #expect(
            OverflowArea.bit(of: BluetoothUUID(0x180D))
                == OverflowArea.bit(of: BluetoothUUID(0x180D))
        )
        #expect((0..<112).contains(OverflowArea.bit(of: BluetoothUUID(0x180F))))
    }

    @Test("12.2 Without services, there is no area, and other data matches nothing")
    func none() throws {
        #expect(OverflowArea.data(of: [BluetoothUUID]()) == nil)
        let foreign: [AdvertisingData.ManufacturerData] = [
            .init(company: 0x004C, bytes: [0x4C] + [UInt8](repeating: 0xFF, count: 14)),
            .init(company: 0xFFFF, bytes: [0x00] + [UInt8](repeating: 0xFF, count: 14)),
            .init(company: 0xFFFF, bytes: [0x4C] + [UInt8](repeating: 0xFF, count: 13)),
            .init(company: 0xFFFF, bytes: []),
        ]
        for data in foreign {
            var builder = AdvertisingData.Builder()
            try builder.append(manufacturerData: data)
            #expect(OverflowArea.matches([BluetoothUUID(0x180D)], in: builder.data).isEmpty)
        }
        #expect(!OverflowArea.isPresent(in: AdvertisingData([])))
    }
}
