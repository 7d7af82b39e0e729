// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing
import VirtualAdapters

@testable import LanyardCLI

@Suite("The adapter of a command")
struct AdapterSessionTests {
    @Test("The radio is closed to other hosts if the packet log cannot be made")
    func closesRadio() async throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString.prefix(8)).socket"
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { remark in
                // The radio is open before the packet log is made.
                guard remark.contains("other hosts join this radio") else { return }
                #expect(FileManager.default.fileExists(atPath: path))
            }
        )
        let session = AdapterSession(
            adapter: .virtual(scenario: nil),
            traceFile: "/dev/null/x",
            limits: StepLimits(),
            console: console,
            airAddresses: [.unix(path: path)]
        )
        let failure = try await #require(throws: ProgramFailure.self) {
            try await session.withHost { _ in }
        }
        #expect(failure.happened.contains("trace file"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
