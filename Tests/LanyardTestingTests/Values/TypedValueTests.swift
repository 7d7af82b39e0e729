// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Typed values of an accessory", .eachSystem)
struct TypedValueTests {
    @Test("Typed values can be read and received")
    func readsAndReceives() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            #expect(try await strap.read(BodySensorLocation.self) == .chest)
            var rates: [UInt16] = []
            for await measurement in try strap.values(of: HeartRateMeasurement.self) {
                rates.append(measurement.rate)
                if rates.count == 3 { break }
            }
            #expect(rates.allSatisfy { (30...220).contains($0) })
            await central.shutDown()
        }
    }

    @Test("Reading a value that does not match its type throws")
    func reportsMalformedValues() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let expected = AccessoryError.malformed(
                "2A38",
                .truncated(needed: 2, available: 1)
            )
            await #expect(throws: expected) { try await strap.read(WideLocation.self) }
            await central.shutDown()
        }
    }

    /// A sensor location of two bytes, although the characteristic has one.
    private struct WideLocation: CharacteristicValue {
        static let identifier: BluetoothID = "2A38"
        let number: UInt16
        var description: String { "\(number)" }

        init(from reader: inout ValueReader) throws(ValueError) {
            number = try reader.readUInt16()
        }

        func write(to writer: inout ValueWriter) { writer.write(number) }
    }
}
