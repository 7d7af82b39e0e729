// SPDX-License-Identifier: Apache-2.0

/// The lines that the callbacks of an app send to the test that observes the app.
package struct CallbackLines: Sendable {
    private let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    package init() {
        (lines, continuation) = AsyncStream.makeStream()
    }

    /// Sends a line. Callbacks call this method on any queue.
    package func send(_ line: String) { continuation.yield(line) }

    /// Waits for the next line with one of these prefixes, and drops the lines before it. Returns
    /// the rest of the line.
    package func awaitLine(_ beginnings: [String], within limit: Duration) async throws -> String {
        let lines = lines
        let what = beginnings.joined(separator: " or ")
        return try await ProcessTestSupport.within(limit, what) {
            for await line in lines {
                guard let beginning = beginnings.first(where: line.hasPrefix) else { continue }
                return String(line.dropFirst(beginning.count))
            }
            throw ProcessError.tooSlow(what)
        }
    }
}
