// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import Synchronization
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Shutting down an adapter")
struct ShutDownTests {
    @Test("Remaining managers do not keep the store locked, and new managers find its data")
    func store() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try FileStore(directory: directory)
        let fixture = try Fixture(.heartRate(name: "Strap")) { $0.store = first }
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            let strap = try await app.connectedPeripheral("Strap")
            await fixture.adapter.shutDown()
            await app.journal.wait(for: "state unsupported")

            let second = try FileStore(directory: directory)
            let adapter = try fixture.addAdapter("phone again") { configuration in
                configuration.store = second
                configuration.address = Fixture.phoneAddress
            }
            let again = fixture.central(on: adapter, options: Fixture.appOptions)
            await again.journal.wait(for: "connected Strap")
            #expect(again["Strap"]?.identifier == strap.identifier)
            #expect(again.journal.lines.first == "restored kCBRestoredPeripherals")
            withExtendedLifetime(app) {}
        }
    }

    @Test("A manager that is made during a shutdown opens the adapter again after it")
    func meanwhile() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central()
            _ = try await app.connectedPeripheral("Strap")
            async let end: Void = fixture.adapter.shutDown()
            async let sameEnd: Void = fixture.adapter.shutDown()
            while fixture.adapter.usage.running != nil { await Task.yield() }

            let next = fixture.central()
            #expect(next.manager.state == .unknown)
            #expect(next.manager.adapter == nil)
            let gone = fixture.central()
            gone.dropManager()
            _ = await (end, sameEnd)
            await app.journal.wait(for: "state unsupported")
            await next.journal.wait(for: "state poweredOn")
            #expect(next.manager.adapter !== app.manager.adapter)
            #expect(gone.journal.lines.isEmpty)
        }
    }

    @Test("All callers of shutDown wait until the adapter is closed")
    func together() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central()
            _ = try await app.connectedPeripheral("Strap")
            await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        await fixture.adapter.shutDown()
                        await app.journal.wait(for: "state unsupported")
                    }
                }
            }
            await fixture.adapter.shutDown()
            #expect(app.journal.lines.count { $0 == "state unsupported" } == 1)
        }
    }

    @Test("An adapter that was turned off stays off after a shutdown")
    func switches() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let app = fixture.central()
            await app.journal.wait(for: "state poweredOn")
            fixture.adapter.isPoweredOn = false
            await app.journal.wait(for: "state poweredOff")
            await fixture.adapter.shutDown()
            let next = fixture.central()
            await next.journal.wait(for: "state poweredOff")
            #expect(!fixture.adapter.isPoweredOn)
        }
    }

    @Test("An observer of log lines can use an adapter that is being opened")
    func usedWhileOpening() async {
        let adapter = CBAdapter("nonsense \(UUID().uuidString)")
        let answers = Journal()
        await Misuse.observing { line in
            guard line.contains("nonsense") else { return }
            answers.add("\(adapter.authorization.rawValue) \(adapter.usage.running == nil)")
        } during: {
            let app = CentralRecorder(
                queue: DispatchQueue(label: "app"),
                options: [CBManagerOptionAdapterKey: adapter]
            )
            await app.journal.wait(for: "state unsupported")
        }
        #expect(answers.lines.contains("3 true"))
    }

    @Test("A pairing delegate that is replaced may use its adapter in deinit")
    func replacedDelegate() {
        let adapter = CBAdapter("virtual:\(UUID().uuidString)")
        let asked = Mutex(false)
        adapter.pairingDelegate = DeinitObserver {
            let isOn = adapter.isPoweredOn
            asked.withLock { $0 = isOn }
        }
        adapter.pairingDelegate = nil
        #expect(asked.withLock { $0 })
    }
}

/// A pairing delegate that calls a closure in deinit.
private final class DeinitObserver: PairingDelegate {
    private let observer: @Sendable () -> Void

    init(_ observer: @escaping @Sendable () -> Void) { self.observer = observer }

    deinit { observer() }

    func consents(to pairing: PairingRequest) async -> Bool { false }
}
