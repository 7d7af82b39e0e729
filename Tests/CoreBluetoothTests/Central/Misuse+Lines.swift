// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import BluetoothClients
@testable import CoreBluetooth

extension Misuse {
    /// Returns the log lines that contain `text` and are logged while `body` runs. Other tests log
    /// at the same time: choose a text that no other test logs.
    static func lines(
        about text: String,
        during body: () async throws -> Void
    ) async rethrows -> [String] {
        let lines = LineBox()
        try await observing({ line in if line.contains(text) { lines.add(line) } }, during: body)
        return lines.all
    }
}

private final class LineBox: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
