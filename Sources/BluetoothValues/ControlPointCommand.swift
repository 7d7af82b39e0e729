// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A command to a control point: a characteristic whose written values are commands to the
/// accessory.
///
/// The accessory answers with an indication, or by its response to the write. The types of this
/// library are ``HeartRateControlPoint``, ``RecordAccessCommand``, ``CyclingPowerCommand`` and
/// ``FitnessMachineCommand``. An app adds its own control points by conforming to the protocol.
public protocol ControlPointCommand: Sendable {
    /// The result of a command that was executed.
    associatedtype Answer: Sendable
    /// The reason why the accessory did not execute a command.
    associatedtype Refusal: ControlPointRefusal

    /// The UUID of the characteristic.
    static var identifier: BluetoothID { get }

    /// Whether the accessory answers with indications; otherwise its response to the write is the
    /// answer.
    static var isIndicated: Bool { get }

    /// Whether the command aborts the command in progress. Any other command waits until the
    /// command in progress has ended.
    var isAbort: Bool { get }

    /// Encodes the command.
    ///
    /// - Parameter writer: The writer to which the command appends its bytes.
    func write(to writer: inout ValueWriter)

    /// Decodes an answer.
    ///
    /// - Parameter indication: The indicated bytes; `nil` for the response to the write.
    /// - Returns: The answer; `nil` if these bytes do not answer this command.
    /// - Throws: A ``ValueError`` if the bytes answer this command, but are not valid.
    func answer(
        to indication: Data?
    ) throws(ValueError) -> ControlPointAnswer<Answer, Refusal>?
}

extension ControlPointCommand {
    /// `true`, because the accessory answers with indications.
    public static var isIndicated: Bool { true }

    /// `false`: the command aborts no other command.
    public var isAbort: Bool { false }

    /// The encoded bytes of the command.
    public var bytes: Data {
        var writer = ValueWriter()
        write(to: &writer)
        return writer.data
    }
}

/// The answer of a control point.
public enum ControlPointAnswer<Value: Sendable, Refusal: ControlPointRefusal>: Sendable {
    /// The command was executed, with this result.
    case done(Value)
    /// The command was refused.
    case refused(Refusal)
}

extension ControlPointAnswer: Equatable where Value: Equatable {}

/// The reason why a control point refused a command.
public protocol ControlPointRefusal: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue == UInt8 {}

/// An answer in the form that most control points have: an op code, the op code of the command, a
/// result, and parameters.
struct ControlPointResponse {
    let result: UInt8
    var parameters: ValueReader

    /// Decodes an answer.
    ///
    /// - Returns: `nil` if the bytes do not answer the command.
    /// - Throws: `truncated` if the result is missing.
    init?(_ bytes: Data?, code: UInt8, to command: UInt8) throws(ValueError) {
        guard let bytes, bytes.first == code, bytes.dropFirst().first ?? command == command else {
            return nil
        }
        parameters = ValueReader(bytes)
        _ = try parameters.readUInt8()
        _ = try parameters.readUInt8()
        result = try parameters.readUInt8()
    }

    /// Returns the answer: the value if the result is success (1), and otherwise the refusal.
    mutating func answer<Value, Refusal: ControlPointRefusal>(
        _ decode: (inout ValueReader) throws(ValueError) -> Value
    ) throws(ValueError) -> ControlPointAnswer<Value, Refusal> {
        guard result != 1 else {
            let value = try decode(&parameters)
            try parameters.finish()
            return .done(value)
        }
        guard let refusal = Refusal(rawValue: result) else {
            throw .invalid(field: "Response Value")
        }
        return .refused(refusal)
    }
}

// Heart Rate Service 1.0, 3.3.
extension HeartRateControlPoint: ControlPointCommand {
    /// The reason why a heart rate sensor refused a command.
    public enum Refusal: UInt8, ControlPointRefusal {
        /// The sensor does not support the command.
        case notSupported = 0x80

        /// The reason in words.
        public var description: String { "the command is not supported" }
    }

    /// `false`, because the response to the write is the answer.
    public static var isIndicated: Bool { false }

    /// Returns that the command was executed, if the bytes are the response to the write.
    ///
    /// - Parameter indication: The indicated bytes; `nil` for the response to the write.
    /// - Returns: The answer; `nil` if the bytes do not answer this command.
    /// - Throws: Nothing: the response has no bytes.
    public func answer(
        to indication: Data?
    ) throws(ValueError) -> ControlPointAnswer<Void, Refusal>? {
        indication == nil ? .done(()) : nil
    }
}
