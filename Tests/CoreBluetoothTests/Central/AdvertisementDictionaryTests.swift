// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("The advertisement data of delegates")
struct AdvertisementDictionaryTests {
    @Test("3.10 The values of the keys have Apple's types")
    func types() throws {
        let data = dictionary([
            0x02, 0x0A, 0xF4, 0x03, 0x03, 0x0D, 0x18, 0x04, 0x16, 0x0F, 0x18, 0x57,
            0x04, 0xFF, 0x4D, 0x00, 0x09, 0x03, 0x14, 0x05, 0x18, 0x03, 0x09, 0x48, 0x69,
        ])
        #expect(data[CBAdvertisementDataLocalNameKey] as? String == "Hi")
        let maker = try #require(data[CBAdvertisementDataManufacturerDataKey] as? Data)
        #expect(maker == Data([0x4D, 0x00, 0x09]))
        let services = try #require(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])
        #expect(services.map(\.uuidString) == ["180D"])
        let values = try #require(data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data])
        #expect(values == [CBUUID(string: "180F"): Data([0x57])])
        let solicited = data[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID]
        #expect(solicited == [CBUUID(string: "1805")])
        #expect((data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue == -12)
        #expect(data[CBAdvertisementDataIsConnectable] as? NSNumber == 1)
    }

    @Test("3.10 Data that is not advertised has no key")
    func absent() {
        let data = dictionary([])
        #expect(
            data.keys.sorted() == [
                CBAdvertisementDataIsConnectable, "kCBAdvDataRxPrimaryPHY",
                "kCBAdvDataRxSecondaryPHY", "kCBAdvDataTimestamp",
            ]
        )
    }

    @Test("3.11 The undocumented keys have numbers")
    func undocumented() {
        let data = dictionary([])
        #expect((data["kCBAdvDataTimestamp"] as? NSNumber)?.doubleValue == 7.5)
        #expect(data["kCBAdvDataRxPrimaryPHY"] as? NSNumber == 1)
        #expect(data["kCBAdvDataRxSecondaryPHY"] as? NSNumber == 0)
    }

    @Test("3.13 The dictionary does not contain the address")
    func noAddress() {
        let text = "\(dictionary([0x02, 0x01, 0x06]))"
        #expect(!text.contains("665544332211"))
        #expect(!text.contains("11:22:33:44:55:66"))
    }

    @Test("3.10 UUIDs keep the width in which they were advertised")
    func widths() {
        let full = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB").written.bytes.reversed()
        let data = dictionary([0x11, 0x07] + full)
        let services = data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        #expect(services?.first?.data.count == 16)
    }

    @Test(
        "Random advertisement data does not end the program",
        arguments: RunSeed.seeds(50)
    )
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let data = dictionary(random.bytes(upTo: 63))
        #expect(data[CBAdvertisementDataIsConnectable] != nil)
    }

    private func dictionary(_ bytes: [UInt8]) -> [String: Any] {
        let data = AdvertisingData(bytes)
        let advertisement = Advertisement(
            address: DeviceAddress(value: 0x6655_4433_2211, kind: .public),
            txPower: data.txPowerLevel,
            data: data
        )
        return AdvertisementDictionary.make(ScanMatch(advertisement: advertisement, timestamp: 7.5))
    }
}
