// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The seed of a test run, from which `seeds(_:)` derives the seeds of tests.
///
/// Each run has a fresh seed unless `LANYARD_SEED` sets it, and prints the seed at its first use.
/// `LANYARD_SEEDS` sets the number of seeds of each test. The seeds of a test are its arguments, so
/// a failure names its seed. `LANYARD_SEED=<that seed> LANYARD_SEEDS=1` runs the test with this
/// seed alone.
///
/// Tests that assert exact figures, times or packets have fixed seeds.
package enum RunSeed {
    /// The seed of this run.
    package static let value: UInt64 = {
        let seed = UInt64(number(of: "LANYARD_SEED") ?? .random(in: 0...UInt32.max))
        FileHandle.standardError.write(Data("Seed: LANYARD_SEED=\(seed)\n".utf8))
        return seed
    }()

    /// Returns the seeds of a random test: the run's seed and the numbers after it.
    ///
    /// - Parameter count: The number of seeds if `LANYARD_SEEDS` is not set.
    package static func seeds(_ count: Int) -> [UInt64] {
        (0..<UInt64(number(of: "LANYARD_SEEDS").map { max($0, 1) } ?? UInt32(count))).map {
            value + $0
        }
    }

    /// Returns the number in an environment variable. An invalid value ends the run, since a
    /// default would hide the mistake.
    private static func number(of variable: String) -> UInt32? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        guard let number = UInt32(text) else {
            preconditionFailure(
                "'\(text)' is not a valid \(variable): use a whole number from 0 to \(UInt32.max)."
            )
        }
        return number
    }
}
