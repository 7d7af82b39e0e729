// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import ProcessTestSupport
import Testing

/// `lanyard` on a serial line, as a person runs it.
@Suite("A command on a serial line")
struct CommandTests {
    /// Nobody knows how to tell our controller to be faster.
    @Test("uses the accessory, and says that the line is no faster than it was")
    func slowLine() async throws {
        try await withLine(prepare: { $0.speed = 115_200 }) { uart in
            let result = try await LanyardTool.run(
                "explore",
                "Demo",
                "--timeout",
                "60",
                adapter: "serial:\(uart.terminal.path)@921600,start=115200",
                within: Workbench.limit
            )
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.contains("\(Demo.short)"))
            #expect(result.errors.contains("the line stays at 115200 bits per second"))
        }
    }
}
