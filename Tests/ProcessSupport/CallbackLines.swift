// SPDX-License-Identifier: Apache-2.0

/// What the callbacks of an application tell the test that watches it: a line each, in their order.
package struct CallbackLines: Sendable {
    private let lines: AsyncStream<String>
    private let teller: AsyncStream<String>.Continuation

    package init() {
        (lines, teller) = AsyncStream.makeStream()
    }

    /// Called by a callback, on any queue.
    package func tell(_ line: String) { teller.yield(line) }

    /// Waits for the next line that begins in one of these ways; those before it are passed over. The rest
    /// of the line.
    package func hear(_ beginnings: [String], within limit: Duration) async throws -> String {
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
