// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

private struct Meter: AccessoryProfile {
    static let kind = "meter"
    static let service: BluetoothID = "1808"

    let records = ControlPoint<RecordAccessCommand>()
    let measurements = Subscribed<Data>("2A18")
    let heart = ControlPoint<HeartRateControlPoint>(in: "180D", isRequired: false)
    let power = ControlPoint<CyclingPowerCommand>(in: "1818", isRequired: false)
    let machine = ControlPoint<FitnessMachineCommand>(in: "1826", isRequired: false)
}

extension VirtualAccessory {
    /// A meter with three records. It does not answer a report of all records by itself.
    fileprivate static let meter = VirtualAccessory(
        "Meter",
        services: [
            VirtualService(
                "1808",
                [
                    .notifying("2A18"),
                    .controlPoint("2A52") { command in
                        switch command.prefix(2) {
                        case [4, 1]: .sends([[5, 0, 3, 0]], on: "2A52")
                        case [4, 3]: .sends([[5, 0]], on: "2A52")
                        case [2, 1]: .sends([[6, 0, 2, 6]], on: "2A52")
                        case [3, 0]: .sends([[6, 0, 3, 1]], on: "2A52")
                        case [1, 6]: .refuses(code: 0xFE)
                        default: .accepts
                        }
                    },
                ]
            ),
            VirtualService(
                "180D",
                [
                    .writable("2A39") { $0 == [1] ? .accepts : .refuses(code: 0x80) }
                        .withResponse()
                ]
            ),
            VirtualService(
                "1818",
                [.controlPoint("2A66") { .sends([[0x20, $0[0], 1, 0x59, 1]], on: "2A66") }]
            ),
            VirtualService(
                "1826",
                [
                    .controlPoint("2AD9") { command in
                        let result: UInt8 = command[0] == 0 ? 1 : 5
                        return .sends([[0x80, command[0], result]], on: "2AD9")
                    }
                ]
            ),
        ],
        advertisedServices: ["1808"]
    )
}

@Suite("Control points", .eachSystem)
struct ControlPointTests {
    private func pairMeter(
        _ world: TestWorld
    ) async throws -> (AccessoryCentral, TypedAccessory<Meter>) {
        let central = world.phone.central(Meter.description)
        return (central, try await central.accessory(Meter.self))
    }

    @Test("Row 19: A command returns the typed result of its answer, or throws its refusal")
    func answers() async throws {
        let world = TestWorld(seed: 41)
        world.add(.meter)
        try await world.run { [self] in
            let (central, meter) = try await pairMeter(world)
            #expect(try await meter.records.count(.all) == 3)
            await #expect(
                throws: ControlPointError<RecordAccessCommand.Refusal>.refused(.noRecordsFound)
            ) {
                try await meter.records.perform(.delete(.all))
            }
            let malformed = ControlPointError<RecordAccessCommand.Refusal>.malformed(
                .truncated(needed: 2, available: 0)
            )
            await #expect(throws: malformed) { try await meter.records.count(.from(1)) }
            await #expect(throws: ControlPointError<RecordAccessCommand.Refusal>.busy) {
                try await meter.records.perform(.report(.last))
            }
            #expect(try await meter.power.perform(.requestCrankLength) == .crankLength(345))
            #expect(try await meter.machine.perform(.requestControl) == .done)
            await #expect(
                throws: ControlPointError<FitnessMachineCommand.Refusal>.refused(
                    .controlNotPermitted
                )
            ) {
                try await meter.machine.perform(.setTargetPower(200))
            }
            try await meter.heart.perform(.resetEnergyExpended)
            await central.shutDown()
        }
    }

    @Test("The time limit of a command begins when the command is written")
    func limitAfterOtherWrites() async throws {
        let world = TestWorld(seed: 43)
        world.add(
            .meter.with {
                $0.services[1].characteristics[0] = .writable("2A39").withResponse()
            }
        )
        try await world.run { [self] in
            let (central, meter) = try await pairMeter(world)
            let start = world.now
            let value = Data(count: 20_000)
            async let written: Void = meter.accessory.writeInChunks(value, to: "2A39")
            try await world.advance(by: .milliseconds(100))
            #expect(try await meter.records.count(.all, timeout: .seconds(1)) == 3)
            // The command has waited longer than its time limit.
            #expect(world.now - start > .seconds(2))
            try await written
            await central.shutDown()
        }
    }

    @Test("Row 19: A heart rate sensor refuses a command by the response to the write")
    func refusedWrite() async throws {
        let world = TestWorld(seed: 42)
        world.add(
            .meter.with {
                $0.services[1].characteristics[0] = .writable("2A39") { _ in .refuses(code: 0x80) }
                    .withResponse()
            }
        )
        try await world.run { [self] in
            let (central, meter) = try await pairMeter(world)
            await #expect(
                throws: ControlPointError<HeartRateControlPoint.Refusal>.refused(.notSupported)
            ) {
                try await meter.heart.perform(.resetEnergyExpended)
            }
            await central.shutDown()
        }
    }

    @Test("Row 19: A control point executes one command at a time, and records arrive meanwhile")
    func oneAtATime() async throws {
        let world = TestWorld(seed: 43)
        let box = world.add(.meter)
        try await world.run { [self] in
            let (central, meter) = try await pairMeter(world)
            let records = try meter.accessory.values(of: "2A18")
            let report = Task { try await meter.records.perform(.report(.all)) }
            try await world.advance(by: .seconds(1))
            let count = Task { try await meter.records.count(.all) }
            try await world.advance(by: .seconds(5))
            #expect(box.written(to: "2A52") == [Data([1, 1])])
            for number in UInt8(1)...3 { box.notify([number], on: "2A18") }
            // This response belongs to no command that is under way.
            box.notify([6, 0, 2, 1], on: "2A52")
            try await world.advance(by: .seconds(1))
            #expect(box.written(to: "2A52").count == 1)
            box.notify([6, 0, 1, 1], on: "2A52")
            #expect(try await report.value == .done)
            #expect(try await count.value == 3)
            #expect(box.written(to: "2A52") == [Data([1, 1]), Data([4, 1])])
            var received: [UInt8] = []
            for await record in records {
                received += record
                if received.count == 3 { break }
            }
            #expect(received == [1, 2, 3])
            await central.shutDown()
        }
    }

    @Test("Row 19: An abort ends the command that is under way")
    func abort() async throws {
        let world = TestWorld(seed: 44)
        world.add(.meter)
        try await world.run { [self] in
            let (central, meter) = try await pairMeter(world)
            let report = Task { try await meter.records.perform(.report(.all)) }
            try await world.advance(by: .seconds(1))
            let count = Task { try await meter.records.count(.all) }
            try await world.advance(by: .milliseconds(100))
            #expect(try await meter.records.perform(.abort) == .done)
            await #expect(throws: ControlPointError<RecordAccessCommand.Refusal>.aborted) {
                try await report.value
            }
            #expect(try await count.value == 3)
            await central.shutDown()
        }
    }

    @Test("Row 19: A command ends at its time limit, with its link, and when it is canceled")
    func ends() async throws {
        typealias Failure = ControlPointError<RecordAccessCommand.Refusal>
        let world = TestWorld(seed: 45)
        let box = world.add(.meter)
        try await world.run { [self] in
            let (central, meter) = try await pairMeter(world)
            let begin = world.now
            await #expect(throws: Failure.timedOut(after: .seconds(3))) {
                try await meter.records.perform(.report(.all), timeout: .seconds(3))
            }
            #expect(world.now - begin == .seconds(3))

            // The late answer to a canceled command does not complete the next command.
            let cancelled = Task { try await meter.records.perform(.report(.all)) }
            try await world.advance(by: .seconds(1))
            cancelled.cancel()
            await #expect(throws: Failure.accessory(.cancelled)) { try await cancelled.value }
            let next = Task { try await meter.records.perform(.report(.all)) }
            try await world.advance(by: .seconds(1))
            let written = box.written(to: "2A52").count
            box.notify([6, 0, 1, 8], on: "2A52")
            try await world.advance(by: .seconds(1))
            #expect(box.written(to: "2A52").count == written + 1)
            box.notify([6, 0, 1, 1], on: "2A52")
            #expect(try await next.value == .done)

            let lost = Task { try await meter.records.perform(.report(.all)) }
            try await world.advance(by: .seconds(1))
            box.dropLink()
            await #expect(throws: Failure.accessory(.linkEnded)) { try await lost.value }
            try await meter.accessory.untilReady()
            #expect(try await meter.records.count(.all) == 3)
            try await meter.accessory.disconnect()
            await #expect(throws: Failure.accessory(.notConnected)) {
                try await meter.records.count(.all)
            }
            await central.shutDown()
        }
    }

    @Test("Row 19: Too many commands at once are refused, and a missing control point throws")
    func limits() async throws {
        typealias Failure = ControlPointError<RecordAccessCommand.Refusal>
        let world = TestWorld(seed: 46)
        world.add(.meter.with { $0.services.removeLast() })
        try await world.run { [self] in
            let (central, meter) = try await pairMeter(world)
            let waiting = (1...16).map { _ in
                Task { try await meter.records.perform(.report(.all)) }
            }
            try await world.advance(by: .seconds(1))
            await #expect(throws: Failure.tooManyCommands(limit: 16)) {
                try await meter.records.count(.all)
            }
            for task in waiting { task.cancel() }
            for task in waiting {
                await #expect(throws: Failure.accessory(.cancelled)) { try await task.value }
            }
            await #expect(
                throws: ControlPointError<FitnessMachineCommand.Refusal>.accessory(
                    .unknownCharacteristic("2AD9")
                )
            ) {
                try await meter.machine.perform(.requestControl)
            }
            await central.shutDown()
        }
    }
}
