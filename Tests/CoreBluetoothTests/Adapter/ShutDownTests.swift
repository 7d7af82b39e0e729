// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite("Shutting down an adapter")
struct ShutDownTests {
    @Test("Remaining managers do not keep the store locked, and new managers find its data")
    func store() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try FileStore(directory: directory)
        let stage = try Stage(.heartRate(name: "Strap")) { $0.store = first }
        try await stage.run {
            let app = stage.central(options: Stage.appOptions)
            let strap = try await app.visit("Strap")
            await stage.adapter.shutDown()
            await app.journal.wait(for: "state unsupported")

            let second = try FileStore(directory: directory)
            let adapter = try stage.addAdapter("phone again") { configuration in
                configuration.store = second
                configuration.address = Stage.phoneAddress
            }
            let again = stage.central(on: adapter, options: Stage.appOptions)
            await again.journal.wait(for: "connected Strap")
            #expect(again["Strap"]?.identifier == strap.identifier)
            #expect(again.journal.lines.first == "restored kCBRestoredPeripherals")
            withExtendedLifetime(app) {}
        }
    }

    @Test("A manager that is made during a shutdown opens the adapter again after it")
    func meanwhile() async throws {
        let stage = try Stage(.heartRate(name: "Strap"))
        try await stage.run {
            let app = stage.central()
            _ = try await app.visit("Strap")
            async let end: Void = stage.adapter.shutDown()
            async let sameEnd: Void = stage.adapter.shutDown()
            while stage.adapter.usage.running != nil { await Task.yield() }

            let next = stage.central()
            #expect(next.manager.state == .unknown)
            #expect(next.manager.adapter == nil)
            let gone = stage.central()
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
        let stage = try Stage(.heartRate(name: "Strap"))
        try await stage.run {
            let app = stage.central()
            _ = try await app.visit("Strap")
            await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        await stage.adapter.shutDown()
                        await app.journal.wait(for: "state unsupported")
                    }
                }
            }
            await stage.adapter.shutDown()
            #expect(app.journal.lines.count { $0 == "state unsupported" } == 1)
        }
    }

    @Test("The adapter's settings are kept")
    func switches() async throws {
        let stage = try Stage()
        try await stage.run {
            let app = stage.central()
            await app.journal.wait(for: "state poweredOn")
            stage.adapter.isPoweredOn = false
            await app.journal.wait(for: "state poweredOff")
            await stage.adapter.shutDown()
            let next = stage.central()
            await next.journal.wait(for: "state poweredOff")
            #expect(!stage.adapter.isPoweredOn)
        }
    }

    @Test("The adapter can be used in a log line's observer while it is opened")
    func saidWhileOpening() async {
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
        adapter.pairingDelegate = Farewell {
            let isOn = adapter.isPoweredOn
            asked.withLock { $0 = isOn }
        }
        adapter.pairingDelegate = nil
        #expect(asked.withLock { $0 })
    }
}

/// A pairing delegate that calls a closure in deinit.
private final class Farewell: PairingDelegate {
    private let farewell: @Sendable () -> Void

    init(_ farewell: @escaping @Sendable () -> Void) { self.farewell = farewell }

    deinit { farewell() }

    func consents(to pairing: PairingRequest) async -> Bool { false }
}
