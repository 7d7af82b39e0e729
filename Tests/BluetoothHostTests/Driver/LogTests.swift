// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Logging
import Synchronization
import Testing

@testable import BluetoothHost

/// The log messages from the level `notice` on.
private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .notice
        return logger
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append("\(event.level) \(event.message)") }
        }
    }
}

@Suite("Log messages")
struct LogTests {
    @Test("Each new reason for an unusable adapter is logged once")
    func loggedOnce() async throws {
        let lines = Lines()
        let isTriedAgain = OneTimeEvent()
        let transport = ScriptedTransport { attempt, _ throws(TransportError) in
            if attempt == 5 { isTriedAgain.occur() }
            throw .refused(attempt < 3 ? "unix:/x" : "unix:/y")
        }
        var configuration = HostConfiguration()
        configuration.logger = lines.logger
        let host = BluetoothHost(transport: transport, configuration: configuration)
        await #expect(throws: HostError.self) { try await host.start() }
        await isTriedAgain.wait()
        let texts = ["unix:/x", "unix:/y"].map {
            "warning the adapter cannot be used: \(TransportError.refused($0))"
        }
        #expect(lines.all == texts)
        await host.shutdown()
    }
}
