// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A command to the control point of a cycling power meter.
public enum CyclingPowerCommand: ControlPointCommand, Hashable {
    /// The result of a command.
    public enum Answer: Hashable, Sendable {
        /// The command was executed.
        case done
        /// The places where the sensor can be, as numbers of the characteristic Sensor Location.
        case sensorLocations([UInt8])
        /// The length of the crank in units of 0.5 mm.
        case crankLength(UInt16)
        /// The length of the chain in millimeters.
        case chainLength(UInt16)
        /// The weight of the chain in grams.
        case chainWeight(UInt16)
        /// The span length in millimeters.
        case spanLength(UInt16)
        /// The offset after the compensation, in newtons or in units of 1/32 N·m; `nil` if the
        /// meter does not report it.
        case offset(Int16?)
        /// The sampling rate in hertz.
        case samplingRate(UInt8)
        /// The date of the factory calibration.
        case calibrationDate(DateTime)
    }

    /// The reason why the meter refused a command.
    public enum Refusal: UInt8, ControlPointRefusal {
        /// The meter does not support the command.
        case opCodeNotSupported = 2
        /// A parameter of the command is not valid.
        case invalidParameter = 3
        /// The command failed.
        case operationFailed = 4

        /// The reason in words.
        public var description: String {
            switch self {
            case .opCodeNotSupported: "the command is not supported"
            case .invalidParameter: "a parameter is not valid"
            case .operationFailed: "the command failed"
            }
        }
    }

    /// Set the cumulative wheel revolutions.
    case setCumulativeValue(UInt32)
    /// Set the place of the sensor, a number of the characteristic Sensor Location.
    case setSensorLocation(UInt8)
    /// Report the places where the sensor can be.
    case requestSensorLocations
    /// Set the length of the crank, in units of 0.5 mm.
    case setCrankLength(UInt16)
    /// Report the length of the crank.
    case requestCrankLength
    /// Set the length of the chain, in millimeters.
    case setChainLength(UInt16)
    /// Report the length of the chain.
    case requestChainLength
    /// Set the weight of the chain, in grams.
    case setChainWeight(UInt16)
    /// Report the weight of the chain.
    case requestChainWeight
    /// Set the span length, in millimeters.
    case setSpanLength(UInt16)
    /// Report the span length.
    case requestSpanLength
    /// Compensate the offset while there is no load.
    case startOffsetCompensation
    /// Leave fields out of the measurement; each set bit is a field.
    case maskMeasurement(UInt16)
    /// Report the sampling rate.
    case requestSamplingRate
    /// Report the date of the factory calibration.
    case requestCalibrationDate

    /// The UUID of the characteristic, 0x2A66.
    public static let identifier: BluetoothID = "2A66"

    private var opCode: UInt8 {
        switch self {
        case .setCumulativeValue: 0x01
        case .setSensorLocation: 0x02
        case .requestSensorLocations: 0x03
        case .setCrankLength: 0x04
        case .requestCrankLength: 0x05
        case .setChainLength: 0x06
        case .requestChainLength: 0x07
        case .setChainWeight: 0x08
        case .requestChainWeight: 0x09
        case .setSpanLength: 0x0A
        case .requestSpanLength: 0x0B
        case .startOffsetCompensation: 0x0C
        case .maskMeasurement: 0x0D
        case .requestSamplingRate: 0x0E
        case .requestCalibrationDate: 0x0F
        }
    }

    /// Encodes the command.
    public func write(to writer: inout ValueWriter) {
        writer.write(opCode)
        switch self {
        case .setCumulativeValue(let value): writer.write(value)
        case .setSensorLocation(let location): writer.write(location)
        case .setCrankLength(let value), .setChainLength(let value), .setChainWeight(let value),
            .setSpanLength(let value), .maskMeasurement(let value):
            writer.write(value)
        case .requestSensorLocations, .requestCrankLength, .requestChainLength,
            .requestChainWeight, .requestSpanLength, .startOffsetCompensation,
            .requestSamplingRate, .requestCalibrationDate:
            break
        }
    }

    /// Decodes an answer: 0x20, the op code of the command, the result and a parameter.
    ///
    /// - Parameter indication: The indicated bytes; `nil` for the response to the write.
    /// - Returns: The answer; `nil` if the bytes do not answer this command.
    /// - Throws: A ``ValueError`` if the bytes answer this command, but are not valid.
    public func answer(
        to indication: Data?
    ) throws(ValueError) -> ControlPointAnswer<Answer, Refusal>? {
        guard var response = try ControlPointResponse(indication, code: 0x20, to: opCode) else {
            return nil
        }
        return try response.answer { reader throws(ValueError) in
            switch self {
            case .requestSensorLocations: .sensorLocations([UInt8](reader.readRemaining()))
            case .requestCrankLength: .crankLength(try reader.readUInt16())
            case .requestChainLength: .chainLength(try reader.readUInt16())
            case .requestChainWeight: .chainWeight(try reader.readUInt16())
            case .requestSpanLength: .spanLength(try reader.readUInt16())
            case .startOffsetCompensation: .offset(reader.isAtEnd ? nil : try reader.readInt16())
            case .requestSamplingRate: .samplingRate(try reader.readUInt8())
            case .requestCalibrationDate: .calibrationDate(try DateTime(from: &reader))
            case .setCumulativeValue, .setSensorLocation, .setCrankLength, .setChainLength,
                .setChainWeight, .setSpanLength, .maskMeasurement:
                .done
            }
        }
    }
}
