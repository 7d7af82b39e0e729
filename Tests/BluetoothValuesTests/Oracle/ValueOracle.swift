// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import ProcessTestSupport

@testable import BluetoothValues

/// The program `oracle.py`, which decodes values with the Python package bluetooth-sig.
enum ValueOracle {
    static let folder = LanyardTool.packageRoot + "/Tests/BluetoothValuesTests/Oracle/"

    private static let python =
        (ProcessInfo.processInfo.environment["LANYARD_PEERS"]
            ?? LanyardTool.packageRoot + "/.peers") + "/venv/bin/python"

    /// Whether the tests run: the package is installed, or its absence must fail the tests (`CI`).
    static var isInstalled: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || FileManager.default.isExecutableFile(atPath: python)
    }

    /// Returns the answers for values, each given with the digits of its characteristic's UUID.
    static func answers(to values: [(String, Data)]) async throws -> [OracleAnswer] {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).txt"
        defer { unlink(path) }
        let lines = values.map { digits, data in
            digits + " " + data.hexadecimal + "\n"
        }
        try lines.joined().write(toFile: path, atomically: false, encoding: .utf8)
        let process = try ChildProcess(python, [folder + "oracle.py", path])
        let (output, ending) = try await process.waitUntilEnd(within: .seconds(900))
        guard ending == .exited(0) else { throw Failure(log: process.log) }
        return try output.split(separator: "\n").map { try OracleAnswer($0) }
    }

    struct Failure: Error {
        let log: String
    }
}

/// The other decoder's result for a value.
enum OracleAnswer {
    case unknown
    case refused(String)
    case special
    case leaves(numbers: [Double], texts: [String])

    init(_ line: Substring) throws {
        let object =
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        if let error = object["error"] as? String {
            self = .refused(error)
        } else if object["special"] != nil {
            self = .special
        } else if let leaves = object["leaves"] as? [Any] {
            self = .leaves(
                numbers: leaves.compactMap { ($0 as? NSNumber)?.doubleValue },
                texts: leaves.compactMap { $0 as? String }
            )
        } else {
            self = .unknown
        }
    }

    /// Returns the kind of difference to the result of a layout, or `nil` if the results agree.
    func difference(
        from decoded: Result<[FieldValue], any Error>,
        by layout: ValueLayout
    ) -> Difference.Kind? {
        switch (self, decoded) {
        case (.unknown, _), (.refused, .failure): return nil
        case (.refused, .success): return .accepts
        case (_, .failure(let error)): return Self.kind(of: error, by: layout)
        case (.special, .success(let values)):
            return values.contains { $0.number == nil } ? nil : .differs
        case (.leaves(var numbers, let texts), .success(let values)):
            return values.allSatisfy { $0.isIn(&numbers, texts) } ? nil : .differs
        }
    }
}

extension OracleAnswer {
    private static func kind(of error: any Error, by layout: ValueLayout) -> Difference.Kind {
        switch error as? ValueError {
        case .truncated, .trailing: return .length
        case .invalid(let name):
            switch layout.fields.first(where: { $0.name == name })?.kind {
            case .text, .terminatedText: return .text
            case .medfloat: return .medical
            default: return .refuses
            }
        default: return .refuses
        }
    }

    /// Returns one line that shows a difference.
    func describe(_ data: Data, _ decoded: Result<[FieldValue], any Error>) -> String {
        let hex = data.hexadecimal
        let ours =
            switch decoded {
            case .success(let values):
                values.map { "\($0.layout.name) \($0.text)" }.joined(separator: ", ")
            case .failure(let error): "\(error)"
            }
        return "\(hex): \(ours); \(self)"
    }
}

extension FieldKind {
    /// The bias that bluetooth-sig assumes for the exponent of a medical number: half of the number
    /// of values that the exponent can have.
    fileprivate var exponentBias: Int { self == .medfloat(2) ? 8 : 128 }
}

extension FieldValue {
    /// Returns whether the other decoder has the content of the field among its numbers or texts.
    /// Removes the numbers that it finds, so that each number belongs to only one field.
    fileprivate func isIn(_ numbers: inout [Double], _ texts: [String]) -> Bool {
        switch content {
        case .integer(let raw):
            if let number { return Self.remove(number, from: &numbers) }
            // The other decoder also returns the flags that show which fields are present.
            if layout.isNumeric || layout.kind.isPresenceFlags { return true }
            if Self.remove(Double(raw), from: &numbers) { return true }
            if Self.remove(Double(raw & layout.namedBits), from: &numbers) { return true }
            guard layout.kind.isBits else { return false }
            return layout.parts.allSatisfy {
                Self.remove(Double($0.number(in: raw)), from: &numbers)
            }
        case .list(let list):
            return list.allSatisfy { Self.remove(layout.scale.value(of: $0), from: &numbers) }
        case .medfloat(.finite(let mantissa, let exponent)):
            // bluetooth-sig reads the exponent with a bias. In IEEE 11073-20601, the exponent is
            // a two's complement number.
            let bias = exponent < 0 ? layout.kind.exponentBias : -layout.kind.exponentBias
            // The biased number is first, because the unbiased number may be equal to another
            // field of the value.
            return [exponent + bias, exponent].contains { exponent in
                Double("\(mantissa)e\(exponent)").map { Self.remove($0, from: &numbers) } ?? false
            }
        case .medfloat: return true
        case .float32(let number):
            return !number.isFinite || Self.remove(Double(number), from: &numbers)
        case .text(let text):
            let part = text.prefix { $0 != "\0" }
            return part.isEmpty || texts.contains { $0.contains(part) }
        case .date(let date):
            guard date.year != nil, date.month != nil, date.day != nil else { return true }
            let text = date.description.replacingOccurrences(of: " ", with: "T")
            return texts.contains { $0.hasPrefix(text) }
        case .bytes: return true
        }
    }

    private static func remove(_ number: Double, from numbers: inout [Double]) -> Bool {
        let index = numbers.firstIndex { abs($0 - number) <= max(abs(number), 1e-9) * 1e-6 }
        guard let index else { return false }
        numbers.remove(at: index)
        return true
    }
}
