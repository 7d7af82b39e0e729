// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Named adapters")
struct NamedAdapterTests {
    @Test("Each adapter has its own store directory, and `virtual` has one only with LANYARD_STORE")
    func directories() {
        let home = ["HOME": "/home/me"]
        let tcp = AdapterStore.directory(for: "tcp:localhost:9000", environment: home)
        #expect(tcp == "/home/me/.local/state/lanyard/tcp+localhost+9000")
        #expect(AdapterStore.directory(for: "virtual", environment: home) == nil)
        #expect(AdapterStore.directory(for: "virtual:a.json", environment: home) != nil)
        let chosen = ["LANYARD_STORE": "/var/lib/me"]
        #expect(
            AdapterStore.directory(for: "virtual", environment: chosen) == "/var/lib/me/virtual"
        )
        let other = AdapterStore.directory(for: "tcp:localhost:9000", environment: chosen)
        #expect(other == "/var/lib/me/tcp+localhost+9000")
    }

    @Test("An adapter whose store is in use works without it and logs a warning")
    func locked() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let environment = ["LANYARD_STORE": directory]
        let name = "tcp:\(UUID().uuidString):1"
        let first = AdapterStore.open(for: name, environment: environment)
        #expect(first != nil)
        let lines = await Misuse.lines(about: name) {
            #expect(AdapterStore.open(for: name, environment: environment) == nil)
        }
        #expect(lines.count == 1)
        withExtendedLifetime(first) {}
    }

    @Test(
        "1.1 An adapter that does not exist is unsupported",
        arguments: ["", "nonsense", "virtual:/no"]
    )
    func missing(name: String) async {
        let phone = CentralRecorder(
            queue: DispatchQueue(label: "app"),
            options: [CBManagerOptionAdapterKey: name]
        )
        await phone.journal.wait(for: "state unsupported")
    }

    @Test("The virtual adapter has accessories in range")
    func virtual() async {
        let listener = StateListener(options: [CBManagerOptionAdapterKey: CBAdapter.virtual])
        await listener.journal.wait(for: "on")
        listener.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
        await listener.journal.wait(for: "seen")
        #expect(listener.manager.isScanning)
        listener.manager.stopScan()
    }
}
