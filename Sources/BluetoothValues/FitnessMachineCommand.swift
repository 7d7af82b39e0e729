// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A command to the control point of a fitness machine. The machine accepts the other commands only
/// after `requestControl`.
public enum FitnessMachineCommand: ControlPointCommand, Hashable {
    /// The result of a command.
    public enum Answer: Hashable, Sendable {
        /// The command was executed.
        case done
        /// The speeds between which the user has to spin down, in units of 0.01 km/h.
        case spinDown(low: UInt16, high: UInt16)
    }

    /// The reason why the machine refused a command.
    public enum Refusal: UInt8, ControlPointRefusal {
        /// The machine does not support the command.
        case opCodeNotSupported = 2
        /// A parameter of the command is not valid.
        case invalidParameter = 3
        /// The command failed.
        case operationFailed = 4
        /// The app does not have control of the machine.
        case controlNotPermitted = 5

        /// The reason in words.
        public var description: String {
            switch self {
            case .opCodeNotSupported: "the command is not supported"
            case .invalidParameter: "a parameter is not valid"
            case .operationFailed: "the command failed"
            case .controlNotPermitted: "the app does not have control of the machine"
            }
        }
    }

    /// The conditions that an indoor bike simulates.
    public struct Simulation: Hashable, Sendable {
        /// The speed of the head wind in units of 0.001 m/s.
        public var windSpeed: Int16
        /// The grade in units of 0.01 %.
        public var grade: Int16
        /// The coefficient of rolling resistance in units of 0.0001.
        public var rollingResistance: UInt8
        /// The coefficient of wind resistance in units of 0.01 kg/m.
        public var windResistance: UInt8

        /// Creates conditions.
        ///
        /// - Parameters:
        ///   - windSpeed: The speed of the head wind in units of 0.001 m/s.
        ///   - grade: The grade in units of 0.01 %.
        ///   - rollingResistance: The coefficient of rolling resistance in units of 0.0001.
        ///   - windResistance: The coefficient of wind resistance in units of 0.01 kg/m.
        public init(
            windSpeed: Int16,
            grade: Int16,
            rollingResistance: UInt8,
            windResistance: UInt8
        ) {
            self.windSpeed = windSpeed
            self.grade = grade
            self.rollingResistance = rollingResistance
            self.windResistance = windResistance
        }
    }

    /// Take control of the machine.
    case requestControl
    /// Set the machine to its defaults, and end the control.
    case reset
    /// Set the target speed, in units of 0.01 km/h.
    case setTargetSpeed(UInt16)
    /// Set the target inclination, in units of 0.1 %.
    case setTargetInclination(Int16)
    /// Set the target resistance level, in units of 0.1.
    case setTargetResistance(UInt8)
    /// Set the target power, in watts.
    case setTargetPower(Int16)
    /// Set the target heart rate, in beats per minute.
    case setTargetHeartRate(UInt8)
    /// Start the training, or resume it.
    case start
    /// Stop the training.
    case stop
    /// Pause the training.
    case pause
    /// Set the targeted expended energy, in kilocalories.
    case setTargetEnergy(UInt16)
    /// Set the targeted number of steps.
    case setTargetSteps(UInt16)
    /// Set the targeted number of strides.
    case setTargetStrides(UInt16)
    /// Set the targeted distance, in meters. The machine gets the low 24 bits.
    case setTargetDistance(UInt32)
    /// Set the targeted training time, in seconds.
    case setTargetTime(UInt16)
    /// Simulate conditions on an indoor bike.
    case simulate(Simulation)
    /// Set the circumference of the wheel, in units of 0.1 mm.
    case setWheelCircumference(UInt16)
    /// Start a spin-down calibration.
    case startSpinDown
    /// Ignore a request of the machine for a spin-down calibration.
    case ignoreSpinDown
    /// Set the targeted cadence, in units of 0.5 per minute.
    case setTargetCadence(UInt16)

    /// The UUID of the characteristic, 0x2AD9.
    public static let identifier: BluetoothID = "2AD9"

    private var opCode: UInt8 {
        switch self {
        case .requestControl: 0x00
        case .reset: 0x01
        case .setTargetSpeed: 0x02
        case .setTargetInclination: 0x03
        case .setTargetResistance: 0x04
        case .setTargetPower: 0x05
        case .setTargetHeartRate: 0x06
        case .start: 0x07
        case .stop, .pause: 0x08
        case .setTargetEnergy: 0x09
        case .setTargetSteps: 0x0A
        case .setTargetStrides: 0x0B
        case .setTargetDistance: 0x0C
        case .setTargetTime: 0x0D
        case .simulate: 0x11
        case .setWheelCircumference: 0x12
        case .startSpinDown, .ignoreSpinDown: 0x13
        case .setTargetCadence: 0x14
        }
    }

    /// Encodes the command.
    public func write(to writer: inout ValueWriter) {
        writer.write(opCode)
        switch self {
        case .requestControl, .reset, .start: break
        case .setTargetSpeed(let value), .setTargetEnergy(let value), .setTargetSteps(let value),
            .setTargetStrides(let value), .setTargetTime(let value),
            .setWheelCircumference(let value), .setTargetCadence(let value):
            writer.write(value)
        case .setTargetInclination(let value), .setTargetPower(let value): writer.write(value)
        case .setTargetResistance(let value), .setTargetHeartRate(let value): writer.write(value)
        case .stop, .startSpinDown: writer.write(UInt8(1))
        case .pause, .ignoreSpinDown: writer.write(UInt8(2))
        case .setTargetDistance(let meters): writer.write(UInt64(meters), bytes: 3)
        case .simulate(let conditions):
            writer.write(conditions.windSpeed, conditions.grade)
            writer.write(conditions.rollingResistance, conditions.windResistance)
        }
    }

    /// Decodes an answer: 0x80, the op code of the command, the result and parameters.
    ///
    /// - Parameter indication: The indicated bytes; `nil` for the response to the write.
    /// - Returns: The answer; `nil` if the bytes do not answer this command.
    /// - Throws: A ``ValueError`` if the bytes answer this command, but are not valid.
    public func answer(
        to indication: Data?
    ) throws(ValueError) -> ControlPointAnswer<Answer, Refusal>? {
        guard var response = try ControlPointResponse(indication, code: 0x80, to: opCode) else {
            return nil
        }
        return try response.answer { reader throws(ValueError) in
            guard self == .startSpinDown else { return .done }
            return .spinDown(low: try reader.readUInt16(), high: try reader.readUInt16())
        }
    }
}
