// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports

/// The packet logs of one or several processes that still write them: a file, or all logs of a
/// directory, as `lanyard air --trace` makes them.
struct FollowedLogs: Sendable {
    /// The time between two readings of the logs.
    static let period = Duration.milliseconds(100)
    /// The maximum number of logs of a directory.
    static let logLimit = 256

    private let path: String
    private var followers: [String: TraceFollower] = [:]

    init(_ path: String) {
        self.path = path
    }

    /// Passes new packets with the name of their log to `body` until the task is canceled. Calls
    /// `rest` after the packets of each reading.
    mutating func follow(
        _ body: (Btsnoop.Record, String) throws -> Void,
        rest: () throws -> Void
    ) async throws {
        while true {
            var hasMore = false
            for name in names() {
                let file = isDirectory ? path + "/" + name : path
                var follower = followers[name] ?? TraceFollower(file)
                defer { followers[name] = follower }
                do {
                    hasMore = try follower.readOn { try body($0, name) } || hasMore
                } catch let error as BtsnoopError {
                    throw TracePrinter.failure(error, file)
                }
            }
            try rest()
            try Task.checkCancellation()
            if !hasMore { try await TimeLimit.wait(Self.period) }
        }
    }

    private var isDirectory: Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }

    private func names() -> [String] {
        guard isDirectory else { return [URL(fileURLWithPath: path).lastPathComponent] }
        let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return Array(all.filter { $0.hasSuffix(".btsnoop") }.sorted().prefix(Self.logLimit))
    }
}
