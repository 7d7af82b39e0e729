// SPDX-License-Identifier: Apache-2.0

/// The events of the server for a `for await` loop.
typealias ServerEventBuffer = StreamBuffer<ServerEventQueue, Never>

/// Events in the order in which they happened. `ServerEventBuffer` bounds their number.
struct ServerEventQueue: StreamQueue {
    /// The capacity above which an empty array releases its memory.
    static let keptCapacityLimit = 256

    private var arrived: [ServerEvent] = []
    /// The events to take before those in `arrived`, in reverse order.
    private var next: [ServerEvent] = []

    var count: Int { arrived.count + next.count }

    mutating func append(_ event: ServerEvent) { arrived.append(event) }

    mutating func takeFirst() -> ServerEvent? {
        if next.isEmpty {
            if next.capacity > Self.keptCapacityLimit { next = [] }
            // An array removes its last element without a copy of it.
            while let event = arrived.popLast() { next.append(event) }
            if arrived.capacity > Self.keptCapacityLimit { arrived = [] }
        }
        return next.popLast()
    }
}
