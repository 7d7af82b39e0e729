// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothValues

@Suite("Commands to control points and their answers")
struct ControlPointCommandTests {
    @Test(
        "A record access command has the bytes of the specification",
        arguments: [
            (.report(.all), "0101"), (.report(.within(1...2)), "010401 0100 0200"),
            (.delete(.through(0x102)), "020201 0201"), (.count(.from(7)), "040301 0700"),
            (.count(.first), "0405"), (.report(.last), "0106"), (.abort, "0300"),
        ] as [(RecordAccessCommand, String)]
    )
    func recordAccess(command: RecordAccessCommand, hex: String) {
        #expect(command.bytes == Data(hex: hex))
    }

    @Test("Records can be selected by time")
    func times() throws {
        let first = try DateTime(year: 2026, month: 11, day: 21, hour: 12, minute: 40, second: 5)
        let last = try DateTime(year: 2026, month: 11, day: 22, hour: 12, minute: 40, second: 5)
        let command = RecordAccessCommand.report(.withinTimes(first, last))
        #expect(command.bytes == Data(hex: "010402") + first.encoded + last.encoded)
        let late = RecordAccessCommand.count(.fromTime(first))
        #expect(late.bytes == Data(hex: "040302") + first.encoded)
        let early = RecordAccessCommand.count(.throughTime(first))
        #expect(early.bytes == Data(hex: "040202") + first.encoded)
    }

    @Test("A record access answer belongs to its command")
    func recordAccessAnswers() throws {
        let count = RecordAccessCommand.count(.all)
        #expect(try count.answer(to: Data(hex: "05000301")) == .done(.count(0x103)))
        #expect(try count.answer(to: Data(hex: "06000406")) == .refused(.noRecordsFound))
        #expect(try count.answer(to: Data(hex: "06000101")) == nil)
        #expect(try count.answer(to: nil) == nil)
        let report = RecordAccessCommand.report(.all)
        #expect(try report.answer(to: Data(hex: "06000101")) == .done(.done))
        #expect(try report.answer(to: Data(hex: "05000301")) == nil)
        #expect(throws: ValueError.truncated(needed: 2, available: 1)) {
            try count.answer(to: Data(hex: "050003"))
        }
        #expect(throws: ValueError.invalid(field: "Response Code Value")) {
            try report.answer(to: Data(hex: "06000163"))
        }
        #expect(throws: ValueError.trailing(count: 1)) {
            try report.answer(to: Data(hex: "0600010100"))
        }
    }

    @Test(
        "A cycling power command has the bytes of the specification",
        arguments: [
            (.setCumulativeValue(0x01_0203), "01 03020100"), (.setSensorLocation(5), "0205"),
            (.requestSensorLocations, "03"), (.setCrankLength(345), "04 5901"),
            (.requestCrankLength, "05"), (.setChainWeight(300), "08 2c01"),
            (.startOffsetCompensation, "0c"), (.maskMeasurement(1), "0d 0100"),
            (.requestCalibrationDate, "0f"),
        ] as [(CyclingPowerCommand, String)]
    )
    func cyclingPower(command: CyclingPowerCommand, hex: String) {
        #expect(command.bytes == Data(hex: hex))
    }

    @Test("A cycling power answer has the value that the command requests")
    func cyclingPowerAnswers() throws {
        let answers: [(CyclingPowerCommand, String, CyclingPowerCommand.Answer)] = [
            (.requestCrankLength, "200501 5901", .crankLength(345)),
            (.requestSensorLocations, "200301 0506", .sensorLocations([5, 6])),
            (.startOffsetCompensation, "200c01 feff", .offset(-2)),
            (.startOffsetCompensation, "200c01", .offset(nil)),
            (.requestSamplingRate, "200e01 32", .samplingRate(50)),
            (.setChainLength(1), "200601", .done),
        ]
        for (command, hex, answer) in answers {
            #expect(try command.answer(to: Data(hex: hex)) == .done(answer))
        }
        let command = CyclingPowerCommand.setCrankLength(1)
        #expect(try command.answer(to: Data(hex: "200403")) == .refused(.invalidParameter))
        #expect(try command.answer(to: Data(hex: "200501 5901")) == nil)
        #expect(try command.answer(to: Data(hex: "800401")) == nil)
        #expect(throws: ValueError.trailing(count: 1)) {
            try command.answer(to: Data(hex: "20040100"))
        }
        #expect(throws: ValueError.invalid(field: "Response Value")) {
            try command.answer(to: Data(hex: "200400"))
        }
    }

    @Test(
        "A fitness machine command has the bytes of the specification",
        arguments: [
            (.requestControl, "00"), (.reset, "01"), (.setTargetSpeed(1_000), "02 e803"),
            (.setTargetInclination(-15), "03 f1ff"), (.setTargetPower(-5), "05 fbff"),
            (.start, "07"), (.stop, "0801"), (.pause, "0802"),
            (.setTargetDistance(0x0102_0304), "0c 040302"), (.startSpinDown, "1301"),
            (.ignoreSpinDown, "1302"),
            (
                .simulate(
                    .init(windSpeed: -1, grade: 150, rollingResistance: 40, windResistance: 51)
                ), "11 ffff 9600 28 33"
            ),
        ] as [(FitnessMachineCommand, String)]
    )
    func fitnessMachine(command: FitnessMachineCommand, hex: String) {
        #expect(command.bytes == Data(hex: hex))
    }

    @Test("A fitness machine answer is done, refused, or the speeds of a spin-down")
    func fitnessMachineAnswers() throws {
        let power = FitnessMachineCommand.setTargetPower(200)
        #expect(try power.answer(to: Data(hex: "800501")) == .done(.done))
        #expect(try power.answer(to: Data(hex: "800505")) == .refused(.controlNotPermitted))
        #expect(try power.answer(to: Data(hex: "800701")) == nil)
        #expect(throws: ValueError.truncated(needed: 1, available: 0)) {
            try power.answer(to: Data(hex: "8005"))
        }
        let spinDown = FitnessMachineCommand.startSpinDown
        #expect(
            try spinDown.answer(to: Data(hex: "801301 2c01 9001"))
                == .done(.spinDown(low: 300, high: 400))
        )
    }

    @Test("The answer of a heart rate sensor is the response to the write")
    func heartRate() throws {
        let command = HeartRateControlPoint.resetEnergyExpended
        #expect(command.bytes == Data([1]))
        guard case .done = try command.answer(to: nil) else {
            Issue.record("The response to the write is not the answer")
            return
        }
        #expect(try command.answer(to: Data([1])) == nil)
    }

    @Test("Random bytes never trap", arguments: RunSeed.seeds(4))
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let first: [UInt8] = [0x05, 0x06, 0x20, 0x80]
            var data = Data(first.randomElement(using: &generator).map { [$0] } ?? [])
            for _ in 0..<count { data.append(UInt8.random(in: 0...0x14, using: &generator)) }
            for command in [RecordAccessCommand.count(.all), .report(.all), .abort] {
                _ = try? command.answer(to: data)
            }
            for command in [CyclingPowerCommand.requestCalibrationDate, .requestSensorLocations] {
                _ = try? command.answer(to: data)
            }
            _ = try? FitnessMachineCommand.startSpinDown.answer(to: data)
        }
    }
}
