// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Where a device is, and when: it passes its waypoints at their instants, and moves from one to
/// the next in a straight line at constant speed. Before the first it waits there; after the last
/// it stays.
public struct Path: Hashable, Sendable {
    /// A place, and when the device is there.
    public struct Waypoint: Hashable, Sendable {
        /// The place.
        public var position: Position
        /// When the device is there, in the time of the world.
        public var instant: Instant

        /// The device is at the position at the instant.
        public init(_ position: Position, at instant: Instant) {
            self.position = position
            self.instant = instant
        }
    }

    private let start: Position
    private let waypoints: [Waypoint]

    /// The path of a device that does not move.
    public init(_ position: Position) {
        start = position
        waypoints = []
    }

    /// The path past the waypoints, in the order of their instants, which need not be the order of
    /// the list. Of two for the same instant the device comes to the earlier in the list, and
    /// leaves from the later: it jumps. Without any it stays at the origin.
    public init(_ waypoints: [Waypoint]) {
        let order = waypoints.indices.sorted {
            (waypoints[$0].instant, $0) < (waypoints[$1].instant, $1)
        }
        self.waypoints = order.map { waypoints[$0] }
        start = self.waypoints.first?.position ?? .origin
    }

    /// Whether the device is in one place for ever.
    package var isStill: Bool { waypoints.allSatisfy { $0.position == start } }

    /// Where the device is at the instant.
    public func position(at instant: Instant) -> Position {
        let passed = passedCount(at: instant)
        guard passed > 0 else { return start }
        let last = waypoints[passed - 1]
        guard passed < waypoints.count else { return last.position }
        let next = waypoints[passed]
        let whole = (next.instant - last.instant).nanoseconds
        let gone = (instant - last.instant).nanoseconds
        return last.position.moved(toward: next.position, by: Double(gone) / Double(whole))
    }

    /// How many waypoints lie at the instant or before it: a binary search.
    private func passedCount(at instant: Instant) -> Int {
        var (low, high) = (0, waypoints.count)
        while low < high {
            let middle = (low + high) / 2
            if waypoints[middle].instant <= instant {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
