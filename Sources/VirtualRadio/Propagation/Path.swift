// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The position of a device over time. The device passes each waypoint at its instant, and moves
/// between two waypoints in a straight line at constant speed. Before the first waypoint it is at
/// that waypoint's position, and after the last it stays there.
public struct Path: Hashable, Sendable {
    /// A position, and the instant at which the device is there.
    public struct Waypoint: Hashable, Sendable {
        /// The position.
        public var position: Position
        /// The instant at which the device is there, in the time of the world.
        public var instant: Instant

        /// Creates a waypoint.
        public init(_ position: Position, at instant: Instant) {
            self.position = position
            self.instant = instant
        }
    }

    private let start: Position
    private let waypoints: [Waypoint]

    /// Creates the path of a device that does not move.
    public init(_ position: Position) {
        start = position
        waypoints = []
    }

    /// Creates a path through the waypoints, ordered by their instants, whatever their order in the
    /// list.
    ///
    /// Of two waypoints with the same instant, the device arrives at the earlier one in the list
    /// and continues from the later one: it jumps. Without waypoints it stays at the origin.
    public init(_ waypoints: [Waypoint]) {
        let order = waypoints.indices.sorted {
            (waypoints[$0].instant, $0) < (waypoints[$1].instant, $1)
        }
        self.waypoints = order.map { waypoints[$0] }
        start = self.waypoints.first?.position ?? .origin
    }

    /// Whether the device never moves.
    package var isStill: Bool { waypoints.allSatisfy { $0.position == start } }

    /// Returns `true` only if the device does not move from the instant on. If the device moved
    /// before, the result is `false` until its last waypoint, even if all later waypoints are at
    /// the same position.
    func isStill(from instant: Instant) -> Bool {
        guard let last = waypoints.last, last.instant > instant else { return true }
        return isStill
    }

    /// Returns the position of the device at the instant.
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

    /// Returns the number of waypoints at the instant or before it, by a binary search.
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
