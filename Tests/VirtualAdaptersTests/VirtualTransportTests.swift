// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@Suite("The transport to a virtual controller")
struct VirtualTransportTests {
    static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    static let resetComplete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

    private let air = SimulatedAir(seed: 1)

    @Test("Packets pass in both directions without delay")
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

    @Test("A close is reported once, and the transport can be opened again")
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

    @Test("Only one host at a time can open the transport")
    func alreadyOpen() async throws {
        let adapter = try air.addAdapter()
        try await air.run { [air] in
            try await adapter.open(on: air.executor) { _ in }
            await #expect(throws: TransportError.alreadyOpen(adapter.name)) {
                try await adapter.open(on: air.executor) { _ in }
            }
        }
    }

    @Test("A host on an executor other than the radio's is refused")
    func foreignExecutor() async throws {
        let adapter = try air.addAdapter()
        let executor = AdapterExecutor()
        defer { executor.shutDown() }
        await #expect(throws: TransportError.unsuitableExecutor(adapter.name)) {
            try await adapter.open(on: executor) { _ in }
        }
    }

    @Test("The transport of a removed controller never reaches a new controller with its number")
    func removedController() async throws {
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

    @Test("A controller without power receives nothing")
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
