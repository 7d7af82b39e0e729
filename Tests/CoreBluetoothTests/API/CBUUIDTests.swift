// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("CBUUID")
struct CBUUIDTests {
    static let heartRate = "0000180D-0000-1000-8000-00805F9B34FB"

    @Test(
        "15.1 Text of three lengths, in either case, is shown in upper case",
        arguments: [
            ("180d", "180D"), ("0000180d", "0000180D"), ("12345678", "12345678"),
            ("abdd3056-28fa-441d-a470-55a75a52553a", CBUUIDL2CAPPSMCharacteristicString),
        ]
    )
    func text(given: String, shown: String) {
        #expect(CBUUID(string: given).uuidString == shown)
    }

    @Test("15.1 A prefix of 0x is ignored", arguments: ["0x2A7E", "0X2a7e"])
    func prefix(text: String) {
        let uuid = CBUUID(string: text)
        #expect(uuid.uuidString == "2A7E")
        #expect(uuid == CBUUID(string: "2A7E"))
    }

    @Test("15.1, 15.3 Data of three lengths keeps its length and order")
    func bytes() {
        #expect(CBUUID(data: Data([0x18, 0x0D])).uuidString == "180D")
        #expect(CBUUID(data: Data([0, 0, 0x18, 0x0D])).uuidString == "0000180D")
        let long = CBUUID(string: Self.heartRate)
        #expect(CBUUID(data: long.data).uuidString == Self.heartRate)
        #expect(CBUUID(string: "180D").data == Data([0x18, 0x0D]))
        #expect(CBUUID(string: "12345678").data == Data([0x12, 0x34, 0x56, 0x78]))
    }

    @Test("15.1 The inherited initializer makes a UUID that the SIG does not assign")
    func inherited() {
        #expect(CBUUID().uuidString == "0000")
        #expect(CBUUID() == CBUUID())
    }

    @Test("15.1 A slice of data is accepted")
    func slices() {
        let slice = Data([1, 2, 0x18, 0x0F, 3])[2..<4]
        #expect(CBUUID(data: slice).uuidString == "180F")
    }

    @Test("15.1 Foundation's UUIDs become 128-bit UUIDs")
    func foundation() throws {
        let uuid = try #require(UUID(uuidString: Self.heartRate))
        #expect(CBUUID(nsuuid: uuid).uuidString == Self.heartRate)
        #expect(CBUUID(nsuuid: uuid).data.count == 16)
        let other = UUID()
        #expect(CBUUID(nsuuid: other).uuidString == other.uuidString)
    }

    @Test("15.2 Equality and hash values are those of the 128-bit form")
    func equality() {
        let widths = [
            CBUUID(string: "180D"), CBUUID(string: "0000180D"), CBUUID(string: Self.heartRate),
        ]
        for (one, other) in zip(widths, widths.dropFirst()) {
            #expect(one == other)
            #expect(one.hash == other.hash)
            #expect(one.isEqual(other))
        }
        #expect(Set(widths).count == 1)
        #expect(CBUUID(string: "1234") != CBUUID(string: "12345678"))
        #expect(!CBUUID(string: "1234").isEqual("1234"))
        #expect(!CBUUID(string: "1234").isEqual(nil))
    }

    @Test("15.2 A dictionary finds a short UUID by its long form")
    func lookup() {
        let names = [CBUUID(string: "180D"): "heart"]
        #expect(names[CBUUID(string: Self.heartRate)] == "heart")
    }

    @Test("15.3 A UUID keeps the width in which it was made, even if it has a shorter form")
    func width() {
        let long = CBUUID(string: Self.heartRate)
        #expect(long.uuidString == Self.heartRate)
        #expect(long.data.count == 16)
        #expect(CBUUID(long.value).uuidString == "180D")
    }

    @Test("copy() returns the object itself")
    func copies() {
        let uuid = CBUUID(string: "180D")
        #expect(uuid.copy() as? CBUUID === uuid)
    }

    @Test(
        "15.4 Well-known UUIDs are described by their name",
        arguments: [
            ("1800", "Generic Access Profile"), ("1801", "Generic Attribute Profile"),
            ("1805", "Current Time"), ("1808", "Glucose"), ("1809", "Health Thermometer"),
            ("180A", "Device Information"), ("180D", "Heart Rate"), ("180F", "Battery"),
            ("1810", "Blood Pressure"), ("1812", "Human Interface Device"),
            ("1816", "Cycling Speed and Cadence"), (heartRate, "Heart Rate"),
        ]
    )
    func names(text: String, name: String) {
        #expect(CBUUID(string: text).description == name)
    }

    @Test("15.4 UUIDs without a name are described by their text", arguments: ["FEAA", "12345678"])
    func nameless(text: String) {
        #expect("\(CBUUID(string: text))" == text)
    }
}

@Suite("Malformed CBUUIDs")
struct MalformedCBUUIDTests {
    @Test("15.1 Malformed text ends the program with a message that contains it")
    func text() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = CBUUID(string: "18")
        }
        #expect(result.wrote("String 18 does not represent a valid UUID"))
    }

    @Test("15.1 Data of an invalid length ends the program with a message that contains it")
    func bytes() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            _ = CBUUID(data: Data([0x01, 0xAB, 0x03]))
        }
        #expect(result.wrote("Data <01ab03> does not represent a valid UUID"))
    }

    @Test(
        "15.1 Text that is not a UUID is refused",
        arguments: [
            "", "1", "180", "180DD", "18 D", "180G", "0x", "0x1", "0x180", "123456789",
            "0000180D-0000-1000-8000-00805F9B34F", "0000180D00001000800000805F9B34FB",
            "0x0000180D-0000-1000-8000-00805F9B34FB", "0000180D-00001-000-8000-00805F9B34FB",
            "++++", "-180", "１８０Ｄ",
        ]
    )
    func refused(text: String) {
        #expect(WrittenUUID(text: text) == nil)
    }

    @Test("15.1 Data is refused unless it has 2, 4 or 16 bytes")
    func refusedBytes() {
        for count in 0...40 where ![2, 4, 16].contains(count) {
            #expect(WrittenUUID(bytes: [UInt8](repeating: 1, count: count)) == nil)
        }
    }

    @Test(
        "15.1 UUIDs of every length survive the conversion to text and to data",
        arguments: RunSeed.seeds(1)
    )
    func roundTrip(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for count in [2, 4, 16] {
            for _ in 0..<100 {
                let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let uuid = CBUUID(data: Data(bytes))
                #expect([UInt8](uuid.data) == bytes)
                #expect([UInt8](CBUUID(string: uuid.uuidString).data) == bytes)
            }
        }
    }
}
