// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// What waits to be sent to one client, in order. A task takes one value after the other out of it,
/// each when the one before it has left; a client that is slow holds up nobody else.
struct LinkOutlet: Sendable {
    /// How many values wait for a slow client; further ones are not sent, and that is told.
    static let limit = 1_024

    private let values: AsyncStream<GATT.AttributeValue>
    private let feed: AsyncStream<GATT.AttributeValue>.Continuation

    init() {
        (values, feed) = AsyncStream.makeStream(
            of: GATT.AttributeValue.self,
            bufferingPolicy: .bufferingOldest(Self.limit)
        )
    }

    /// Has the value sent; false if too many wait.
    func send(_ value: GATT.AttributeValue) -> Bool {
        if case .dropped = feed.yield(value) { false } else { true }
    }

    /// Sends what comes, until the outlet is closed.
    func run(
        on link: Link,
        told: @Sendable (GATT.AttributeValue, (any Error)?) throws -> Void
    ) async throws {
        for await value in values {
            do {
                try await link.notify(value.value, of: value.handle)
            } catch {
                try told(value, error)
                continue
            }
            try told(value, nil)
        }
    }

    /// Nothing is sent any more.
    func close() {
        feed.finish()
    }
}
