// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("The façade on a port without a controller")
struct MemoryPortTests {
    private func run(
        _ body: @escaping @Sendable (Fixture, CBAdapter) async throws -> Void
    ) async throws {
        try await run({ MemoryPort(executor: $0) }) { fixture, adapter, _ in
            try await body(fixture, adapter)
        }
    }

    private func run(
        _ port: (any HostExecutor) -> MemoryPort,
        _ body: @escaping @Sendable (Fixture, CBAdapter, MemoryPort) async throws -> Void
    ) async throws {
        let fixture = try Fixture()
        let port = port(fixture.air.executor)
        let usage = AdapterUsage("memory", defaultName: { "Memory" }) { _ in OpenedPort(port) }
        let adapter = CBAdapter(usage)
        try await fixture.run {
            try await body(fixture, adapter, port)
            await adapter.shutDown()
        }
    }

    @Test("A central discovers, connects, reads, and gets notifications")
    func central() async throws {
        try await run { fixture, adapter in
            let phone = fixture.central(on: adapter)
            let peripheral = try await phone.connectedPeripheral(MemoryPort.name)
            await phone.explore(peripheral)
            let temperature = try peripheral.characteristic("2A6E")
            peripheral.readValue(for: temperature)
            await phone.journal.wait(for: "value 2A6E 15 ok")
            peripheral.setNotifyValue(true, for: temperature)
            await phone.journal.wait(for: "value 2A6E 16 ok")
            #expect(temperature.isNotifying)
            phone.manager.cancelPeripheralConnection(peripheral)
            await phone.journal.wait(for: "disconnected \(MemoryPort.name) ok")
            #expect(phone.manager.adapter?.facts.withLock { $0.capabilities } == [])
        }
    }

    @Test("Services, advertising and channels fail, because the port does not declare them")
    func unsupported() async throws {
        try await run { fixture, adapter in
            let app = fixture.peripheral(on: adapter)
            await app.journal.wait(for: "state poweredOn")
            let (service, _) = SampleService.make()
            app.manager.add(service)
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Shop"])
            app.manager.publishL2CAPChannel(withEncryption: false)
            await app.journal.wait(for: "published")
            await app.journal.wait(for: "advertising")
            let code = CBError.Code.operationNotSupported.rawValue
            #expect(app.journal.lines.contains("published 0 CBError \(code)"))
            #expect(
                app.journal.lines.contains { $0.hasPrefix("added") && $0.hasSuffix(" \(code)") }
            )
            #expect(app.journal.lines.contains { $0.hasPrefix("advertising CBError") })
        }
    }

    @Test("13.3 A restored peer whose link ends during the comparison is connected again")
    func lostComparison() async throws {
        let key = RestorationKey(role: .central, identifier: "app")
        let table = RemoteTable(
            services: (MemoryPort.database?.services ?? []).map { found in
                .init(
                    origin: found.service,
                    characteristics: found.characteristics.map { .init(origin: $0.characteristic) }
                )
            }
        )
        let intents = CentralIntents(
            peers: [.init(identifier: MemoryPort.peer, name: MemoryPort.name, table: table)]
        )
        let record = RestorationRecord.encode(intents, of: key.identifier)
        try await run({
            MemoryPort(executor: $0, records: [key.recordName: record], lostLinkCount: 1)
        }) { fixture, adapter, _ in
            let phone = fixture.central(on: adapter, options: Fixture.appOptions)
            await phone.journal.wait(for: "connected")
            try await fixture.air.sleep(for: .seconds(1))
            #expect(
                phone.journal.lines == [
                    "restored kCBRestoredPeripherals", "state poweredOn",
                    "connected \(MemoryPort.name)",
                ]
            )
        }
    }

    @Test("An app can advertise again if its advertising does not continue after Bluetooth was off")
    func failedContinuation() async throws {
        try await run({
            MemoryPort(
                executor: $0,
                advertisingResults: [.success(()), .failure(.refused(.unknown))]
            )
        }) { fixture, adapter, port in
            let app = fixture.peripheral(on: adapter)
            await app.journal.wait(for: "state poweredOn")
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Shop"])
            await app.journal.wait(for: "advertising ok")
            port.change(to: .unavailable)
            port.change(to: .ready)
            await app.journal.wait(for: "state poweredOn", count: 2)
            try await fixture.air.sleep(for: .seconds(1))
            #expect(!app.manager.isAdvertising)
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Shop"])
            await app.journal.wait(for: "advertising", count: 2)
            #expect(app.journal.lines.last == "advertising ok")
        }
    }

    @Test("If advertising does not continue, a manager that starts then does not keep the set")
    func failedContinuationWithSecondManager() async throws {
        try await run({
            MemoryPort(
                executor: $0,
                advertisingResults: [.success(()), .failure(.refused(.unknown))]
            )
        }) { fixture, adapter, port in
            let app = fixture.peripheral(on: adapter)
            let second = fixture.peripheral(on: adapter)
            await app.journal.wait(for: "state poweredOn")
            await second.journal.wait(for: "state poweredOn")
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Shop"])
            await app.journal.wait(for: "advertising ok")
            let shared = try #require(app.manager.adapter)
            let session = second.manager.session
            // The second manager starts before the port has answered the continuation.
            shared.execute { shared in
                shared.portDid(.stateChanged(.unavailable))
                shared.portDid(.stateChanged(.ready))
                shared.startAdvertising(
                    AdvertisementRequest(localName: "Cafe"),
                    stopCount: 0,
                    isCurrent: true,
                    for: session
                )
            }
            await app.journal.wait(for: "state poweredOn", count: 2)
            try await fixture.air.sleep(for: .seconds(1))
            #expect(!app.manager.isAdvertising)
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Shop"])
            await app.journal.wait(for: "advertising", count: 2)
            #expect(app.journal.lines.last == "advertising ok")
        }
    }

    @Test("An app can add a service again that the port refused after it was added")
    func refusedService() async throws {
        try await run({ MemoryPort(executor: $0, isServer: true) }) { fixture, adapter, port in
            let app = fixture.peripheral(on: adapter)
            await app.journal.wait(for: "state poweredOn")
            let (service, _) = SampleService.make()
            app.manager.add(service)
            await app.journal.wait(for: "added")
            #expect(port.services.count == 1)
            try port.refuseServices()
            #expect(port.services.isEmpty)
            app.manager.add(service)
            await app.journal.wait(for: "added", count: 2)
            #expect(port.services.count == 1)
        }
    }

    @Test("A channel that opens when its listener has stopped is closed")
    func lateChannel() async throws {
        try await run({ MemoryPort(executor: $0, isServer: true) }) { fixture, adapter, port in
            let app = fixture.peripheral(on: adapter)
            await app.journal.wait(for: "state poweredOn")
            app.manager.publishL2CAPChannel(withEncryption: false)
            await app.journal.wait(for: "published")
            app.manager.unpublishL2CAPChannel(MemoryPort.psm.rawValue)
            await app.journal.wait(for: "unpublished")
            let channel = MemoryChannel(on: fixture.air.executor)
            port.accept(channel)
            try await fixture.air.sleep(for: .seconds(1))
            #expect(channel.isClosed)
        }
    }

    @Test("An answered connection request is not kept")
    func answeredRequest() async throws {
        try await run { fixture, adapter in
            let phone = fixture.central(on: adapter)
            _ = try await phone.connectedPeripheral(MemoryPort.name)
            let shared = try #require(phone.manager.adapter)
            let count = await withCheckedContinuation { done in
                shared.execute { done.resume(returning: $0.central.connectionRequests.count) }
            }
            #expect(count == 0)
        }
    }
}
