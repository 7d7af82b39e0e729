// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("A controller that fails") struct FailingControllerTests {
    private let world = World(seed: 1)

    private func host(_ adjust: (inout FaultPlan) -> Void) throws -> RawHost {
        var faults = FaultPlan()
        adjust(&faults)
        return try RawHost(world, ControllerConfiguration(faults: faults))
    }

    @Test("A hung controller neither sends nor receives") func hang() throws {
        let host = try host {
            $0.hang = Hang(.at(.zero + .seconds(1)), radioGoesOn: true)
        }
        host.send(HCI.Reset())
        world.run(for: .seconds(1))
        #expect(host.events.count == 1)
        host.send(HCI.Reset())
        host.send([0xFF])
        world.core.ether.emit(.hardwareError(HCI.HardwareError(code: 1)), to: host.id.radio)
        world.run(for: .seconds(10))
        #expect(host.events.count == 1)
    }

    @Test(
        "A controller hangs after it has answered a number of commands",
        arguments: [1, 3]
    )
    func hangAfterCommands(count: Int) throws {
        let host = try host { $0.hang = Hang(.afterCommands(count), radioGoesOn: true) }
        let reset = HCI.EncodedCommand(HCI.Reset()).h4Packet
        host.send(Array(repeatElement(reset, count: 5).joined()))
        #expect(host.events.count == count)
        host.send(reset)
        #expect(host.events.count == count)
    }

    @Test("The radio of a hung controller continues or stops", arguments: [true, false])
    func radio(goesOn: Bool) throws {
        let advertiser = try host {
            $0.hang = Hang(.at(.zero + .seconds(1)), radioGoesOn: goesOn)
        }
        let scanner = try TestHost(world)
        advertiser.send(HCI.LESetAdvertisingEnable(isEnabled: true))
        try scanner.perform(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false))
        world.run(for: .milliseconds(1_100))
        scanner.forget()
        world.run(for: .seconds(20))
        #expect(scanner.events.isEmpty == !goesOn)
    }

    @Test("A restart clears the state of a controller and is reported") func restart() throws {
        let host = try host { $0.restart = .zero + .seconds(1) }
        let random = HCI.BareAddress(value: 0xC000_0000_0001)
        host.send(HCI.LESetRandomAddress(address: random))
        host.send(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false))
        host.send([0x01, 0x03])
        host.forget()
        world.run(for: .seconds(2))
        #expect(host.events == [HardwareErrorCode.restarted.event])
        #expect(host.instants == [.zero + .seconds(1)])
        let controller = world.core.controllers[host.id.radio.index]
        #expect(controller.settings.randomAddress == nil && !controller.scanner.isEnabled)
        host.send(HCI.Reset())
        #expect(host.events.last == .completed(.reset, [0]))
    }

    @Test("A restart ends the hang of a controller") func watchdog() throws {
        let host = try host {
            $0.hang = Hang(.at(.zero + .seconds(1)), radioGoesOn: false)
            $0.restart = .zero + .seconds(2)
        }
        world.run(for: .seconds(3))
        host.send(HCI.Reset())
        #expect(host.events == [HardwareErrorCode.restarted.event, .completed(.reset, [0])])
    }

    @Test("A controller sends the planned Hardware Error and continues") func hardwareError()
        throws
    {
        let host = try host {
            $0.hardwareError = HardwareFault(at: .zero + .milliseconds(30), code: 0x42)
        }
        world.run(for: .seconds(1))
        #expect(host.events == [.hardwareError(HCI.HardwareError(code: 0x42))])
        #expect(host.instants == [.zero + .milliseconds(30)])
        host.send(HCI.Reset())
        #expect(host.events.count == 2)
    }

    @Test("New faults apply during a run, and past instants have no effect") func change()
        throws
    {
        let host = try host { $0.restart = .zero + .seconds(5) }
        world.run(for: .seconds(1))
        var other = FaultPlan()
        other.hardwareError = HardwareFault(at: .zero + .milliseconds(1), code: 1)
        world.setFaults(other, of: host.id)
        world.run(for: .seconds(10))
        #expect(host.events.isEmpty)
        other.hardwareError = HardwareFault(at: world.now + .seconds(1), code: 2)
        world.setFaults(other, of: host.id)
        world.run(for: .seconds(10))
        #expect(host.events == [.hardwareError(HCI.HardwareError(code: 2))])
    }

    @Test("Packets in transit keep their order when the faults change") func order() throws {
        let slow = WireLatency(fixed: .milliseconds(50))
        let host = try host {
            $0.toHost = slow
            $0.toController = slow
        }
        host.send(HCI.ReadLocalVersionInformation())
        world.run(for: .milliseconds(75))
        host.send(HCI.ReadBDAddress())
        world.run(for: .milliseconds(1))
        world.setFaults(.none, of: host.id)
        host.send(HCI.Reset())
        world.run(for: .seconds(1))
        let opcodes: [HCI.Opcode?] = host.events.map { event in
            if case .commandComplete(let event) = event { event.opcode } else { nil }
        }
        #expect(opcodes == [.readLocalVersionInformation, .readBDAddress, .reset])
    }

    @Test("Faults occur only while a controller has power") func power() throws {
        let host = try host {
            $0.restart = .zero + .seconds(1)
            $0.hardwareError = HardwareFault(at: .zero + .seconds(3), code: 4)
        }
        world.switchOff(host.id)
        world.run(for: .seconds(2))
        world.switchOn(host.id)
        world.run(for: .seconds(2))
        #expect(host.events == [.hardwareError(HCI.HardwareError(code: 4))])
    }
}
