// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import Testing

@Suite("Random worlds")
struct SwarmTests {
    @Test(
        "Every invariant holds during random faults, and all devices recover",
        arguments: RunSeed.seeds(10)
    )
    func randomWorld(seed: UInt64) async {
        await run(SwarmScenario(seed: seed))
    }

    /// `Scripts/swarm` reduces and repeats scenarios with this test.
    @Test("Every invariant holds in a stored scenario", .enabled(if: SwarmFiles.scenario != nil))
    func storedScenario() async throws {
        let path = try #require(SwarmFiles.scenario)
        let text = try Data(contentsOf: URL(filePath: path))
        await run(try JSONDecoder().decode(SwarmScenario.self, from: text))
    }

    private func run(_ scenario: SwarmScenario) async {
        SwarmFiles.append(SwarmResult(scenario: scenario))
        let coverage = SwarmFiles.isTracing ? nil : SwarmCoverage()
        var result = SwarmResult(scenario: scenario, problem: "")
        do {
            try await SwarmWorld(scenario).run(observing: coverage)
        } catch {
            result.problem = "\(error)"
            Issue.record("seed \(scenario.seed): \(error)")
        }
        result.pairs = coverage?.pairs.map { .init(pair: $0.key, count: $0.value) }
        SwarmFiles.append(result)
    }
}

/// A line for `Scripts/swarm`, before a world and after it.
struct SwarmResult: Codable {
    struct Count: Codable {
        var pair: SwarmCoverage.Pair
        var count: Int
    }

    var scenario: SwarmScenario
    /// The violated invariant, or empty if there is none; `nil` before the world has run.
    var problem: String?
    var pairs: [Count]?
}

/// The files of `Scripts/swarm`.
enum SwarmFiles {
    /// The path of the scenario to run.
    static let scenario = ProcessInfo.processInfo.environment["LANYARD_SWARM_SCENARIO"]
    /// Whether packet logs are written. A world has one observer of its packets, so no coverage is
    /// recorded then.
    static let isTracing = ProcessInfo.processInfo.environment["LANYARD_TRACE"] != nil

    /// Appends a line to the file of the results, if there is one.
    static func append(_ result: SwarmResult) {
        guard let path = ProcessInfo.processInfo.environment["LANYARD_SWARM_RESULTS"] else {
            return
        }
        do {
            let file = try FileHandle(forUpdating: URL(filePath: path))
            try file.seekToEnd()
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try file.write(contentsOf: encoder.encode(result) + Data("\n".utf8))
            try file.close()
        } catch {
            Issue.record("the results cannot be written: \(error)")
        }
    }
}
