// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite("Accessory identities")
struct AccessoryIdentityTests {
    private static let device = UUID()
    private static let byData = IdentitySource.manufacturerData(company: 0x004C, range: 1..<4)

    private static func discovery(_ bytes: [UInt8]?) -> Discovery {
        Discovery(identifier: device, manufacturerData: bytes.map { Data($0) })
    }

    @Test("The system source uses the system's identifier")
    func bySystem() {
        let discovery = Self.discovery([0x4C, 0x00, 1, 2, 3])
        #expect(AccessoryIdentity(of: discovery, by: .system) == .system(Self.device))
    }

    @Test("The manufacturer data source uses the bytes of its range")
    func byManufacturerData() {
        let identity = AccessoryIdentity(
            of: Self.discovery([0x4C, 0, 9, 1, 2, 3, 7]),
            by: Self.byData
        )
        #expect(identity == .manufacturer(company: 0x004C, identifier: Data([1, 2, 3])))
    }

    @Test("A slice of data gives the same identity")
    func slices() {
        let data = Data([0xFF, 0xFF, 0x4C, 0, 9, 1, 2, 3]).dropFirst(2)
        let discovery = Discovery(identifier: Self.device, manufacturerData: data)
        let identity = AccessoryIdentity(of: discovery, by: Self.byData)
        #expect(identity == .manufacturer(company: 0x004C, identifier: Data([1, 2, 3])))
    }

    @Test(
        "Data that is missing, too short or of another company gives no identity",
        arguments: [nil, [], [0x4C], [0x4C, 0], [0x4C, 0, 9, 1, 2], [0x4D, 0, 9, 1, 2, 3]]
            as [[UInt8]?]
    )
    func noIdentity(bytes: [UInt8]?) {
        #expect(AccessoryIdentity(of: Self.discovery(bytes), by: Self.byData) == nil)
    }

    @Test(
        "A range that is empty or negative gives no identity",
        arguments: [-3..<0, 2..<2]
    )
    func strangeRanges(range: Range<Int>) {
        let source = IdentitySource.manufacturerData(company: 0x4C, range: range)
        #expect(AccessoryIdentity(of: Self.discovery([0x4C, 0, 1, 2, 3, 4]), by: source) == nil)
    }

    @Test("The text of an identity decodes to the same identity")
    func texts() throws {
        let data = AccessoryIdentity.manufacturer(company: 0x0A, identifier: Data([0, 0xAB, 0xFF]))
        #expect(data.description == "manufacturer:000A:00ABFF")
        for identity in [data, .system(Self.device)] {
            #expect(AccessoryIdentity(identity.description) == identity)
            let encoded = try JSONEncoder().encode([identity])
            #expect(try JSONDecoder().decode([AccessoryIdentity].self, from: encoded) == [identity])
        }
    }

    @Test(
        "A text that is not an identity is refused",
        arguments: [
            "", ":", "system", "system:", "system:1", "System:\(UUID())", "system:\(UUID()):",
            "manufacturer:004C", "manufacturer:004C:", "manufacturer:4C:00", "manufacturer:004C:0",
            "manufacturer:004C:+1", "manufacturer:+04C:00", "manufacturer:004C:0G",
            "manufacturer:004C:00:", "manufacturer:0004C:00",
        ]
    )
    func strangeTexts(text: String) {
        #expect(AccessoryIdentity(text) == nil)
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode([AccessoryIdentity].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test("Random texts do not trap", arguments: RunSeed.seeds(1))
    func randomTexts(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<10_000 {
            let start = ["system:", "manufacturer:", ""].randomElement(using: &generator) ?? ""
            let text = start + String(decoding: generator.bytes(upTo: 12), as: UTF8.self)
            guard let identity = AccessoryIdentity(text) else { continue }
            #expect(AccessoryIdentity(identity.description) == identity)
        }
    }
}
