// SPDX-License-Identifier: Apache-2.0

/// The events of the server for a `for await` loop.
typealias ServerEventBuffer = StreamBuffer<ServerEventQueue, Never>

/// Events in the order in which they happened. `ServerEventBuffer` bounds their number.
struct ServerEventQueue: StreamQueue {
    /// The number of events above which an empty array releases its memory.
    static let keptEventLimit = 256

    private var arrived: [ServerEvent] = []
    /// The events that are taken before those in `arrived`, the first of them last.
    private var next: [ServerEvent] = []

    var count: Int { arrived.count + next.count }

    mutating func append(_ event: ServerEvent) { arrived.append(event) }

    mutating func takeFirst() -> ServerEvent? {
        if next.isEmpty {
            if next.capacity > Self.keptEventLimit { next = [] }
            swap(&arrived, &next)
            next.reverse()
        }
        return next.popLast()
    }
}
