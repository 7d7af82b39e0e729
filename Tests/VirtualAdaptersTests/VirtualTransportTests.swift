// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@Suite("The wire to a virtual controller")
struct VirtualTransportTests {
    static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    static let resetComplete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

    private let air = SimulatedAir(World(seed: 1), patience: .milliseconds(50))

    @Test("carries packets both ways, in no time")
    func reset() async throws {
        let adapter = try air.addAdapter()
        let log = Shared<[TransportEvent]>([])
        try await air.run { [air] in
            try await adapter.open(on: air.executor) { event in log.change { $0.append(event) } }
            adapter.send([Self.reset])
            try await air.sleep(for: .nanoseconds(1))
        }
        #expect(log.value == [.received(Self.resetComplete[...])])
    }

    @Test("says once that it is closed, and can be opened again")
    func reopening() async throws {
        let adapter = try air.addAdapter()
        let log = Shared<[TransportEvent]>([])
        try await air.run { [air] in
            for _ in 0..<2 {
                try await adapter.open(on: air.executor) { event in
                    log.change { $0.append(event) }
                }
                adapter.send([Self.reset])
                try await air.sleep(for: .milliseconds(1))
                adapter.close()
                adapter.close()
                adapter.send([Self.reset])
                try await air.sleep(for: .milliseconds(1))
            }
        }
        let round: [TransportEvent] = [.received(Self.resetComplete[...]), .closed(nil)]
        #expect(log.value == round + round)
    }

    @Test("is opened by one host at a time")
    func alreadyOpen() async throws {
        let adapter = try air.addAdapter()
        try await air.run { [air] in
            try await adapter.open(on: air.executor) { _ in }
            await #expect(throws: TransportError.alreadyOpen(adapter.name)) {
                try await adapter.open(on: air.executor) { _ in }
            }
        }
    }

    @Test("refuses a host on another thread than its air's")
    func foreignExecutor() async throws {
        let adapter = try air.addAdapter()
        let executor = AdapterExecutor()
        defer { executor.shutDown() }
        await #expect(throws: TransportError.unsuitableExecutor(adapter.name)) {
            try await adapter.open(on: executor) { _ in }
        }
    }

    @Test("never reaches another controller that got the number of its own")
    func takenAway() async throws {
        let adapter = try air.addAdapter()
        let log = Shared<[TransportEvent]>([])
        let gone = TransportEvent.closed(.closedByPeer(adapter.name))
        try await air.run { [air] in
            try await adapter.open(on: air.executor) { event in log.change { $0.append(event) } }
            air.world.remove(adapter.controller)
            let other = try air.addAdapter()
            #expect(other.controller == adapter.controller)
            let answers = Shared<[TransportEvent]>([])
            try await other.open(on: air.executor) { event in answers.change { $0.append(event) } }
            adapter.send([Self.reset])
            try await air.sleep(for: .seconds(1))
            #expect(log.value == [gone] && answers.value.isEmpty)
            try await adapter.open(on: air.executor) { event in log.change { $0.append(event) } }
            other.send([Self.reset])
            try await air.sleep(for: .seconds(1))
            #expect(answers.value == [.received(Self.resetComplete[...])])
        }
        #expect(log.value == [gone, gone])
    }

    @Test("is deaf while the controller has no power")
    func switchedOff() async throws {
        let adapter = try air.addAdapter()
        let log = Shared<[TransportEvent]>([])
        try await air.run { [air] in
            try await adapter.open(on: air.executor) { event in log.change { $0.append(event) } }
            air.world.switchOff(adapter.controller)
            adapter.send([Self.reset])
            try await air.sleep(for: .seconds(1))
            #expect(log.value.isEmpty)
            air.world.switchOn(adapter.controller)
            adapter.send([Self.reset])
            try await air.sleep(for: .seconds(1))
        }
        #expect(log.value == [.received(Self.resetComplete[...])])
    }
}
