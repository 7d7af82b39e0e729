// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("The library on both systems")
struct SystemComparisonTests {
    @Test("Both systems report the same states in the same order", arguments: ComparedRun.all)
    func states(_ run: ComparedRun) async throws {
        let port = try await run.events()
        let facade = try await TestPhone.usingCoreBluetooth { try await run.events() }
        let columns = (Self.lines(port, [.state]), Self.lines(facade, [.state]))
        print(Self.table(run.name, columns.0, columns.1))
        #expect(columns.0.contains { $0.contains("ready") })
        #expect(columns.0 == columns.1)
        // The calls and callbacks between the states are the same as well.
        let all: Set<FlightEvent.Lane> = [.state, .call, .callback]
        #expect(Self.lines(port, all) == Self.lines(facade, all))
    }

    @Test("A published accessory has the same events on both systems")
    func publishing() async throws {
        let port = try await PublishingComparison.lines()
        let facade = try await TestPhone.usingCoreBluetooth {
            try await PublishingComparison.lines()
        }
        print(Self.table("a published accessory and its central", port, facade))
        #expect(port.contains { $0.hasPrefix("subscribed") })
        #expect(port == facade)
    }

    /// Returns the events of some lanes, without times.
    private static func lines(
        _ events: [FlightEvent],
        _ lanes: Set<FlightEvent.Lane>
    ) -> [String] {
        events.filter { lanes.contains($0.lane) }
            .map { "\($0.device): \($0.text)\($0.detail.map { " (\($0))" } ?? "")" }
    }

    /// Returns the lines of both systems side by side.
    private static func table(_ name: String, _ port: [String], _ facade: [String]) -> String {
        let width = port.map(\.count).max() ?? 0
        let rows = (0..<max(port.count, facade.count))
            .map { row in
                let left = row < port.count ? port[row] : "-"
                let right = row < facade.count ? facade[row] : "-"
                let gap = String(repeating: " ", count: width - left.count)
                return "  \(left)\(gap)  |  \(right)"
            }
        let title = "port".padding(toLength: width, withPad: " ", startingAt: 0)
        return (["\(name):", "  \(title)  |  CoreBluetooth"] + rows).joined(separator: "\n")
    }
}
