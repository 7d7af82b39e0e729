// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

/// A central that causes events without end while the app's queue is blocked.
@Suite("A peripheral manager whose queue is busy")
struct BusyQueueTests {
    /// Runs `body` on the adapter's thread while the app's queue is blocked. Returns when
    /// the app has received all events.
    private func flood(
        _ app: PeripheralRecorder,
        _ body: @escaping @Sendable (isolated SharedAdapter, LinkIdentifier) -> Void
    ) async throws {
        let adapter = try #require(app.manager.adapter)
        await withCheckedContinuation { done in
            adapter.execute { adapter in
                let executor = adapter.executor
                app.queue.suspend()
                for link in adapter.server.links.identifiers { body(adapter, link) }
                // Virtual time stops until the last event was received.
                executor.beginOutsideWork()
                app.queue.async {
                    done.resume()
                    executor.endOutsideWork()
                }
                app.queue.resume()
            }
        }
    }

    @Test("A central that subscribes again and again is disconnected")
    func subscriptions() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let notified = try #require(characteristics[SampleService.notified])
        let fixture = try Fixture()
        let limit = PeripheralManagerSession.subscriptionLimit
        try await fixture.serve([service]) { [self] app in
            try await fixture.client { client in
                let handle = try await client.find(SampleService.notified).valueHandle
                let values = try await client.link.subscribe(
                    to: client.find(SampleService.notified)
                )
                await app.journal.wait(for: "subscribed A003 1")
                app.journal.clear()
                let warnings = try await Misuse.lines(about: "centrals that subscribe are") {
                    try await flood(app) { adapter, link in
                        for _ in 0..<limit {
                            adapter.configured(handle, nil, on: link)
                            adapter.configured(handle, .notification, on: link)
                        }
                        let sessions = adapter.server.sessions.values
                        // The last subscription that was admitted may end.
                        #expect(sessions.map(\.waitingSubscriptions.current) == [limit + 1])
                    }
                }
                #expect(warnings.count == 1)
                #expect(app.journal.lines.count == limit + 1)
                #expect(app.journal.lines.last == "unsubscribed A003 nil")
                #expect(notified.subscribedCentrals == nil)
                _ = try await client.link.ended()
                withExtendedLifetime(values) {}
            }
            // The app has received the events, so a central may subscribe again.
            try await fixture.client(number: 0xF2) { client in
                let values = try await client.link.subscribe(
                    to: client.find(SampleService.notified)
                )
                await app.journal.wait(for: "subscribed A003 1", count: limit / 2 + 1)
                withExtendedLifetime(values) {}
            }
        }
    }

    @Test("Any number of changes of the maximum length is one event, with the latest length")
    func lengths() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { [self] app in
            app.answer { $0.manager.respond(to: $1[0], withResult: .success) }
            try await fixture.client { client in
                _ = try await client.link.read(try await client.find(SampleService.dynamic))
                let handle = try await client.find(SampleService.notified).valueHandle
                try await flood(app) { adapter, link in
                    for mtu in 30..<1_000 { adapter.serverMTUChanged(mtu, on: link) }
                    // This event has the length at the time of its subscription.
                    adapter.configured(handle, .notification, on: link)
                    adapter.serverMTUChanged(1_003, on: link)
                    let sessions = adapter.server.sessions.values
                    #expect(sessions.map(\.waitingLengths.current) == [1])
                }
                #expect(app.centrals.map(\.maximumUpdateValueLength) == [1_000])
                try await flood(app) { adapter, link in adapter.serverMTUChanged(103, on: link) }
                #expect(app.centrals.map(\.maximumUpdateValueLength) == [100])
            }
        }
    }

    @Test("Requests beyond the limit are refused")
    func requests() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { [self] app in
            try await fixture.client { client in
                let handle = try await client.find(SampleService.dynamic).valueHandle
                // Without a delegate, the manager discards writes without response.
                app.manager.delegate = nil
                try await flood(app) { adapter, link in
                    let client = GATTServer.ClientID(rawValue: 1)
                    let write = GATT.WriteEntry(handle: handle, value: [1])
                    let command = GATTServer.Question.write(client, [write], needsAnswer: false)
                    for _ in 0..<Delivery<PeripheralManagerEvent>.pendingLimit {
                        adapter.asked(0, command, on: link)
                    }
                    adapter.asked(1, .read(client, handle, offset: 0), on: link)
                    #expect(adapter.server.questions.count == 0)
                }
            }
        }
    }
}
