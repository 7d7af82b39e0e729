// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import ProcessTestSupport
import Testing

@testable import BluetoothValues

/// The package bluetooth-sig from PyPI decodes the same values as the layouts. This package
/// contains no part of bluetooth-sig.
@Suite("Layouts against an independent decoder") struct ValueOracleTests {
    @Test(
        "An independent decoder agrees on 40,000 random values, apart from explained differences",
        .enabled(
            if: ValueOracle.isInstalled,
            "bluetooth-sig is not installed: Scripts/install-peers"
        ),
        arguments: RunSeed.seeds(1)
    )
    func agrees(seed: UInt64) async throws {
        let layouts = ValueLayout.characteristics.compactMap { ValueLayout(of: $0) }
        let each = Self.count / layouts.count + 1
        var generator = ValueGenerator(seed: seed)
        let samples = layouts.flatMap { layout in
            (0..<each).map { _ in (layout: layout, data: generator.value(of: layout)) }
        }
        let answers = try await ValueOracle.answers(
            to: samples.map { ($0.layout.characteristic.text, $0.data) }
        )
        #expect(answers.count == samples.count)
        let explained = try Difference.explained
        var found: [Difference: (count: Int, example: String)] = [:]
        var compared = 0
        var known: Set<BluetoothID> = []
        for (sample, answer) in zip(samples, answers) {
            if case .unknown = answer { continue }
            compared += 1
            known.insert(sample.layout.characteristic)
            let decoded = Result { try sample.layout.decode(sample.data) }
            guard let kind = answer.difference(from: decoded, by: sample.layout) else { continue }
            let key = Difference(characteristic: sample.layout.characteristic.text, kind: kind)
            let example = found[key]?.example ?? answer.describe(sample.data, decoded)
            found[key] = ((found[key]?.count ?? 0) + 1, example)
        }
        for (key, value) in found where explained[key] == nil && explained[key.general] == nil {
            Issue.record("\(key.characteristic) \(key.kind): \(value.example)")
        }
        print(
            "Values compared: \(compared), of \(known.count) characteristics. "
                + "Differences with an explanation: \(found.count) kinds."
        )
        #expect(compared >= Self.count)
        #expect(known.count >= 250)
    }

    /// The number of values in a run.
    private static let count = 40_000
}

/// A way in which the two decoders differ for a characteristic.
struct Difference: Hashable {
    enum Kind: String {
        /// The layout decodes a value that the other decoder refuses.
        case accepts
        /// The layout refuses a value that the other decoder decodes.
        case refuses
        /// The layout refuses bytes that are left over or missing.
        case length
        /// The layout refuses the reserved medical number.
        case medical
        /// The layout refuses a text that is not UTF-8.
        case text
        /// A number, text or date is missing in the other decoder's value.
        case differs
    }

    let characteristic: String
    let kind: Kind

    /// The difference of the same kind for all characteristics.
    var general: Difference { Difference(characteristic: "*", kind: kind) }

    /// The differences with an explanation, from `differences.csv`.
    static var explained: [Difference: String] {
        get throws {
            let path = ValueOracle.folder + "differences.csv"
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            var explained: [Difference: String] = [:]
            for line in lines where !line.hasPrefix("#") {
                let columns = line.split(separator: ",", maxSplits: 2)
                let kind = try #require(Kind(rawValue: String(columns[1])))
                for characteristic in columns[0].split(separator: " ") {
                    explained[Difference(characteristic: String(characteristic), kind: kind)] =
                        String(columns[2])
                }
            }
            return explained
        }
    }
}
