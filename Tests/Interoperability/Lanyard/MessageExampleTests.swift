// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Testing

    /// The example MessageBox, run as a user would run it.
    @Suite struct VirtualMessageExampleTests {
        @Test(
            "Row 16: The example exchanges messages with a virtual box without hardware"
        )
        func exchangesMessages() async throws {
            let program = try ExampleProgram(.messageBox, adapter: "virtual")
            for number in 1...3 {
                try await program.awaitOutput("The box says: Hello \(number)")
            }
            program.process.kill()
        }

        @Test("Row 1: The example without an adapter ends with one error that names the remedy")
        func withoutAdapter() async throws {
            let program = try ExampleProgram(.messageBox, adapter: "nonsense")
            let (lines, ending) = try await program.end()
            #expect(ending == .exited(69))
            #expect(lines.isEmpty)
            // CoreBluetooth has logged the same error before, as a warning.
            let errors = program.process.log.split(separator: "\n")
                .filter { !$0.contains(" warning CoreBluetooth:") }
            #expect(errors.count == 1, "\(errors)")
            #expect(errors.first?.contains("LANYARD_ADAPTER") == true, "\(errors)")
        }
    }

    @Suite(.needsPeers) struct MessageExampleTests {
        @Test("Rows 7, 8: The example reconnects to a restarted box and after its own restart")
        func reconnects() async throws {
            try await withBoxFixture { fixture in
                let box = try await fixture.box()
                let environment = LanyardTool.environment(adapter: fixture.controllers.adapters[0])
                let first = try ExampleProgram(.messageBox, environment: environment)
                try await first.awaitOutput("The box says: Hello 2")

                box.client.process.kill()
                try await first.awaitOutput("outOfRange")
                _ = try await fixture.box()
                try await first.awaitOutput("ready")
                try await first.awaitOutput("The box says")

                first.process.kill()
                let second = try ExampleProgram(.messageBox, environment: environment)
                try await second.awaitOutput("ready")
                try await second.awaitOutput("The box says: Hello 2")
                second.process.kill()
            }
        }
    }
#endif
