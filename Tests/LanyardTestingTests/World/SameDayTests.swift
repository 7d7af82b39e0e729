// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Observation
import Testing

@Suite("Reproducible runs")
struct SameDayTests {
    /// The number of runs to compare. `LANYARD_SAME_DAYS` can set another number.
    private static let dayCount =
        ProcessInfo.processInfo.environment["LANYARD_SAME_DAYS"].flatMap { Int($0) } ?? 20

    @Test("An app on the main actor with its own tasks behaves identically in each run")
    func sameDay() async throws {
        let first = try await Self.day(seed: 3)
        #expect(first.contains("outOfRange"))
        for _ in 1..<max(2, Self.dayCount) {
            let next = try await Self.day(seed: 3)
            guard next != first else { continue }
            Issue.record("the runs differ:\n\(first)\n--\n\(next)")
            return
        }
    }

    @Test("Another seed gives another run")
    func otherDay() async throws {
        #expect(try await Self.day(seed: 3) != Self.day(seed: 4))
    }

    private static func day(seed: UInt64) async throws -> String {
        let world = TestWorld(seed: seed)
        let strap = world.add(.strap)
        try await world.run {
            let model = await PulseModel(configuration: world.phone.configuration)
            try await model.begin()
            await Self.record(model, in: world)
            try await world.expect("the pulse is shown", within: .seconds(5)) {
                await model.rate != nil
            }
            strap.walk(to: .outOfRange, over: .seconds(2))
            try await world.expect("the loss is shown", within: .seconds(30)) {
                await !model.isConnected
            }
            strap.comeBack()
            try await world.expect("the strap is connected again", within: .seconds(10)) {
                await model.isConnected
            }
            strap.reboot(after: .seconds(2))
            try await world.advance(by: .seconds(20))
        }
        return world.story.description
    }

    /// Records the rate and the state that the model shows.
    @MainActor
    private static func record(_ model: PulseModel, in world: TestWorld) {
        let line = withObservationTracking {
            let rate = model.rate.map { "\($0)" } ?? "nothing"
            return "shows \(rate), \(model.isConnected ? "connected" : "outOfRange")"
        } onChange: {
            Task { await record(model, in: world) }
        }
        world.story.note(line)
    }
}
