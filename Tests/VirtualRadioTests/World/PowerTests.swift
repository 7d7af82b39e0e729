// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Controllers that are powered, moved and removed")
struct PowerTests {
    private let world = World(seed: 1)

    @Test("A controller sends no answers without power, and answers again after power-on")
    func power() throws {
        let host = try TestHost(world)
        world.switchOff(host.id)
        #expect(!world.isOn(host.id))
        host.send([0x01, 0x03, 0x0C, 0x00])
        world.run(for: .seconds(1))
        #expect(host.events.isEmpty)
        world.switchOn(host.id)
        #expect(try host.status(HCI.Reset()) == .success)
    }

    @Test("Packets to a controller without power are lost")
    func lostPackets() throws {
        let host = try TestHost(world)
        world.switchOff(host.id)
        host.send([0x01, 0x03, 0x0C, 0x00])
        world.switchOn(host.id)
        let before = world.status.controllers[0].toHostCount
        world.run(for: .seconds(1))
        #expect(world.status.controllers[0].toHostCount == before)
    }

    @Test("Packets that are under way when a controller is switched off are lost")
    func packetsUnderWay() throws {
        let host = try TestHost(world)
        var plan = FaultPlan()
        plan.toController.fixed = .seconds(1)
        plan.toHost.fixed = .seconds(2)
        world.setFaults(plan, of: host.id)
        host.send([0x01, 0x03, 0x0C, 0x00])
        world.run(for: .seconds(2))
        host.send([0x01, 0x03, 0x0C, 0x00])
        world.switchOff(host.id)
        world.switchOn(host.id)
        world.setFaults(.none, of: host.id)
        let wire = world.core.ether.wires[host.id.radio.index]
        #expect(wire.toController.isImmediate && wire.toHost.isImmediate)
    }

    @Test("A fault of a controller without power does not happen")
    func faultsWithoutPower() throws {
        let host = try TestHost(world)
        world.switchOff(host.id)
        var plan = FaultPlan()
        plan.hardwareError = HardwareFault(at: world.now + .seconds(1), code: 1)
        plan.hang = Hang(.at(world.now + .seconds(1)), radioGoesOn: false)
        world.setFaults(plan, of: host.id)
        world.run(for: .seconds(2))
        #expect(host.events.isEmpty)
        world.switchOn(host.id)
        #expect(try host.status(HCI.Reset()) == .success)
    }

    @Test("Reset and power-on erase a host's settings", arguments: [true, false])
    func settings(isReset: Bool) throws {
        let host = try TestHost(world)
        let place = host.id.radio.index
        var current: LinkCapabilities { world.core.ether.links.resources[place].capabilities }
        let fresh = current
        try host.perform(
            HCI.LEWriteSuggestedDefaultDataLength(
                transmitBytes: 251,
                transmitTime: HCI.AirTime(rawValue: 2_120)
            )
        )
        let fast = HCI.PHYPreference(transmit: .le2M, receive: .le2M)
        try host.perform(HCI.LESetDefaultPHY(preference: fast))
        #expect(current.suggestedBytes == 251)
        #expect(current.preference == fast)
        if isReset {
            try host.perform(HCI.Reset())
        } else {
            world.switchOff(host.id)
            world.switchOn(host.id)
        }
        #expect(current == fresh)
        let filter = world.core.ether.ports[place].filter
        #expect(filter.leMask.rawValue == 0x1F)
        #expect(filter.mask.rawValue == 0x1FFF_FFFF_FFFF)
        #expect(filter.page2.rawValue == 0)
    }

    /// A host that sends Reset when it starts, and again at `secondReset`.
    private struct ResettingHost: ScriptedHost {
        let secondReset: Instant
        var nextDeadline: Instant?

        mutating func start(now: Instant) -> [[UInt8]] {
            nextDeadline = secondReset
            return [[0x01, 0x03, 0x0C, 0x00]]
        }

        mutating func receive(_ packet: [UInt8], now: Instant) -> [[UInt8]] { [] }

        mutating func deadlinePassed(now: Instant) -> [[UInt8]] {
            nextDeadline = nil
            return [[0x01, 0x03, 0x0C, 0x00]]
        }
    }

    @Test("A scripted host starts at power-on and is called at its deadline")
    func scriptedHost() throws {
        world.watchInvariants()
        let controller = try world.addController()
        world.switchOff(controller)
        world.attach(ResettingHost(secondReset: .zero + .seconds(2)), to: controller)
        world.run(for: .seconds(1))
        #expect(world.status.controllers[0].toHostCount == 0)
        world.switchOn(controller)
        world.switchOff(controller)
        world.switchOn(controller)
        world.run(for: .milliseconds(500))
        #expect(world.status.controllers[0].toHostCount == 1)
        world.run(for: .seconds(1))
        #expect(world.status.controllers[0].toHostCount == 2)
        world.finishWatching()
        #expect(world.violations.isEmpty)
    }

    @Test("An unanswered command to a controller without power is not a violation")
    func unansweredCommand() throws {
        world.watchInvariants()
        let controller = try world.addController()
        world.send([0x01, 0x03, 0x0C, 0x00], to: controller)
        world.switchOff(controller)
        world.send([0x01, 0x03, 0x0C, 0x00], to: controller)
        world.run(for: .seconds(10))
        world.finishWatching()
        #expect(world.violations.isEmpty)
    }

    @Test("The next controller gets the number of a removed controller")
    func freeRadio() throws {
        let first = try world.addController(ControllerConfiguration(name: "a"))
        try world.addController(ControllerConfiguration(name: "b"))
        world.remove(first)
        #expect(world.status.controllers.map(\.name) == ["b"])
        let third = try world.addController(ControllerConfiguration(name: "c"))
        #expect(third.number == first.number)
        #expect(world.status.controllers.map(\.name) == ["c", "b"])
    }

    @Test("The received power depends on distance, transmit power, explicit loss and groups")
    func places() throws {
        let one = try world.addController()
        let other = try world.addController()
        world.move(other, to: Position(x: 1, y: 0))
        let near = try #require(world.power(from: one, to: other))
        world.move(other, to: Position(x: 10, y: 0))
        let far = try #require(world.power(from: one, to: other))
        #expect(abs(near - far - 27) < 0.001)
        world.setTransmitPower(6, of: one)
        #expect(abs((world.power(from: one, to: other) ?? 0) - far - 6) < 0.001)
        world.setLoss(60, between: one, and: other)
        #expect(world.power(from: one, to: other) == -54)
        world.assign(other, toGroup: 1)
        world.separate(group: 0, from: 1)
        #expect(world.power(from: one, to: other) == nil)
        world.join(group: 0, with: 1)
        #expect(world.power(from: one, to: other) == -54)
    }
}
