// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP

/// Parses advertising data from hexadecimal digits, with spaces between the structures.
func advertising(_ text: String) throws -> AdvertisingData {
    let digits = text.split(separator: " ").joined()
    return AdvertisingData(try #require([UInt8](hexadecimal: digits)))
}

@Suite("Advertising data")
struct AdvertisingDataTests {
    // MARK: - Each field

    @Test("The data of a heart rate sensor is parsed")
    func heartRate() throws {
        let data = try advertising("020106 03030d18 0a09486561727420526174")
        #expect(data.flags == [.generalDiscoverable, .brEdrNotSupported])
        #expect(data.serviceUUIDs == [BluetoothUUID(0x180D)])
        #expect(data.localName == "Heart Rat")
        #expect(!data.isMalformed)
        #expect(
            data.structures.map(\.type) == [.flags, .completeServiceUUIDs16, .completeLocalName]
        )
    }

    @Test("The complete name takes precedence over the shortened one")
    func names() throws {
        let data = try advertising("03084c61 08094c616e79617264")
        #expect(data.localName == "Lanyard")
        #expect(data.shortenedLocalName == "La")
        #expect(try advertising("03084c61").localName == "La")
        #expect(try advertising("").localName == nil)
    }

    @Test("Invalid UTF-8 in a name is replaced")
    func brokenName() throws {
        #expect(try advertising("0409 41ff42").localName == "A\u{FFFD}B")
    }

    @Test("Service UUIDs of every width are collected, each once")
    func uuids() throws {
        let long = "fb349b5f8000008000100000efcdab90"
        let data = try advertising("05020d180f18 05 05 78563412 1107 \(long) 03030d18")
        let expected = [
            BluetoothUUID(0x180D), BluetoothUUID(0x180F), BluetoothUUID(short32: 0x1234_5678),
            BluetoothUUID(short32: 0x90AB_CDEF),
        ]
        #expect(data.serviceUUIDs == expected)
        #expect(data.hasIncompleteServiceUUIDs)
        #expect(try !advertising("03030d18").hasIncompleteServiceUUIDs)
    }

    @Test("A list of UUIDs with a partial UUID at its end yields the complete UUIDs")
    func raggedList() throws {
        #expect(try advertising("06030d180f1801").serviceUUIDs.count == 2)
        #expect(try advertising("02030d").serviceUUIDs.isEmpty)
    }

    @Test("Solicited service UUIDs of every width are parsed")
    func solicited() throws {
        let long = "00112233445566778899aabbccddeeff"
        let data = try advertising("0314d0ff 051f78563412 1115\(long)")
        #expect(data.solicitedServiceUUIDs.count == 3)
        #expect(data.solicitedServiceUUIDs.first == BluetoothUUID(0xFFD0))
        #expect(data.serviceUUIDs.isEmpty)
    }

    @Test("Service data of every width is parsed, and the first of two with the same UUID counts")
    func serviceData() throws {
        let long = "00112233445566778899aabbccddeeff"
        let data = try advertising("04160918aa 0620785634 1201 1221\(long)02 04160918bb 0216aa")
        #expect(data.serviceData.count == 3)
        #expect(data.serviceData[BluetoothUUID(0x1809)] == [0xAA])
        #expect(data.serviceData[BluetoothUUID(short32: 0x1234_5678)] == [0x01])
        #expect(data.serviceData.values.contains([0x02]))
    }

    @Test("Manufacturer data of several companies is parsed in order")
    func manufacturer() throws {
        let data = try advertising("05ff4c000215 04ff59000a 02ff01")
        #expect(data.manufacturerData == .init(company: 0x004C, bytes: [0x02, 0x15]))
        #expect(data.allManufacturerData.map(\.company) == [0x004C, 0x0059])
        #expect(try advertising("02ff01").manufacturerData == nil)
    }

    @Test("Transmit power, appearance, and role are parsed")
    func smallFields() throws {
        let data = try advertising("020af4 0319c003 021c02")
        #expect(data.txPowerLevel == -12)
        #expect(data.appearance == 0x03C0)
        #expect(data.role?.description == "Peripheral preferred")
    }

    @Test("The preferred connection intervals of a peripheral are parsed")
    func intervalRange() throws {
        let range = try advertising("051206000c00").peripheralConnectionIntervalRange
        #expect(range == .microseconds(7500) ... .milliseconds(15))
        #expect(try advertising("0512ffff0c00").peripheralConnectionIntervalRange == nil)
        #expect(try advertising("05120c000600").peripheralConnectionIntervalRange == nil)
        #expect(try advertising("0512060000ff").peripheralConnectionIntervalRange == nil)
    }

    @Test("The short and the long form of the advertising interval are parsed")
    func advertisingInterval() throws {
        #expect(try advertising("031aa000").advertisingInterval == .milliseconds(100))
        #expect(try advertising("042fa00000").advertisingInterval == .milliseconds(100))
        #expect(try advertising("052fa0000000").advertisingInterval == .milliseconds(100))
        #expect(try advertising("021aa0").advertisingInterval == nil)
    }

    @Test("The device's own address and its target addresses are parsed")
    func addresses() throws {
        let data = try advertising(
            "081b 010000 00f0c4 01 0717 665544332211 0d18 010000000000 020000000000"
        )
        #expect(data.deviceAddress == DeviceAddress("C4:F0:00:00:00:01", kind: .random))
        #expect(data.targetAddresses.map(\.kind) == [.public, .random, .random])
        #expect(data.targetAddresses.first?.description == "11:22:33:44:55:66")
    }

    @Test("Supported features and a URI are parsed")
    func rest() throws {
        #expect(try advertising("0427ff0001").supportedFeatures == 0x0100FF)
        #expect(try advertising("0724172f2f612e62").uri == "https://a.b")
        #expect(try advertising("0324 7f61").uri == nil)
        let schemes: [(String, String)] = [
            ("01", ""), ("0c", "data:"), ("11", "ftp:"), ("12", "geo:"), ("16", "http:"),
            ("45", "tel:"),
        ]
        for (code, scheme) in schemes {
            #expect(try advertising("0324\(code)61").uri == scheme + "a")
        }
    }

    @Test("Structures of unknown types are kept")
    func unknown() throws {
        let data = try advertising("03991234")
        let structure = try #require(data.structures.first { _ in true })
        #expect(structure.type.description == "0x99")
        #expect(Array(structure.value) == [0x12, 0x34])
    }

    @Test("Fields without a value are absent")
    func wrongLengths() throws {
        for type in 1...255 as ClosedRange<UInt8> {
            let data = AdvertisingData([0x01, type])
            #expect(data.flags == nil)
            #expect(data.txPowerLevel == nil && data.appearance == nil && data.role == nil)
            #expect(data.serviceUUIDs.isEmpty && data.serviceData.isEmpty)
            #expect(data.manufacturerData == nil && data.deviceAddress == nil)
        }
    }

    // MARK: - Form

    @Test("A length of zero ends the data, and all later bytes are padding")
    func earlyEnd() throws {
        let data = try advertising("020106 00 0303")
        #expect(!data.isMalformed)
        #expect(data.structures.map(\.type) == [.flags])
    }

    @Test("Structures before a malformed structure are kept")
    func malformed() throws {
        let data = try advertising("020106 0903 0d18")
        #expect(data.isMalformed)
        #expect(data.flags != nil)
        #expect(data.serviceUUIDs.isEmpty)
    }

    @Test(
        "Truncated and random bytes never trap, and structures never exceed the bytes",
        arguments: RunSeed.seeds(1)
    )
    func hostile(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let whole = try advertising("020106 03030d18 0a09486561727420526174 05ff4c000215")
        var samples = whole.bytes.indices.map { Array(whole.bytes.prefix($0)) }
        for _ in 0..<20_000 {
            samples.append(random.bytes(Int.random(in: 0...40, using: &random)))
        }
        for sample in samples {
            let data = AdvertisingData(sample)
            let length = data.structures.reduce(0) { $0 + 2 + $1.value.count }
            #expect(length <= sample.count)
            _ = (data.localName, data.serviceUUIDs, data.serviceData, data.manufacturerData)
            _ = (data.uri, data.deviceAddress, data.targetAddresses, data.supportedFeatures)
            _ = (data.peripheralConnectionIntervalRange, data.advertisingInterval, data.role)
        }
    }

    // MARK: - Merging

    @Test("A scan response is appended to its advertisement")
    func merging() throws {
        let merged = try advertising("020106").merging(scanResponse: advertising("03094869"))
        #expect(merged.flags != nil)
        #expect(merged.localName == "Hi")
        #expect(merged.bytes.count == 7)
    }

    @Test("Padding and malformed ends do not hide the scan response", arguments: ["00", "09"])
    func mergingAfterPadding(end: String) throws {
        let merged = try advertising("020106 \(end)").merging(scanResponse: advertising("03094869"))
        #expect(merged.localName == "Hi")
        #expect(merged.isMalformed == (end == "09"))
    }

    @Test("A scan response that repeats the advertisement, or is empty, adds nothing")
    func mergingTheSame() throws {
        let data = try advertising("020106")
        #expect(data.merging(scanResponse: data) == data)
        #expect(data.merging(scanResponse: AdvertisingData([])) == data)
    }
}
