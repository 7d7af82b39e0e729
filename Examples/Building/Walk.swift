// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import VirtualRadio

/// A walk of a person through rooms, with a pause in each.
struct Walk: Sendable {
    /// The speed in meters per second.
    static let speed = 1.4
    /// The pauses, in seconds.
    static let pauses = 20.0...50.0
    /// The distances from a gateway at which a person pauses, in meters.
    private static let distances = 5.0...9.0

    /// The rooms in the order of the visits, beginning with the first.
    private(set) var rooms: [Int]
    private(set) var waypoints: [Path.Waypoint]

    /// Plans a walk with random rooms.
    ///
    /// - Parameters:
    ///   - room: The first room.
    ///   - start: The time at which the person leaves it.
    ///   - end: The time after which no new visit begins.
    ///   - random: The source of rooms, places and pauses.
    init(from room: Int, at start: Instant, until end: Instant, _ random: inout SplitMix64) {
        rooms = [room]
        waypoints = []
        var (now, place) = (start, Self.spot(in: room, &random))
        waypoints.append(.init(place, at: now))
        while now < end, let last = rooms.last {
            let others = FloorPlan.rooms.indices.filter { $0 != last }
            let next = others[Int.random(in: 0..<others.count, using: &random)]
            for corner in FloorPlan.way(from: last, to: next) + [Self.spot(in: next, &random)] {
                now = now + .seconds(place.meters(to: corner) / Self.speed)
                place = corner
                waypoints.append(.init(place, at: now))
            }
            now = now + .seconds(Double.random(in: Self.pauses, using: &random))
            waypoints.append(.init(place, at: now))
            rooms.append(next)
        }
    }

    /// Returns a random place in a room, not far from its middle.
    static func spot(in room: Int, _ random: inout SplitMix64) -> Position {
        let middle = FloorPlan.rooms[room].middle
        let distance = Double.random(in: distances, using: &random)
        let angle = Double.random(in: 0...(2 * .pi), using: &random)
        return Position(x: middle.x + distance * cos(angle), y: middle.y + distance * sin(angle))
    }
}
