// SPDX-License-Identifier: Apache-2.0

import VirtualRadio

/// The rooms of the building: two rows along a corridor, with a gateway in the middle of each room.
/// Positions are in meters, from the south-west corner.
struct FloorPlan: Sendable {
    struct Room: Sendable {
        /// The name, which is also that of its gateway: `A1` is the first room of the south row.
        let name: String
        let south: Double
        let west: Double
        /// The place of the gateway.
        var middle: Position {
            Position(x: west + FloorPlan.roomWidth / 2, y: south + FloorPlan.roomDepth / 2)
        }
        /// The door between the room and the corridor.
        var door: Position {
            let isSouth = south == 0
            return Position(x: middle.x, y: isSouth ? FloorPlan.roomDepth : south)
        }
    }

    static let roomWidth = 30.0
    static let roomDepth = 24.0
    static let corridorWidth = 6.0
    static let columns = 6

    /// The twelve rooms, row by row.
    static let rooms: [Room] = ["A", "B"].enumerated().flatMap { row, letter in
        (0..<columns).map { column in
            Room(
                name: "\(letter)\(column + 1)",
                south: Double(row) * (roomDepth + corridorWidth),
                west: Double(column) * roomWidth
            )
        }
    }

    static let width = roomWidth * Double(columns)
    static let depth = roomDepth * 2 + corridorWidth
    /// The line in the middle of the corridor.
    private static let corridor = roomDepth + corridorWidth / 2

    /// Returns the number of rooms that a person enters or passes on the way between two rooms.
    static func passedCount(from start: Int, to end: Int) -> Int {
        max(1, abs(start % columns - end % columns))
    }

    /// Returns the corners of the way between two rooms, through their doors.
    static func way(from start: Int, to end: Int) -> [Position] {
        guard start != end else { return [] }
        let (first, last) = (rooms[start].door, rooms[end].door)
        return [
            first, Position(x: first.x, y: corridor), Position(x: last.x, y: corridor), last,
        ]
    }
}

extension Position {
    /// Returns the distance to another place in meters.
    func meters(to other: Position) -> Double {
        let (x, y) = (other.x - x, other.y - y)
        return (x * x + y * y).squareRoot()
    }
}
