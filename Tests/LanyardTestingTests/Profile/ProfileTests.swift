// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

private struct Strap: AccessoryProfile {
    static let kind = "strap"
    static let service: BluetoothID = "180D"

    let measurement = Subscribed<HeartRateMeasurement>()
    let location = Readable<BodySensorLocation>()
    let control = Writable<UInt8>("2A39")
    let level = Readable<BatteryLevel>(in: "180F", isRequired: false)
    let levels = Subscribed<BatteryLevel>(in: "180F", isRequired: false)
    let alert = Writable<AlertLevel>(in: "180F", isRequired: false)
}

@Suite("An accessory with a profile", .eachSystem)
struct ProfileTests {
    @Test("A declared value can be read, written and received")
    func uses() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central(Strap.description)
            let strap = try await central.accessory(Strap.self)
            #expect(strap.accessory.state == .ready)
            #expect(strap.id == strap.accessory.id)
            #expect(try await strap.location.read() == .chest)
            #expect(try await strap.level.read().percentage == 80)
            try await strap.control.write(1)
            #expect(fixture.straps[0].written(to: "2A39") == [Data([1])])
            await #expect(throws: AccessoryError.self) { try await strap.control.write(0xFF) }
            var rates: [UInt16] = []
            for try await beat in strap.measurement {
                rates.append(beat.rate)
                if rates.count == 3 { break }
            }
            #expect(rates.allSatisfy { (60...100).contains($0) }, "\(rates)")
            // The central finds the same accessory by its kind.
            #expect(try await central.accessory(Strap.self).accessory === strap.accessory)
            await central.shutDown()
        }
    }

    @Test("Every use of a missing characteristic throws")
    func missing() async throws {
        let fixture = CentralFixture { $0.services.removeLast() }
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central(Strap.description)
            let strap = try await central.pair(Strap.self)
            await #expect(throws: AccessoryError.unknownCharacteristic("2A19")) {
                try await strap.level.read()
            }
            await #expect(throws: AccessoryError.unknownCharacteristic("2A06")) {
                try await strap.alert.write(.high)
            }
            await #expect(throws: AccessoryError.unknownCharacteristic("2A19")) {
                try await drain(strap.levels)
            }
            #expect(throws: AccessoryError.unknownCharacteristic("2A19")) {
                _ = try strap.accessory.values(of: "2A19")
            }
            await central.shutDown()
        }
    }

    @Test("A loop over values throws when the accessory loses the characteristic")
    func lost() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central(Strap.description)
            let strap = try await central.pair(Strap.self)
            let loop = Task { try await drain(strap.levels) }
            try await fixture.world.advance(by: .seconds(1))
            fixture.straps[0].removeService("180F")
            await #expect(throws: AccessoryError.unknownCharacteristic("2A19")) {
                try await loop.value
            }
            await central.shutDown()
        }
    }

    @Test("A service that returns to an open link is discovered and used again")
    func returned() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central(Strap.description)
            let strap = try await central.pair(Strap.self)
            fixture.straps[0].removeService("180F")
            try await fixture.world.expect("the loss is noticed", within: .seconds(5)) {
                (try? strap.accessory.values(of: "2A19")) == nil
            }
            try await fixture.world.expect(strap.accessory, becomes: .ready, within: .seconds(5))
            await #expect(throws: AccessoryError.unknownCharacteristic("2A19")) {
                try await strap.level.read()
            }
            fixture.straps[0].addService(.battery(30))
            try await fixture.world.expect("the return is noticed", within: .seconds(10)) {
                (try? strap.accessory.values(of: "2A19")) != nil
            }
            try await fixture.world.expect(strap.accessory, becomes: .ready, within: .seconds(5))
            #expect(try await strap.level.read().percentage == 30)
            var levels = strap.levels.makeAsyncIterator()
            fixture.straps[0].notify([28], on: "2A19")
            #expect(try await levels.next()?.percentage == 28)
            #expect(await fixture.straps[0].linkCount == 1)
            #expect(fixture.count(of: "connect") == 1, "\(fixture.log)")
            await central.shutDown()
        }
    }

    @Test("A new service that the description does not name leaves the accessory ready")
    func unrelated() async throws {
        let fixture = CentralFixture { $0.services.removeLast() }
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central(Strap.description)
            let strap = try await central.pair(Strap.self)
            let changes = ReceivedValues<AccessoryState>()
            let token = strap.accessory.onChange { changes.add($0.state) }
            try await fixture.world.advance(by: .seconds(1))
            fixture.straps[0].addService(VirtualService("1B90", [.readable("1B91", [1])]))
            try await fixture.world.advance(by: .seconds(10))
            #expect(changes.values == [.ready])
            token.cancel()
            await central.shutDown()
        }
    }

    @Test("A malformed value ends the loop with an error, or is reported and skipped")
    func malformed() async throws {
        let fixture = CentralFixture { strap in
            strap.services[0].characteristics[0] = .notifying("2A37")
        }
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central(Strap.description)
            let strap = try await central.pair(Strap.self)
            var values = strap.measurement.makeAsyncIterator()
            let skipped = ReceivedValues<Data>()
            var others = strap.measurement.skippingMalformed { data, _ in skipped.add(data) }
                .makeAsyncIterator()
            fixture.straps[0].notify([0x06], on: "2A37")
            fixture.straps[0].notify([0x06, 72], on: "2A37")
            do throws(AccessoryError) {
                _ = try await values.next()
                Issue.record("the malformed value was accepted")
            } catch {
                let isMalformed = if case .malformed = error { true } else { false }
                #expect(isMalformed, "\(error)")
            }
            // The iterator continues with the next value.
            #expect(try await values.next()?.rate == 72)
            #expect(try await others.next()?.rate == 72)
            #expect(skipped.values == [Data([0x06])])
            await central.shutDown()
        }
    }

    @Test("A loop over values ends when its task is canceled or its central shuts down")
    func ends() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central(Strap.description)
            let strap = try await central.pair(Strap.self)
            let loops = (0..<2).map { _ in
                Task { try await drain(strap.measurement) }
            }
            try await fixture.world.advance(by: .seconds(2))
            loops[0].cancel()
            try await loops[0].value
            await central.shutDown()
            try await loops[1].value
        }
    }

    @Test("A profile is refused if it writes a characteristic that the description only reads")
    func otherDescription() async throws {
        struct Writes: AccessoryProfile {
            static let kind = "strap"
            static let service: BluetoothID = "180D"
            let location = Writable<UInt8>("2A38")
        }
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central(Strap.description)
            let strap = try await central.pair(Strap.description)
            #expect(throws: AccessoryError.unknownCharacteristic("2A38")) {
                _ = try TypedAccessory(strap, as: Writes.self)
            }
            let typed = try TypedAccessory(strap, as: Strap.self)
            #expect(try await typed.location.read() == .chest)
            await central.shutDown()
        }
    }
}

private func drain<Value>(_ values: SubscribedValues<Value>) async throws {
    for try await _ in values {}
}
