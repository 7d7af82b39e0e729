// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGATT

@Suite("Fuzzing a server")
struct ServerFuzzTests {
    @Test(
        "The server answers each request once, within its limits, and keeps no state",
        arguments: RunSeed.seeds(8)
    )
    func fuzz(seed: UInt64) throws {
        var world = try FuzzedServer(random: SplitMix64(seed: seed))
        for _ in 0..<25_000 { world.step() }
        // Every open request is answered by the deadline.
        world.pass(GATTServer.questionLimit)
        world.closeAll()
        #expect(world.faults.isEmpty, "seed \(seed)")
        for fault in world.faults.prefix(10) { Issue.record("\(fault)") }
        #expect(world.requestCount > 1_000)
        #expect(world.responseCount > 1_000)
    }
}
