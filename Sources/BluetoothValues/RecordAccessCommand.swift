// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The records of an accessory to which a ``RecordAccessCommand`` applies.
public enum RecordSelection: Hashable, Sendable {
    /// All records.
    case all
    /// The oldest record.
    case first
    /// The latest record.
    case last
    /// The records from a sequence number on.
    case from(UInt16)
    /// The records up to a sequence number.
    case through(UInt16)
    /// The records whose sequence numbers are in a range.
    case within(ClosedRange<UInt16>)
    /// The records from a user-facing time on.
    case fromTime(DateTime)
    /// The records up to a user-facing time.
    case throughTime(DateTime)
    /// The records from one user-facing time to another.
    case withinTimes(DateTime, DateTime)

    /// Encodes the operator and the operand.
    fileprivate func write(to writer: inout ValueWriter) {
        switch self {
        case .all: writer.write(Operator.all)
        case .first: writer.write(Operator.first)
        case .last: writer.write(Operator.last)
        case .from(let number): writer.write(Operator.from, Filter.number, number)
        case .through(let number): writer.write(Operator.through, Filter.number, number)
        case .within(let numbers):
            writer.write(Operator.within, Filter.number, numbers.lowerBound, numbers.upperBound)
        case .fromTime(let time):
            writer.write(Operator.from, Filter.time)
            time.write(to: &writer)
        case .throughTime(let time):
            writer.write(Operator.through, Filter.time)
            time.write(to: &writer)
        case .withinTimes(let first, let last):
            writer.write(Operator.within, Filter.time)
            first.write(to: &writer)
            last.write(to: &writer)
        }
    }

    private enum Operator {
        static let all: UInt8 = 1
        static let through: UInt8 = 2
        static let from: UInt8 = 3
        static let within: UInt8 = 4
        static let first: UInt8 = 5
        static let last: UInt8 = 6
    }

    private enum Filter {
        static let number: UInt8 = 1
        static let time: UInt8 = 2
    }
}

/// A command to a Record Access Control Point (RACP), for example of a glucose meter.
///
/// The accessory sends the reported records as values of another characteristic, before it answers.
public enum RecordAccessCommand: ControlPointCommand, Hashable {
    /// The result of a command.
    public enum Answer: Hashable, Sendable {
        /// The command was executed.
        case done
        /// The number of the selected records.
        case count(Int)
    }

    /// The reason why the accessory refused a command.
    public enum Refusal: UInt8, ControlPointRefusal {
        /// The accessory does not support the command.
        case opCodeNotSupported = 2
        /// The selection is not valid for the command.
        case invalidOperator = 3
        /// The accessory does not support this kind of selection.
        case operatorNotSupported = 4
        /// The numbers or times of the selection are not valid.
        case invalidOperand = 5
        /// No records are selected.
        case noRecordsFound = 6
        /// The command that was to be aborted continues.
        case abortUnsuccessful = 7
        /// The command was not completed.
        case notCompleted = 8
        /// The accessory does not support selections by these numbers or times.
        case operandNotSupported = 9

        /// The reason in words.
        public var description: String {
            switch self {
            case .opCodeNotSupported: "the command is not supported"
            case .invalidOperator: "the selection is not valid for the command"
            case .operatorNotSupported: "the kind of selection is not supported"
            case .invalidOperand: "the numbers or times of the selection are not valid"
            case .noRecordsFound: "no records were found"
            case .abortUnsuccessful: "the command could not be aborted"
            case .notCompleted: "the command was not completed"
            case .operandNotSupported: "the selection by these numbers or times is not supported"
            }
        }
    }

    /// Send the records.
    case report(RecordSelection)
    /// Delete the records.
    case delete(RecordSelection)
    /// Abort the command that is under way.
    case abort
    /// Count the records.
    case count(RecordSelection)

    /// The UUID of the characteristic, 0x2A52.
    public static let identifier: BluetoothID = "2A52"

    /// Whether the command is `abort`.
    public var isAbort: Bool { self == .abort }

    private var opCode: UInt8 {
        switch self {
        case .report: 1
        case .delete: 2
        case .abort: 3
        case .count: 4
        }
    }

    /// Encodes the command.
    public func write(to writer: inout ValueWriter) {
        writer.write(opCode)
        switch self {
        case .report(let selection), .delete(let selection), .count(let selection):
            selection.write(to: &writer)
        case .abort: writer.write(UInt8(0))
        }
    }

    /// Decodes an answer: the number of records, or a response code with the null operator.
    ///
    /// - Parameter indication: The indicated bytes; `nil` for the response to the write.
    /// - Returns: The answer; `nil` if the bytes do not answer this command.
    /// - Throws: A ``ValueError`` if the bytes answer this command, but are not valid.
    public func answer(
        to indication: Data?
    ) throws(ValueError) -> ControlPointAnswer<Answer, Refusal>? {
        guard let indication else { return nil }
        var reader = ValueReader(indication)
        let kind = try? reader.readUInt8()
        _ = try? reader.readUInt8()
        switch (kind, self) {
        case (5, .count):
            let count = try reader.readUInt16()
            try reader.finish()
            return .done(.count(Int(count)))
        case (6, _):
            guard try reader.readUInt8() == opCode else { return nil }
            let result = try reader.readUInt8()
            try reader.finish()
            if result == 1 { return .done(.done) }
            guard let refusal = Refusal(rawValue: result) else {
                throw .invalid(field: "Response Code Value")
            }
            return .refused(refusal)
        default: return nil
        }
    }
}
