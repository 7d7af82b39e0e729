// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import BluetoothTypes
    import Foundation
    import LanyardTestSupport
    import Testing

    /// An app that uses `CoreBluetooth` in a process of its own, which is killed and started
    /// again.
    @Suite(.needsPeers, .serialized) struct RestorationTests {
        /// The time limit for a line, on a busy machine.
        private static let limit: Duration = .seconds(30)

        @Test(
            "13.1, 13.2, 13.3 A subscribed process that is killed continues after its restart"
        )
        func killedWhileSubscribed() async throws {
            try await withAir { air in
                let accessory = try await air.accessory()
                try await withStore { store in
                    let first = try app(on: air, store)
                    let before = try await lines(of: first, until: "value")
                    #expect(before.prefix(2) == ["poweredOn", "scan"])
                    #expect(before.contains("discover") && before.contains("subscribed"))
                    first.kill()

                    let second = try app(on: air, store)
                    let after = try await lines(of: second, until: "value")
                    #expect(
                        after == [
                            "restored \(accessory.name) notifying", "poweredOn", "connected",
                            "value",
                        ]
                    )
                    second.kill()
                }
            }
        }

        @Test(
            "13.2 A process that is killed at a random moment does not return to an earlier state",
            arguments: RunSeed.seeds(1)
        )
        func killedAtAnyMoment(seed: UInt64) async throws {
            var random = SplitMix64(seed: seed)
            let moments = (0..<20).map { _ in Int.random(in: 0...800, using: &random) }
            try await withAir { air in
                _ = try await air.accessory()
                try await withStore { store in
                    var known = 0
                    for moment in moments {
                        let process = try app(on: air, store)
                        let lines = try await lines(of: process, during: .milliseconds(moment))
                        process.kill()
                        guard let first = lines.first else { continue }
                        // The process never goes back to an earlier state, so the restored state
                        // does not shrink.
                        let progress = Self.progress(of: first)
                        #expect(progress >= known, "\(moments): \(lines)")
                        known = max(known, progress, lines.contains("value") ? 3 : 0)
                    }
                    let process = try app(on: air, store)
                    _ = try await lines(of: process, until: "value")
                    process.kill()
                }
            }
        }

        /// Returns the progress of an earlier process, from the first line.
        private static func progress(of line: String) -> Int {
            guard line.hasPrefix("restored") else { return 0 }
            if line.contains("notifying") { return 3 }
            return line == "restored scanning" ? 1 : 2
        }

        private func app(on air: Air, _ store: String) throws -> ChildProcess {
            try ChildProcess(
                LanyardTool.neighbor("RestorationApp"),
                [],
                environment: ["LANYARD_ADAPTER": air.adapter, "LANYARD_STORE": store]
            )
        }

        private func lines(of process: ChildProcess, until last: String) async throws -> [String] {
            var lines: [String] = []
            while lines.last != last {
                guard let line = try await process.nextLine(within: Self.limit) else {
                    throw ProcessError.ended("the app ended: \(lines)", log: process.log)
                }
                lines.append(line)
            }
            return lines
        }

        /// Returns the process's output during a period, in which the process must not end.
        private func lines(of process: ChildProcess, during time: Duration) async throws -> [String]
        {
            var lines: [String] = []
            let deadline = ContinuousClock.now + time
            while deadline > .now {
                do {
                    let rest = deadline - .now
                    let line = try await process.nextLine(within: max(rest, .milliseconds(1)))
                    lines.append(try #require(line, "the app ended: \(process.log)"))
                } catch is ProcessError {
                    break
                }
            }
            return lines
        }

        /// Gives `body` a path for a store.
        private func withStore(_ body: (String) async throws -> Void) async throws {
            let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await body(folder)
        }
    }
#endif
