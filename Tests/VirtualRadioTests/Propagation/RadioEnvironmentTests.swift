// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite struct RadioEnvironmentTests {
    private let phone = RadioID(1)
    private let lamp = RadioID(2)
    private let lock = RadioID(3)

    /// Returns a phone at the origin, a lamp 10 m and a lock 100 m to the east.
    private func world(seed: UInt64 = 7, shadowing: Shadowing = .none) -> RadioEnvironment {
        var world = RadioEnvironment(seed: WorldSeed(seed), shadowing: shadowing)
        world.place(Station(Path(.origin)), as: phone)
        world.place(Station(Path(Position(x: 10, y: 0)), transmitPower: 4), as: lamp)
        world.place(Station(Path(Position(x: 100, y: 0))), as: lock)
        return world
    }

    private func expect(_ power: ReceivedPower?, is wanted: Double) throws {
        let power = try #require(power)
        #expect(abs(power.decibels - wanted) < 1e-9)
        #expect(abs(power.milliwatts / ReproducibleMath.ratio(decibels: wanted) - 1) < 1e-9)
    }

    @Test("The received power is the transmit power minus the path loss")
    func receivedPower() throws {
        var world = world()
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -60.2)
        try expect(world.power(from: lamp, to: phone, at: .zero), is: -56.2)
        try expect(world.power(from: phone, to: lock, at: .zero), is: -80.2)
    }

    @Test("Devices at one place receive each other with at most the transmit power")
    func samePlace() throws {
        for seed in 0..<20 as Range<UInt64> {
            var world = RadioEnvironment(
                seed: WorldSeed(seed),
                pathLoss: .indoors,
                shadowing: Shadowing(deviation: 6)
            )
            world.place(Station(Path(.origin)), as: phone)
            world.place(Station(Path(.origin), transmitPower: 4), as: lamp)
            let powers = [
                world.power(from: phone, to: lamp, at: .zero),
                world.power(from: lamp, to: phone, at: .zero),
            ]
            #expect(try #require(powers[0]).decibels <= 0)
            #expect(try #require(powers[1]).decibels <= 4)
        }
    }

    @Test("Shadowing adds the same loss in both directions")
    func shadowing() throws {
        var world = world(shadowing: Shadowing(deviation: 6))
        let measured = world.power(from: phone, to: lock, at: .zero)
        let there = try #require(measured)
        #expect(abs(there.decibels + 80.2) > 1e-9)
        try expect(world.power(from: lock, to: phone, at: .zero), is: there.decibels)
    }

    @Test("An added radio does not change the shadowing of other radios")
    func addedRadio() {
        var world = world(shadowing: Shadowing(deviation: 6))
        let before = world.power(from: phone, to: lock, at: .zero)
        world.place(Station(Path(Position(x: 1, y: 1))), as: RadioID(0))
        #expect(world.power(from: phone, to: lock, at: .zero) == before)
    }

    @Test("An explicit loss overrides the positions")
    func explicitLoss() throws {
        var world = world(shadowing: Shadowing(deviation: 6))
        world.setLoss(33, between: lamp, and: phone)
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -33)
        try expect(world.power(from: lamp, to: phone, at: .zero), is: -29)
        world.shadowing = .none
        world.setLoss(nil, between: phone, and: lamp)
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -60.2)
    }

    @Test("An explicit loss is removed with its radio")
    func removedRadio() throws {
        var world = world()
        world.setLoss(33, between: phone, and: lamp)
        let station = try #require(world[lamp])
        world[lamp] = nil
        #expect(world.power(from: phone, to: lamp, at: .zero) == nil)
        world.setLoss(20, between: phone, and: lamp)
        world.place(station, as: lamp)
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -60.2)
    }

    @Test("A radio that is off neither sends nor receives")
    func radioOff() throws {
        var world = world()
        world[lamp]?.isOn = false
        #expect(world.power(from: phone, to: lamp, at: .zero) == nil)
        #expect(world.power(from: lamp, to: phone, at: .zero) == nil)
        world[lamp]?.isOn = true
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -60.2)
    }

    @Test("A radio receives nothing from itself or an unknown radio")
    func unknownRadio() {
        var world = world()
        #expect(world.power(from: phone, to: phone, at: .zero) == nil)
        #expect(world.power(from: phone, to: RadioID(9), at: .zero) == nil)
        #expect(world.power(from: RadioID(9), to: phone, at: .zero) == nil)
    }

    @Test("Separate groups do not receive each other")
    func separateGroups() {
        var world = world()
        world[lock]?.group = 1
        world.separate(group: 1, from: 0)
        #expect(world.power(from: phone, to: lock, at: .zero) == nil)
        #expect(world.power(from: lock, to: lamp, at: .zero) == nil)
        #expect(world.power(from: phone, to: lamp, at: .zero) != nil)
        world.join(group: 0, with: 1)
        #expect(world.power(from: phone, to: lock, at: .zero) != nil)
    }

    @Test("A group can be separated from itself")
    func selfSeparation() {
        var world = world()
        world.separate(group: 0, from: 0)
        #expect(world.power(from: phone, to: lamp, at: .zero) == nil)
    }

    @Test("The signal fades as its sender moves away")
    func fading() throws {
        var world = world()
        let end = Instant.zero + .seconds(2_000)
        world[lamp]?.path = Path([
            .init(Position(x: 1, y: 0), at: .zero), .init(Position(x: 2_001, y: 0), at: end),
        ])
        var last = Double.infinity
        for second in stride(from: 0, through: 2_000, by: 50) {
            let now = Instant.zero + .seconds(second)
            let measured = world.power(from: lamp, to: phone, at: now)
            let power = try #require(measured)
            #expect(power.decibels < last)
            last = power.decibels
        }
    }

    @Test("The received power follows each change")
    func changes() throws {
        var world = world()
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -60.2)
        world[phone]?.transmitPower = 3
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -57.2)
        world[lamp]?.path = Path(Position(x: 100, y: 0))
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -77.2)
        world.pathLoss = PathLoss(exponent: 3)
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -97.2)
        world.place(Station(Path(Position(x: 1, y: 0))), as: lamp)
        try expect(world.power(from: phone, to: lamp, at: .zero), is: -37.2)
    }

    @Test("The received power follows changing shadowing")
    func changingShadowing() throws {
        var world = world(shadowing: Shadowing(deviation: 6, period: .seconds(1)))
        let powers = (0..<5).map {
            world.power(from: phone, to: lock, at: .zero + .milliseconds(300 * $0))
        }
        #expect(Set(powers).count == 5)
    }

    @Test("The environment holds a limited number of stations")
    func stationLimit() {
        var world = RadioEnvironment(seed: WorldSeed(1))
        let station = Station(Path(.origin))
        let arePlaced = (0..<UInt64(RadioEnvironment.stationLimit)).map {
            world.place(station, as: RadioID($0))
        }
        #expect(!arePlaced.contains(false))
        let isOneMorePlaced = world.place(station, as: RadioID(1 << 40))
        #expect(!isOneMorePlaced)
        let isReplaced = world.place(station, as: RadioID(0))
        #expect(isReplaced)
        #expect(world.stationCount == RadioEnvironment.stationLimit)
        world[RadioID(1 << 40)] = station
        #expect(world[RadioID(1 << 40)] == nil)
        world[RadioID(0)] = nil
        #expect(world.stationCount == RadioEnvironment.stationLimit - 1)
    }
}
