// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import HCITransports
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// A phone with our host, and the door lock of the examples.
@Suite("A door lock on the virtual radio")
struct LockTests {
    /// The user of the phone, with a view of the lock's display.
    private struct Client: PairingDelegate {
        let air: SimulatedAir
        let lock: ControllerID

        func consents(to pairing: PairingRequest) async -> Bool { true }

        func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool { true }

        func enterDigits(
            for pairing: PairingRequest,
            _ entry: DigitEntry
        ) async -> PairingDigits? {
            while !Task.isCancelled {
                if let shown = air.world.screen(of: lock).flatMap({ UInt32($0) }) {
                    return PairingDigits(shown)
                }
                try? await air.sleep(for: .milliseconds(50))
            }
            return nil
        }
    }

    private static let state = Demo.uuid(0x1C01)
    private static let control = Demo.uuid(0x1C02)

    private func visit(
        _ io: Pairing.IOCapability,
        _ body:
            @escaping @Sendable (BluetoothHost, Link, SimulatedAir, ControllerID) async throws
            -> Void
    ) async throws {
        let air = SimulatedAir(seed: 11)
        let phone = try air.addAdapter(ControllerConfiguration(name: "phone"))
        let lock = try air.world.addController(
            ControllerConfiguration(name: "lock", at: Position(x: 2, y: 0)),
            host: SimpleAccessory(.doorLock(name: "Door"))
        )
        try await air.run(bound: .seconds(300)) {
            var configuration = HostConfiguration()
            configuration.address = DeviceAddress("C0:00:00:00:00:01", kind: .random)
            configuration.pairing.ioCapability = io
            configuration.pairingDelegate = Client(air: air, lock: lock)
            configuration.randomness = SplitMix64(seed: 5)
            let host = BluetoothHost(
                transport: phone,
                configuration: configuration,
                executor: air.executor
            )
            try await host.start()
            try await body(host, try await Self.connect(host), air, lock)
            await host.shutdown()
        }
    }

    private static func connect(_ host: BluetoothHost) async throws -> Link {
        for try await found in host.scan(for: ScanFilter(name: "Door")) {
            return try await host.connect(to: found.address)
        }
        throw AccessoryHarness.NothingFound()
    }

    @Test(
        "A phone unlocks the door after it compares or enters digits, and later reads by its bond",
        arguments: [Pairing.IOCapability.displayYesNo, .keyboardOnly, .keyboardDisplay]
    )
    func unlocking(_ io: Pairing.IOCapability) async throws {
        try await visit(io) { host, link, air, lock in
            let found = try await link.allCharacteristics()
            let state = try #require(found[Self.state]).valueHandle
            let control = try #require(found[Self.control]).valueHandle
            #expect(try await link.read(state) == [1])
            #expect(try await link.security.isAuthenticated)
            try await link.write([0], to: control)
            #expect(try await link.read(state) == [0])
            #expect(air.world.screen(of: lock) == nil)
            try await link.disconnect()
            let again = try await Self.connect(host)
            #expect(try await again.security.isEncrypted)
            #expect(try await again.read(state) == [0])
            #expect(await host.bonds.count == 1)
        }
    }

    @Test("A phone that paired by Just Works can read the lock but not unlock it")
    func looking() async throws {
        try await visit(.noInputNoOutput) { host, link, _, _ in
            let found = try await link.allCharacteristics()
            let state = try #require(found[Self.state]).valueHandle
            let control = try #require(found[Self.control]).valueHandle
            #expect(try await link.read(state) == [1])
            await #expect(throws: (any Error).self) { try await link.write([0], to: control) }
            #expect(try await link.read(state) == [1])
            #expect(await host.bonds.count == 1)
        }
    }

    @Test("The lock keeps its bonds without power")
    func power() async throws {
        try await visit(.displayYesNo) { host, link, air, lock in
            _ = try await link.pair()
            // The phone's keys are distributed last and may still be on their way.
            try await air.sleep(for: .seconds(1))
            air.world.switchOff(lock)
            _ = try await link.ended()
            air.world.switchOn(lock)
            let again = try await Self.connect(host)
            #expect(try await again.security.isEncrypted)
            #expect(try await again.security.isBonded)
        }
    }
}
