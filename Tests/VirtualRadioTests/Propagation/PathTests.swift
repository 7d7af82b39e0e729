// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

@Suite struct PathTests {
    private func second(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    private func east(_ meters: Double) -> Position { Position(x: meters, y: 0) }

    @Test("The distance between two positions is the length of a straight line")
    func distance() {
        #expect(Position.origin.distance(to: Position(x: 3, y: 4)) == 5)
        #expect(Position(x: 1, y: 1, z: 1).distance(to: Position(x: 3, y: 4, z: 7)) == 7)
        #expect(east(5).distance(to: east(5)) == 0)
    }

    @Test("A path with one position does not move")
    func fixedPosition() {
        let path = Path(east(3))
        for seconds in [0.0, 1, 1e6] { #expect(path.position(at: second(seconds)) == east(3)) }
    }

    @Test("A device moves in a straight line between waypoints")
    func straightLines() {
        let path = Path([
            .init(east(0), at: second(10)), .init(east(20), at: second(20)),
            .init(Position(x: 20, y: 8), at: second(24)),
        ])
        #expect(path.position(at: second(0)) == east(0))
        #expect(path.position(at: second(10)) == east(0))
        #expect(path.position(at: second(12.5)) == east(5))
        #expect(path.position(at: second(20)) == east(20))
        #expect(path.position(at: second(21)) == Position(x: 20, y: 2))
        #expect(path.position(at: second(24)) == Position(x: 20, y: 8))
        #expect(path.position(at: second(1_000)) == Position(x: 20, y: 8))
    }

    @Test("Waypoints may be in any order")
    func waypointOrder() {
        let path = Path([.init(east(20), at: second(20)), .init(east(0), at: second(10))])
        #expect(path.position(at: second(15)) == east(10))
    }

    @Test("Two waypoints at one instant make a jump")
    func jump() {
        let path = Path([
            .init(east(0), at: second(0)), .init(east(10), at: second(10)),
            .init(east(90), at: second(10)), .init(east(100), at: second(20)),
        ])
        #expect(path.position(at: second(9)) == east(9))
        #expect(path.position(at: second(10)) == east(90))
        #expect(path.position(at: second(11)) == east(91))
    }

    @Test("A path without waypoints stays at the origin")
    func noWaypoints() {
        #expect(Path([]).position(at: second(5)) == .origin)
    }

    @Test("A long path passes each waypoint")
    func longPath() {
        let path = Path((0..<1_000).map { .init(east(Double($0 * $0)), at: second(Double($0))) })
        for number in 0..<1_000 {
            #expect(path.position(at: second(Double(number))) == east(Double(number * number)))
        }
    }
}
