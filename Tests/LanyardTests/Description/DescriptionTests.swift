// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing

@testable import Lanyard

@Suite("Bluetooth identifiers")
struct BluetoothIDTests {
    @Test(
        "All forms of a UUID are equal",
        arguments: [
            "180d", "180D", "0000180D", "0000180d-0000-1000-8000-00805f9b34fb",
        ]
    )
    func forms(_ text: String) {
        #expect(BluetoothID(text) == "180D")
        #expect(BluetoothID(CBUUID(string: text)) == "180D")
    }

    @Test("A UUID without a short form is preserved")
    func long() {
        let text = "4C414E59-4152-4400-A000-000000001A01"
        #expect(BluetoothID(text.lowercased())?.text == text)
        #expect(("12345678" as BluetoothID).text == "12345678")
        #expect(BluetoothID(text)?.cbuuid == CBUUID(string: text))
    }

    @Test(
        "A text that is not a UUID is refused",
        arguments: ["", "180", "18 D", "0x180D", "180G", "４１８０", "4C414E59-4152-4400-A000"]
    )
    func refused(_ text: String) {
        #expect(BluetoothID(text) == nil)
    }
}

@Suite("Matchers")
struct AccessoryMatcherTests {
    private let strap = Discovery(
        identifier: UUID(),
        name: "Strap",
        services: ["180D", "180F"],
        serviceData: ["180F": Data([80])],
        manufacturerData: Data([0x59, 0x00, 1, 2]),
        rssi: -60
    )

    @Test("A matcher states whether a later packet may match although an earlier one did not")
    func looksBeyondServices() {
        #expect(!AccessoryMatcher.service("180D").looksBeyondServices)
        #expect(!AccessoryMatcher.any(.service("180D"), .service("1812")).looksBeyondServices)
        #expect(AccessoryMatcher.name("Strap").looksBeyondServices)
        #expect(AccessoryMatcher.all(.service("180D"), .signal(atLeast: -60)).looksBeyondServices)
        #expect(AccessoryMatcher.any(.service("180D"), .name("Strap")).looksBeyondServices)
        #expect(AccessoryMatcher.all(.service("180D"), .service("180F")).looksBeyondServices)
    }

    @Test("A matcher examines the service, name, signal or data of a discovery")
    func single() {
        #expect(AccessoryMatcher.service("180D").matches(strap))
        #expect(!AccessoryMatcher.service("1812").matches(strap))
        #expect(AccessoryMatcher.name("Strap").matches(strap))
        #expect(!AccessoryMatcher.name { $0.hasPrefix("strap") }.matches(strap))
        #expect(AccessoryMatcher.signal(atLeast: -60).matches(strap))
        #expect(!AccessoryMatcher.signal(atLeast: -59).matches(strap))
        #expect(AccessoryMatcher.manufacturerData(prefix: Data([0x59, 0x00, 1])).matches(strap))
        #expect(AccessoryMatcher.manufacturerData(company: 0x0059) { $0.last == 2 }.matches(strap))
        #expect(!AccessoryMatcher.manufacturerData(company: 0x5900).matches(strap))
        #expect(AccessoryMatcher.serviceData("180F") { $0 == Data([80]) }.matches(strap))
        #expect(AccessoryMatcher.custom { $0.isConnectable }.matches(strap))
    }

    @Test("A discovery without data matches no matcher that examines data")
    func silent() {
        let silent = Discovery(identifier: UUID())
        for matcher: AccessoryMatcher in [
            .service("180D"), .name("Strap"), .signal(atLeast: -127),
            .manufacturerData(company: 0x59), .serviceData("180F"),
            .manufacturerData(prefix: Data([0x59])),
        ] {
            #expect(!matcher.matches(silent))
        }
    }

    @Test("A combined matcher limits the scan as far as possible")
    func combined() {
        let all = AccessoryMatcher.all(.service("180D"), .name("Strap"))
        #expect(all.matches(strap))
        #expect(all.services == ["180D"])
        let any = AccessoryMatcher.any(.service("180D"), .service("1812"))
        #expect(any.matches(strap))
        #expect(any.services == ["180D", "1812"])
        #expect(AccessoryMatcher.any(.service("180D"), .name("Strap")).services == nil)
        // A scan for no services would be an unfiltered scan.
        #expect(AccessoryMatcher.any().services == nil)
        #expect(AccessoryMatcher.name("Strap").services == nil)
        let nested = AccessoryMatcher.all(any, .service("180F"))
        #expect(nested.services == ["180F"])
        #expect(nested.matches(strap))
    }
}

@Suite("Accessory descriptions")
struct AccessoryDescriptionTests {
    @Test("A description returns the path of a characteristic, the first one if several match")
    func paths() {
        let description = AccessoryDescription(
            kind: "two",
            matching: .service("180D"),
            services: [
                ServiceDescription("180D", [.read("2A38")]),
                ServiceDescription("180F", [.read("2A38"), .read("2A19")]),
            ]
        )
        #expect(description.path(of: "2A38") == CharacteristicPath("180D", "2A38"))
        #expect(description.path(of: "2A19") == CharacteristicPath("180F", "2A19"))
        #expect(description.path(of: "2A00") == nil)
    }

    @Test("The states of Bluetooth convert to different availabilities")
    func availability() {
        let states: [CBManagerState] = [
            .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn,
        ]
        let all = states.map { Availability($0) }
        #expect(Set(all).count == states.count)
        #expect(all.compactMap { Unavailability($0) }.count == states.count - 1)
        #expect(Unavailability(Availability.poweredOn) == nil)
    }
}
