// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothGATT

@Suite("A server among clients that do what they like")
struct ServerFuzzTests {
    @Test(
        "answers each request once, within its MTU and its limits, and keeps nothing",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func fuzz(seed: UInt64) throws {
        var world = try FuzzedServer(seed: seed)
        for _ in 0..<25_000 { world.step() }
        // Whatever is open still is answered in the end.
        world.pass(GATTServer.questionLimit)
        world.closeAll()
        #expect(world.faults.isEmpty, "seed \(seed)")
        for fault in world.faults.prefix(10) { Issue.record("\(fault)") }
        #expect(world.requestCount > 1_000)
        #expect(world.responseCount > 1_000)
    }
}
