// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import Foundation
import HCITransports
import Testing
import VirtualRadio

@testable import BluetoothClients
@testable import CoreBluetooth

/// A bonded central that goes out of range, and connects again while its former link is still open
/// here. It uses private addresses and paired on its former link, so that the controller takes it
/// for another device.
@Suite("A central with a second link")
struct ReturningCentralTests {
    /// Pairs a central that subscribes, moves it out of range, and makes it return as another
    /// controller with the same bond, which restores its subscription.
    ///
    /// - Parameters:
    ///   - silently: Runs when the central is out of range, before it returns.
    ///   - body: Runs with the new link.
    private func returning(
        to fixture: Fixture,
        _ app: PeripheralRecorder,
        silently: () throws -> Void = {},
        _ body: (Client) async throws -> Void
    ) async throws {
        let store = MemoryStore()
        let configure: (inout HostConfiguration) -> Void = {
            $0.privacy = .on
            $0.store = store
            $0.pairingDelegate = Consent()
        }
        try await fixture.host(named: "first", configure: configure) { host in
            let client = Client(host: host, link: try await host.connect(to: Fixture.phoneAddress))
            let values = try await client.link.subscribe(to: client.find(SampleService.secret))
            await app.journal.wait(for: "subscribed A006 1")
            let position = Position(x: 9_000, y: 0)
            fixture.air.world.move(try fixture.controller("first"), to: position)
            try silently()
            try await fixture.host(named: "second", configure: configure) { host in
                let link = try await host.connect(to: Fixture.phoneAddress)
                await app.journal.wait(for: "subscribed A006 1", count: 2)
                try await body(Client(host: host, link: link))
            }
            withExtendedLifetime(values) {}
        }
    }

    @Test("11.1, 11.3 The central is subscribed on its new link, whenever the former one ends")
    func subscribes() async throws {
        let (service, all) = SampleService.make()
        nonisolated(unsafe) let secret = try #require(all[SampleService.secret])
        let fixture = try Fixture()
        try await fixture.serve([service]) { [self] app in
            try await returning(to: fixture, app) { client in
                var values = try await client.link.subscribe(to: client.find(SampleService.secret))
                    .makeAsyncIterator()
                #expect(app.centrals.count == 1, "Both links belong to one central")
                for number in UInt8(0)..<20 {
                    let value = Data([number])
                    #expect(
                        app.manager.updateValue(value, for: secret, onSubscribedCentrals: nil)
                    )
                    #expect(try await values.next() == [number])
                    try await fixture.air.sleep(for: .seconds(1))
                }
                #expect(
                    app.journal.lines.filter { $0.contains("subscribed") } == [
                        "subscribed A006 1", "unsubscribed A006 nil", "subscribed A006 1",
                    ]
                )
                #expect(secret.subscribedCentrals?.count == 1)
            }
            await app.journal.wait(for: "unsubscribed A006 nil", count: 2)
            #expect(secret.subscribedCentrals == nil)
        }
    }

    @Test("11.2 Values that wait on the former link take no space from those on the new one")
    func room() async throws {
        let (service, all) = SampleService.make()
        nonisolated(unsafe) let secret = try #require(all[SampleService.secret])
        let fixture = try Fixture()
        try await fixture.serve([service]) { [self] app in
            let fill = {
                while app.manager.updateValue(
                    Data([1]),
                    for: secret,
                    onSubscribedCentrals: nil
                ) {}
                #expect(app.manager.updates.current.count == PendingUpdateCount.limit)
            }
            try await returning(to: fixture, app, silently: fill) { client in
                await app.journal.wait(for: "ready")
                #expect(app.manager.updates.current.count == 0)
                var values = try await client.link.subscribe(to: client.find(SampleService.secret))
                    .makeAsyncIterator()
                #expect(app.manager.updateValue(Data([2]), for: secret, onSubscribedCentrals: nil))
                #expect(try await values.next() == [2])
            }
        }
    }

    @Test("A central manager uses the remaining link with its MTU")
    func usesWhatIsLeft() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { [self] app in
            let central = fixture.central()
            await central.journal.wait(for: "state poweredOn")
            try await returning(to: fixture, app) { _ in
                let identifier = try #require(app.centrals.first).identifier
                let peripheral = try #require(
                    central.manager.retrievePeripherals(withIdentifiers: [identifier]).first
                )
                central.manager.connect(peripheral)
                await central.journal.wait(for: "connected")
                try await fixture.air.sleep(for: .seconds(30))
                #expect(peripheral.state == .connected)
                #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) > 20)
            }
        }
    }
}
