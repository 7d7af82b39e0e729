// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualAccessories
import VirtualRadio

/// Scripted hosts that a world runs.
@Suite struct ScriptedHostTests {
    /// A host that sends Reset every second, and records the instants of the answers.
    private struct Metronome: ScriptedHost {
        let count: Count
        var nextDeadline: Instant?

        mutating func start(now: Instant) -> [[UInt8]] {
            nextDeadline = now + .seconds(1)
            return []
        }

        mutating func receive(_ packet: [UInt8], now: Instant) -> [[UInt8]] {
            count.answers.append(now)
            return []
        }

        mutating func deadlinePassed(now: Instant) -> [[UInt8]] {
            nextDeadline = now + .seconds(1)
            return [[0x01, 0x03, 0x0C, 0x00]]
        }
    }

    /// Unchecked because the world and the test use one thread.
    private final class Count: @unchecked Sendable {
        var answers: [Instant] = []
    }

    @Test("A host runs at its deadlines and receives the answers")
    func deadlines() throws {
        let world = World(seed: 7)
        let id = try world.addController()
        let count = Count()
        world.attach(Metronome(count: count), to: id)
        world.run(for: .seconds(5))
        #expect(count.answers == (1...5).map { Instant.zero + .seconds($0) })
        #expect(world.takeOutput(of: id).isEmpty)
    }

    @Test("A removed host receives nothing")
    func replacedHost() throws {
        let world = World(seed: 7)
        let id = try world.addController()
        let count = Count()
        world.attach(Metronome(count: count), to: id)
        world.attach(id, nil)
        world.run(for: .seconds(5))
        #expect(count.answers.isEmpty)
        #expect(world.nextInstant == nil)
    }

    @Test("The example accessories are received at different strengths")
    func strengths() throws {
        let world = World(seed: 7)
        let count = try ExampleAccessories.populate(world).count
        #expect(count == ExampleAccessories.kinds.count)
        let scanner = try world.addController(ControllerConfiguration(name: "scanner"))
        var strengths: [UInt64: Int8] = [:]
        world.attach(scanner) { bytes in
            guard case .event(let code, let parameters) = try? HCI.Packet(h4: bytes[...]),
                case .advertisingReports(let reports) = try? HCI.Event(
                    code: code,
                    parameters: parameters
                )
            else { return }
            for report in reports { strengths[report.address.value] = report.rssi }
        }
        let mask = HCI.SetEventMask(mask: [.leMeta])
        world.send(HCI.EncodedCommand(mask).h4Packet, to: scanner)
        let always = HCI.ScanInterval(rawValue: 160)
        let parameters = HCI.LESetScanParameters(
            type: .passive,
            interval: always,
            window: always,
            ownAddressType: .public,
            filterPolicy: .unfiltered
        )
        world.send(HCI.EncodedCommand(parameters).h4Packet, to: scanner)
        let enable = HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false)
        world.send(HCI.EncodedCommand(enable).h4Packet, to: scanner)
        world.run(for: .seconds(5))
        #expect(strengths.count == count)
        #expect(Set(strengths.values).count == count)
    }

    @Test("Each kind of example accessory can be created", arguments: ExampleAccessories.kinds)
    func kinds(kind: String) {
        #expect(ExampleAccessories.make(kind: kind) != nil)
        #expect(ExampleAccessories.make(kind: kind + "?") == nil)
    }
}
