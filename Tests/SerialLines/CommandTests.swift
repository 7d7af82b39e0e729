// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import ProcessTestSupport
import Testing

/// `lanyard` on a serial line, as a user runs it.
@Suite("A command on a serial line")
struct CommandTests {
    /// Our virtual controller has no command that changes its speed.
    @Test("A command uses the accessory and reports that the line stays at its speed")
    func slowLine() async throws {
        try await withLine(prepare: { $0.speed = 115_200 }) { uart in
            let result = try await LanyardTool.run(
                "explore",
                "Demo",
                "--timeout",
                "60",
                adapter: "serial:\(uart.terminal.path)@921600,start=115200",
                within: SerialHarness.limit
            )
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.contains("\(Demo.short)"))
            #expect(result.errors.contains("the line stays at 115200 bits per second"))
        }
    }
}
