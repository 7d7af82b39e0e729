// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Published values that are computed, indicated, or sent to one central", .eachSystem)
struct PublishedValueTests {
    static let description = AccessoryDescription(
        kind: "station",
        matching: .service("FF20"),
        services: [
            ServiceDescription(
                "FF20",
                [
                    .read("FF21"), .read("FF22"), .subscribe("FF23"), .subscribe("FF24"),
                ]
            )
        ]
    )

    /// Publishes a station with a computed value, and with values to read, indicate and notify.
    private func station(
        _ world: TestWorld,
        on phone: TestPhone,
        _ change: (inout AccessoryPeripheral.Configuration) -> Void = { _ in },
        computing body: @escaping @Sendable (UUID) async throws -> Data = { _ in Data() }
    ) -> AccessoryPeripheral {
        var configuration = phone.peripheralConfiguration
        change(&configuration)
        return AccessoryPeripheral(
            PublishedAccessory(
                name: "Station",
                services: [
                    PublishedService(
                        "FF20",
                        [
                            .computed("FF21", body), .readable("FF22", Data([1])),
                            .indicating("FF23", Data([0])), .notifying("FF24", Data([0])),
                        ]
                    )
                ]
            ),
            configuration: configuration
        )
    }

    private func visit(
        _ phone: TestPhone,
        _ change: (inout AccessoryDescription) -> Void = { _ in }
    ) async throws -> (AccessoryCentral, Accessory) {
        var description = Self.description
        change(&description)
        let central = AccessoryCentral(for: [description], configuration: phone.configuration)
        return (central, try await central.pair(description))
    }

    @Test("Row 18: A value is computed once for each reading, with the identity of the central")
    func computed() async throws {
        let world = TestWorld(seed: 21)
        let phone = world.addPhone("station")
        let readers = ReceivedValues<UUID>()
        try await world.run { [self] in
            let station = station(
                world,
                on: phone,
                computing: { central in
                    readers.add(central)
                    try await world.clock.sleep(for: .seconds(3))
                    return Data(repeating: UInt8(readers.values.count), count: 500)
                }
            )
            let events = station.events
            let (central, accessory) = try await visit(world.phone)
            for number in 1...3 {
                let begin = world.now
                let value = try await accessory.read("FF21")
                #expect(value == Data(repeating: UInt8(number), count: 500))
                #expect(world.now - begin >= .seconds(3))
            }
            // A long value has several parts, which belong to one computation.
            #expect(readers.values.count == 3)
            for await event in events {
                guard case .subscribed(let identifier, _) = event else { continue }
                #expect(Set(readers.values) == [identifier])
                break
            }
            await central.shutDown()
            station.close()
        }
    }

    @Test("Row 18: A read is refused if its value cannot be computed, or not in time")
    func refused() async throws {
        let world = TestWorld(seed: 22)
        let phone = world.addPhone("station")
        let readings = ReceivedValues<Int>()
        try await world.run { [self] in
            let station = station(world, on: phone) {
                $0.readTimeout = .seconds(4)
            } computing: { _ in
                readings.add(1)
                switch readings.values.count {
                case 1: throw AttributeError.insufficientAuthorization
                case 2: throw CancellationError()
                case 3: try await world.clock.sleep(for: .seconds(3_600))
                // These numbers are not ATT error codes, so the central gets Unlikely Error.
                case 4: throw AttributeError(code: 0)
                case 5: throw AttributeError(code: 0x100 + AttributeError.invalidOffset.code)
                default: break
                }
                return Data([7])
            }
            let (central, accessory) = try await visit(world.phone)
            for refusal in [
                AttributeError.insufficientAuthorization, .unlikelyError, .unlikelyError,
                .unlikelyError, .unlikelyError,
            ] {
                let begin = world.now
                let error = await #expect(throws: AccessoryError.self) {
                    try await accessory.read("FF21")
                }
                guard case .refused(refusal.code, _) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                if readings.values.count == 3 { #expect(world.now - begin >= .seconds(4)) }
            }
            #expect(try await accessory.read("FF21") == Data([7]))
            #expect(try await accessory.read("FF22") == Data([1]))
            await central.shutDown()
            station.close()
        }
    }

    @Test("Row 18: An indicated value is delivered when the central has confirmed it")
    func indicated() async throws {
        let world = TestWorld(seed: 23)
        let phone = world.addPhone("station")
        try await world.run { [self] in
            let station = station(world, on: phone)
            let (central, accessory) = try await visit(world.phone)
            let values = try accessory.values(of: "FF23")
            for number in 1...50 {
                try await station.send(Data([UInt8(number)]), of: "FF23")
            }
            // The central has confirmed all values, so all of them have arrived.
            var received: [Data] = []
            for await value in values {
                received.append(value)
                if received.count == 50 { break }
            }
            #expect(received == (1...50).map { Data([UInt8($0)]) })
            // A sent value does not replace the stored value.
            #expect(station.value(of: "FF23") == Data([0]))

            world.phone.disturb(losing: 1)
            let begin = world.now
            await #expect(throws: PeripheralError.notDelivered) {
                try await station.send(Data([51]), of: "FF23")
            }
            #expect(world.now - begin > .seconds(1))
            await central.shutDown()
            station.close()
        }
    }

    @Test("Row 18: A value reaches one central only, and all values keep their order")
    func oneCentral() async throws {
        let world = TestWorld(seed: 24)
        let phone = world.addPhone("station")
        let other = world.addPhone("other")
        try await world.run { [self] in
            let station = station(world, on: phone)
            let events = station.events
            let (central, accessory) = try await visit(world.phone)
            var first: UUID?
            for await event in events {
                guard case .subscribed(let identifier, to: "FF24") = event else { continue }
                first = identifier
                break
            }
            let one = try #require(first)
            let (otherCentral, otherAccessory) = try await visit(other)
            let values = try accessory.values(of: "FF24")
            let otherValues = try otherAccessory.values(of: "FF24")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in UInt8(1)...100 {
                    group.addTask { try await station.send(Data([number]), of: "FF24", to: one) }
                }
                try await group.waitForAll()
            }
            try await station.send(Data([101]), of: "FF24")
            var received: [UInt8] = []
            for await value in values {
                received += value
                if value == Data([101]) { break }
            }
            #expect(received == Array(1...101))
            for await value in otherValues {
                #expect(value == Data([101]))
                break
            }
            await central.shutDown()
            await otherCentral.shutDown()
            station.close()
        }
    }

    @Test("Row 18: A value that cannot be delivered fails with the reason")
    func undeliverable() async throws {
        let world = TestWorld(seed: 25)
        let phone = world.addPhone("station")
        try await world.run { [self] in
            let station = station(world, on: phone)
            let (central, accessory) = try await visit(world.phone)
            await #expect(throws: PeripheralError.unknownCharacteristic("FF22")) {
                try await station.send(Data([1]), of: "FF22")
            }
            await #expect(throws: PeripheralError.notSubscribed("FF24")) {
                try await station.send(Data([1]), of: "FF24", to: UUID())
            }
            let error = await #expect(throws: PeripheralError.self) {
                try await station.send(Data(count: 513), of: "FF24")
            }
            guard case .tooLong(513, let maximum) = error else {
                throw try #require(error)
            }
            try await station.send(Data(count: maximum), of: "FF24")
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await station.send(Data([1]), of: "FF24")
            }
            await #expect(throws: PeripheralError.cancelled) { try await cancelled.value }
            try await accessory.disconnect()
            try await world.advance(by: .seconds(1))
            await #expect(throws: PeripheralError.notSubscribed("FF24")) {
                try await station.send(Data([1]), of: "FF24")
            }
            station.close()
            await #expect(throws: PeripheralError.closed) {
                try await station.send(Data([1]), of: "FF24")
            }
            await central.shutDown()
        }
    }
}
