// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

/// A message of the tests.
struct Reading: Codable, Hashable, Sendable {
    var celsius: Int
}

struct Question: Codable, Hashable, Sendable {
    var question: Int
}

struct Reply: Codable, Hashable, Sendable {
    var reply: Int
}

struct Note: Codable, Hashable, Sendable {
    var note: String
}

extension MessageError {
    /// Returns the `MessageError` that an asynchronous call throws; `nil` if it throws no error, or
    /// one of another type.
    static func thrown(
        by body: () async throws -> Void
    ) async -> MessageError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? MessageError
        }
    }
}

/// Returns the first event that passes the test.
func first(
    _ events: Events<MessageChannelEvent>,
    where test: (MessageChannelEvent) -> Bool
) async -> MessageChannelEvent? {
    for await event in events where test(event) { return event }
    return nil
}
