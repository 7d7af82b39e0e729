// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("The status of a link") struct StatusCommandsTests {
    private static let unknown = ConnectionHandle(rawValue: 0x0EFF)

    @Test("A request for the status of an unknown link is refused") func unknownLink() throws {
        let host = try TestHost(World(seed: 1))
        let rssi = HCI.ReadRSSI(connectionHandle: Self.unknown)
        #expect(try host.status(rssi) == .unknownConnectionIdentifier)
        let power = HCI.ReadTransmitPowerLevel(connectionHandle: Self.unknown)
        #expect(try host.status(power) == .unknownConnectionIdentifier)
        let odd = HCI.ReadTransmitPowerLevel(
            connectionHandle: Self.unknown,
            kind: HCI.PowerLevelKind(rawValue: 2)
        )
        #expect(try host.status(odd) == .invalidCommandParameters)
    }

    @Test("The RSSI falls with distance") func rssi() throws {
        func read(meters: Double) throws -> Int8 {
            let harness = try LinkHarness { configuration in
                configuration.transmitPower = 4
                if configuration.name == "host 1" {
                    configuration.path = Path(Position(x: meters, y: 0))
                }
            }
            let link = try harness.connect()
            harness.world.run(for: .seconds(1))
            let handle = try harness.handle(link, .central)
            return try #require(
                harness.world.core.ether.linkRSSI(of: harness.hosts[0].radio, handle)
            )
        }
        let strengths = try [1, 4, 16].map { try read(meters: $0) }
        #expect(strengths == strengths.sorted(by: >))
        #expect(Set(strengths).count == 3)
    }

    @Test("A host reads the RSSI and power of its link") func command() throws {
        let harness = try LinkHarness { $0.transmitPower = 4 }
        let link = try harness.connect()
        harness.world.run(for: .seconds(1))
        let handle = try harness.handle(link, .central)
        let sender = CommandSender(harness.world, harness.hosts[0].id)
        let rssi = try sender.perform(HCI.ReadRSSI(connectionHandle: handle))
        #expect(rssi.connectionHandle == handle)
        #expect((-60 ..< -20).contains(rssi.rssi))
        for kind in [HCI.PowerLevelKind.current, .maximum] {
            let command = HCI.ReadTransmitPowerLevel(connectionHandle: handle, kind: kind)
            #expect(try sender.perform(command).level == 4)
        }
    }

    @Test(
        "The reported range of transmit powers follows from the configured power",
        arguments: [
            (0, -20, 0), (8, -20, 8), (-40, -40, -40), (1e9, -20, 20), (.nan, -20, 127),
        ] as [(Double, Int8, Int8)]
    )
    func power(configured: Double, minimum: Int8, maximum: Int8) throws {
        let host = try TestHost(World(seed: 1), ControllerConfiguration(transmitPower: configured))
        let power = try host.perform(HCI.LEReadTransmitPower())
        #expect((power.minimum, power.maximum) == (minimum, maximum))
    }
}

/// An object that replaces a controller's host and sends single commands.
private final class CommandSender {
    private let world: World
    private let id: ControllerID
    private var last: HCI.CommandComplete?

    init(_ world: World, _ id: ControllerID) {
        self.world = world
        self.id = id
        world.attach(id) { [unowned self] bytes in
            guard case .event(let code, let parameters) = try? HCI.Packet(h4: bytes[...]),
                case .commandComplete(let event) = try? HCI.Event(
                    code: code,
                    parameters: parameters
                )
            else { return }
            last = event
        }
    }

    func perform<Command: CommandCompleteCommand>(
        _ command: Command
    ) throws -> Command.ReturnParameters {
        last = nil
        world.send(HCI.EncodedCommand(command).h4Packet, to: id)
        world.run(for: .zero)
        let answer = try #require(last)
        return try Command.ReturnParameters(parsing: answer.returnParameters.dropFirst())
    }
}
