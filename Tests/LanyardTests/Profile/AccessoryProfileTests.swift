// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

private struct Strap: AccessoryProfile {
    static let kind = "strap"
    static let service: BluetoothID = "180D"

    let measurement = Subscribed<HeartRateMeasurement>()
    let location = Readable<BodySensorLocation>()
    let control = Writable<HeartRateControlPoint>()
    let answers = Subscribed<UInt8>("2A39")
    let level = Readable<BatteryLevel>(in: "180F", isRequired: false)
    let levels = Subscribed<BatteryLevel>(in: "180F", isRequired: false)
    let settings = MessagePair(writing: "1D01", listening: "1D02", in: "1D00")
    var note = "properties of other types declare nothing"

    static func configure(_ description: inout AccessoryDescription) {
        description.pairing = .required(probing: Strap().location)
        description.priority = 3
    }
}

@Suite("The description of a profile")
struct AccessoryProfileTests {
    @Test("The stored properties become services and characteristics, in their order")
    func lowers() {
        let description = Strap.description
        #expect(description.kind == "strap")
        #expect(description.matcher.services == ["180D"])
        #expect(
            description.services == [
                ServiceDescription(
                    "180D",
                    [
                        .subscribe("2A37"), .read("2A38"),
                        CharacteristicDescription("2A39", [.write, .subscribe]),
                    ]
                ),
                ServiceDescription(
                    "180F",
                    [CharacteristicDescription("2A19", [.read, .subscribe], isRequired: false)],
                    isRequired: false
                ),
                ServiceDescription("1D00", [.write("1D01"), .subscribe("1D02")]),
            ]
        )
    }

    @Test("A profile sets the pairing and the priority of its description")
    func configures() {
        #expect(Strap.description.pairing == .required(probing: "2A38"))
        #expect(Strap.description.priority == 3)
    }

    @Test("A characteristic is required if one of its uses is")
    func requirement() {
        struct Lamp: AccessoryProfile {
            static let kind = "lamp"
            static let service: BluetoothID = "1815"
            let state = Readable<UInt8>("2A56", isRequired: false)
            let command = Writable<UInt8>("2A56")
        }
        #expect(
            Lamp.description.services == [
                ServiceDescription("1815", [CharacteristicDescription("2A56", [.read, .write])])
            ]
        )
    }

    @Test("A profile with one characteristic in two services stops the program")
    func twoServices() async {
        await #expect(processExitsWith: .failure) {
            struct Two: AccessoryProfile {
                static let kind = "two"
                static let service: BluetoothID = "180D"
                let one = Readable<UInt8>("2A56")
                let other = Readable<UInt8>("2A56", in: "180F")
            }
            _ = Two.description
        }
    }

    @Test("A description declares a use of a characteristic only with the same service and role")
    func declares() {
        let description = Strap.description
        for use in Strap.uses { #expect(description.declares(use)) }
        var use = Strap.uses[1]
        use.role = .write
        #expect(!description.declares(use))
        use = Strap.uses[1]
        use.path.service = "180F"
        #expect(!description.declares(use))
    }
}

@Suite("The values of a profile")
struct ValueCodingTests {
    @Test("Whole numbers are encoded with the low byte first, and have their exact length")
    func integers() throws {
        let wide = Writable<UInt32>("2A56").coding
        #expect(wide.encode(0x0102_0304) == Data([4, 3, 2, 1]))
        #expect(try wide.decode(Data([4, 3, 2, 1])) == 0x0102_0304)
        #expect(throws: ValueError.truncated(needed: 4, available: 3)) {
            try wide.decode(Data([4, 3, 2]))
        }
        #expect(throws: ValueError.trailing(count: 1)) { try wide.decode(Data(count: 5)) }
        let negative = Readable<Int16>("2A56").coding
        #expect(try negative.decode(negative.encode(-2)) == -2)
        let single = Readable<Int8>("2A56").coding
        #expect(try single.decode(Data([0xFF])) == -1)
        // The indices of a slice of data do not start at 0.
        #expect(try wide.decode(Data([9, 4, 3, 2, 1]).dropFirst()) == 0x0102_0304)
    }

    @Test("Texts are UTF-8, and other bytes are refused")
    func texts() throws {
        let text = Readable<String>("2A25").coding
        #expect(try text.decode(text.encode("Gerät 🎧")) == "Gerät 🎧")
        #expect(throws: ValueError.invalid(field: "text")) { try text.decode(Data([0xFF, 0xFE])) }
    }

    @Test("Bytes are unchanged, and typed values have the encoding of their type")
    func others() throws {
        let bytes = Writable<Data>("2A56").coding
        #expect(try bytes.decode(bytes.encode(Data([1, 2]))) == Data([1, 2]))
        let place = Readable<BodySensorLocation>()
        #expect(place.identifier == "2A38")
        #expect(try place.coding.decode(Data([1])) == .chest)
        #expect(place.coding.encode(.chest) == Data([1]))
        #expect(Readable<BodySensorLocation>("2A56").identifier == "2A56")
    }

    @Test("A profile can have a conversion of its own")
    func own() throws {
        let switched = Writable<Bool>(
            "2A56",
            coding: ValueCoding(
                decode: { data throws(ValueError) in data.first == 1 },
                encode: { Data([$0 ? 1 : 0]) }
            )
        )
        #expect(switched.coding.encode(true) == Data([1]))
        #expect(try switched.coding.decode(Data([0])) == false)
    }
}
