// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import JSONText

// Values in a database file: a text as on the command line, one piece, or a list of pieces.
extension JSONNode {
    /// The maximum number of pieces of a value.
    private static let pieceLimit = 64
    /// The maximum number of values or numbers in a list.
    private static let listLimit = 4_096
    /// The largest step of a ramp.
    private static let largestStep = 1e15
    /// The longest period of a sine, in seconds: one day.
    private static let longestPeriod = 86_400.0

    /// The value with its changing pieces.
    var template: ValueTemplate {
        get throws(JSONError) {
            let template: ValueTemplate
            switch value {
            case .string: template = ValueTemplate(bytes: try plainValue)
            case .object: template = ValueTemplate([try piece])
            case .array:
                var pieces: [ValueTemplate.Piece] = []
                for element in try elements(limit: Self.pieceLimit) {
                    pieces.append(try element.piece)
                }
                template = ValueTemplate(pieces)
            default: throw error("a string, an object, or a list of these should be here")
            }
            guard template.longestCount <= GATT.valueLengthLimit else {
                throw error("a value has at most \(GATT.valueLengthLimit) bytes")
            }
            return template
        }
    }

    /// A value without changing pieces.
    var constantBytes: [UInt8] {
        get throws(JSONError) {
            let template = try template
            guard !template.isMoving else { throw error("a constant value should be here") }
            return template.bytes()
        }
    }

    private var plainValue: [UInt8] {
        get throws(JSONError) {
            let text = try text
            do throws(ProgramFailure) {
                return try ValueArgument(plain: text).bytes
            } catch {
                throw self.error("\(error.happened); \(error.advice)")
            }
        }
    }

    private var hexadecimal: [UInt8] {
        get throws(JSONError) {
            guard let bytes = try? HexArgument(try text).bytes else {
                throw error("two hexadecimal digits per byte should be here, at most 512 bytes")
            }
            return bytes
        }
    }

    // MARK: Pieces

    private static let pieceKeys = ["hex", "text", "pattern", "list"]

    private var piece: ValueTemplate.Piece {
        get throws(JSONError) {
            if case .string = value { return .bytes(try plainValue) }
            let formats = NumberFormat.allCases.map(\.rawValue)
            let kinds = Self.pieceKeys + formats
            let members = try members(of: kinds + ["exponent"])
            let present = members.keys.filter { $0 != "exponent" }
            guard let key = present.first, present.count == 1, let node = members[key] else {
                throw error("one of \(Self.list(kinds)) should be here")
            }
            if let format = NumberFormat(rawValue: key) {
                return try node.number(format, exponent: members["exponent"])
            }
            if let exponent = members["exponent"] {
                throw exponent.error("only a number has an exponent")
            }
            return try node.plainPiece(key)
        }
    }

    private func plainPiece(_ key: String) throws(JSONError) -> ValueTemplate.Piece {
        switch key {
        case "hex": return .bytes(try hexadecimal)
        case "text": return .bytes(Array(try text.utf8))
        case "pattern":
            let count = Int(try wholeNumber(in: 0...Double(GATT.valueLengthLimit)))
            return .bytes((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        default:
            var values: [[UInt8]] = []
            for element in try someElements(limit: Self.listLimit) {
                values.append(try element.constantBytes)
            }
            return .list(values)
        }
    }

    /// Returns the elements of a list that must not be empty.
    private func someElements(limit: Int) throws(JSONError) -> [JSONNode] {
        let elements = try elements(limit: limit)
        guard !elements.isEmpty else { throw error("at least one element should be here") }
        return elements
    }

    // MARK: Numbers

    private func number(
        _ format: NumberFormat,
        exponent: JSONNode?
    ) throws(JSONError) -> ValueTemplate.Piece {
        let exponent = Int(try exponent?.wholeNumber(in: format.exponents) ?? 0)
        let range = format.range(exponent: exponent)
        let number =
            if case .object = value {
                try movement(in: range, canCount: format.canWrap && exponent == 0)
            } else {
                VaryingNumber.constant(try number(in: range))
            }
        return .number(number, format, exponent: exponent)
    }

    private func movement(
        in range: ClosedRange<Double>,
        canCount: Bool
    ) throws(JSONError) -> VaryingNumber {
        let kinds = ["ramp", "sine", "counter", "list"]
        let members = try members(of: kinds + ["step", "period"])
        let present = kinds.filter { members[$0] != nil }
        guard let kind = present.first, present.count == 1, let node = members[kind] else {
            throw error("one of \(Self.list(kinds)) should be here")
        }
        try members.refuse("step", unless: kind == "ramp" || kind == "counter")
        try members.refuse("period", unless: kind == "sine")
        switch kind {
        case "ramp": return try node.ramp(in: range, step: members["step"])
        case "sine": return try node.sine(in: range, period: members.require("period"))
        case "counter":
            guard canCount else {
                throw node.error("a counter needs a format of whole numbers, without an exponent")
            }
            return try node.counter(in: range, step: members["step"])
        default:
            var numbers: [Double] = []
            for element in try node.someElements(limit: Self.listLimit) {
                numbers.append(try element.number(in: range))
            }
            return .list(numbers)
        }
    }

    private func ramp(
        in range: ClosedRange<Double>,
        step: JSONNode?
    ) throws(JSONError) -> VaryingNumber {
        let (from, to) = try pair(in: range)
        let size = try step?.number(in: 0...Self.largestStep) ?? 1
        if let step, size == 0 { throw step.error("a step greater than 0 should be here") }
        return .ramp(from: from, to: to, step: size)
    }

    private func sine(
        in range: ClosedRange<Double>,
        period: JSONNode
    ) throws(JSONError) -> VaryingNumber {
        let (low, high) = try pair(in: range)
        guard low <= high else { throw error("the lower of the two should be the first") }
        let seconds = try period.number(in: 0...Self.longestPeriod)
        guard seconds > 0 else {
            throw period.error("a number of seconds greater than 0 should be here")
        }
        return .sine(low: low, high: high, period: seconds)
    }

    private func counter(
        in range: ClosedRange<Double>,
        step: JSONNode?
    ) throws(JSONError) -> VaryingNumber {
        let start = try wholeNumber(in: range)
        let step = try step?.wholeNumber(in: -range.upperBound...range.upperBound) ?? 1
        return .counter(start: start, step: step, range: range)
    }

    private func pair(in range: ClosedRange<Double>) throws(JSONError) -> (Double, Double) {
        let elements = try elements(limit: 2)
        guard elements.count == 2 else { throw error("two numbers should be here") }
        return (try elements[0].number(in: range), try elements[1].number(in: range))
    }
}

extension JSONMembers {
    /// Throws if the member is present although it has no meaning together with the other members.
    fileprivate func refuse(_ key: String, unless hasMeaning: Bool) throws(JSONError) {
        guard !hasMeaning, let node = self[key] else { return }
        throw node.error("this key does not apply to this kind of value")
    }
}
