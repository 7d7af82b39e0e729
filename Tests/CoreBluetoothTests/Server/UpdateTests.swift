// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Values for subscribers")
struct UpdateTests {
    @Test(
        "11.1, 10.1 The list of subscribers changes before the delegate is called"
    )
    func subscribers() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let notified = try #require(characteristics[SampleService.notified])
        #expect(notified.subscribedCentrals == nil)
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            try await fixture.client { client in
                let found = try await client.find(SampleService.notified)
                let values = try await client.link.subscribe(to: found)
                await app.journal.wait(for: "subscribed A003 1")
                #expect(notified.subscribedCentrals?.count == 1)
                #expect(notified.subscribedCentrals?.first === app.centrals.first)
                withExtendedLifetime(values) {}
            }
            // The list is the same whether the central unsubscribed or left without unsubscribing.
            await app.journal.wait(for: "unsubscribed A003 nil")
            #expect(notified.subscribedCentrals == nil)
        }
    }

    @Test("11.3, 11.4 A value reaches the subscribers, truncated to the length that fits")
    func notifies() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let notified = try #require(characteristics[SampleService.notified])
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            try await fixture.client(configure: { $0.attMTU = 50 }) { client in
                let found = try await client.find(SampleService.notified)
                var values = try await client.link.subscribe(to: found).makeAsyncIterator()
                await app.journal.wait(for: "subscribed")
                #expect(app.centrals.first?.maximumUpdateValueLength == 47)
                let long = Data((0..<60).map { UInt8($0) })
                #expect(app.manager.updateValue(long, for: notified, onSubscribedCentrals: nil))
                #expect(try await values.next() == [UInt8](long.prefix(47)))
            }
        }
    }

    @Test("11.4 The length grows when the central negotiates a larger MTU")
    func length() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer { $0.manager.respond(to: $1[0], withResult: .success) }
            try await fixture.client(configure: { $0.attMTU = 100 }) { client in
                _ = try await client.link.read(try await client.find(SampleService.dynamic))
                #expect(app.centrals.first?.maximumUpdateValueLength == 97)
            }
        }
    }

    @Test("11.3 A value goes only to the given centrals that subscribed")
    func subset() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let notified = try #require(characteristics[SampleService.notified])
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            app.answer { $0.manager.respond(to: $1[0], withResult: .success) }
            try await fixture.client(number: 0xF1) { first in
                var values = try await first.link.subscribe(to: first.find(SampleService.notified))
                    .makeAsyncIterator()
                await app.journal.wait(for: "subscribed A003 1")
                try await fixture.client(number: 0xF2) { second in
                    _ = try await second.link.read(second.find(SampleService.dynamic))
                    let unsubscribed = try #require(app.centrals.last)
                    #expect(app.centrals.count == 2)
                    let manager = try #require(app.manager)
                    #expect(
                        manager.updateValue(
                            Data([1]),
                            for: notified,
                            onSubscribedCentrals: [unsubscribed]
                        )
                    )
                    #expect(
                        manager.updateValue(
                            Data([2]),
                            for: notified,
                            onSubscribedCentrals: app.centrals
                        )
                    )
                    #expect(try await values.next() == [2])
                }
            }
        }
    }

    @Test("11.5 Sending a value without subscribers succeeds")
    func withoutSubscribers() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let notified = try #require(characteristics[SampleService.notified])
        try await Fixture().serve([service]) { app in
            for _ in 0..<PendingUpdateCount.limit * 2 {
                #expect(
                    app.manager.updateValue(Data([1]), for: notified, onSubscribedCentrals: nil)
                )
            }
            #expect(!app.journal.lines.contains("ready"))
        }
    }

    @Test("11.6 A sent value does not become the answer to reads")
    func reads() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let notified = try #require(characteristics[SampleService.notified])
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            app.answer { app, requests in
                requests[0].value = Data([0xAA])
                app.manager.respond(to: requests[0], withResult: .success)
            }
            try await fixture.client { client in
                let found = try await client.find(SampleService.notified)
                var values = try await client.link.subscribe(to: found).makeAsyncIterator()
                await app.journal.wait(for: "subscribed")
                _ = app.manager.updateValue(Data([1]), for: notified, onSubscribedCentrals: nil)
                #expect(try await values.next() == [1])
                #expect(try await client.link.read(found) == [0xAA])
                #expect(notified.value == nil)
            }
        }
    }

    @Test(
        "11.2 A full queue refuses values, reports space once, and loses or repeats none"
    )
    func backPressure() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let notified = try #require(characteristics[SampleService.notified])
        let fixture = try Fixture()
        let sender = Sender(upTo: 200)
        try await fixture.serve([service]) { app in
            app.react { line, app in
                guard line == "ready" || line.hasPrefix("subscribed") else { return }
                sender.send(notified, by: app)
            }
            try await fixture.client { client in
                let found = try await client.find(SampleService.notified)
                var values = try await client.link.subscribe(to: found).makeAsyncIterator()
                for number in 0..<200 {
                    #expect(try await values.next() == [UInt8(number)])
                }
            }
            let readyCount = app.journal.lines.count { $0 == "ready" }
            #expect(readyCount == sender.refusalCount && readyCount > 0)
        }
    }

    @Test("11.2 Indications that the queue accepts at once arrive in order")
    func indications() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let indicated = try #require(characteristics[SampleService.indicated])
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            try await fixture.client { client in
                let found = try await client.find(SampleService.indicated)
                var values = try await client.link.subscribe(to: found).makeAsyncIterator()
                await app.journal.wait(for: "subscribed A004 1")
                for number in 0..<UInt8(5) {
                    let isTaken = app.manager.updateValue(
                        Data([number]),
                        for: indicated,
                        onSubscribedCentrals: nil
                    )
                    #expect(isTaken)
                }
                for number in 0..<UInt8(5) { #expect(try await values.next() == [number]) }
            }
        }
    }

    @Test("11.2 A lost link frees the space of its values")
    func lostLink() async throws {
        let (service, characteristics) = SampleService.make()
        nonisolated(unsafe) let indicated = try #require(characteristics[SampleService.indicated])
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            try await fixture.client { client in
                let found = try await client.find(SampleService.indicated)
                let values = try await client.link.subscribe(to: found)
                await app.journal.wait(for: "subscribed")
                var count = 0
                while app.manager.updateValue(
                    Data([1]),
                    for: indicated,
                    onSubscribedCentrals: nil
                ) { count += 1 }
                #expect(count >= PendingUpdateCount.limit)
                try await client.link.disconnect()
                withExtendedLifetime(values) {}
            }
            await app.journal.wait(for: "ready")
            #expect(app.manager.updates.current.count == 0)
        }
    }

    @Test("11.7 A desired latency changes the connection interval")
    func latency() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            app.answer { $0.manager.respond(to: $1[0], withResult: .success) }
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                _ = try await client.link.read(dynamic)
                let central = try #require(app.centrals.first)
                app.manager.setDesiredConnectionLatency(.high, for: central)
                for _ in 0..<20 { _ = try await client.link.read(dynamic) }
                let slow = try await client.link.properties.parameters.interval
                #expect(slow >= .milliseconds(300))
                app.manager.setDesiredConnectionLatency(.low, for: central)
                for _ in 0..<20 { _ = try await client.link.read(dynamic) }
                let fast = try await client.link.properties.parameters.interval
                #expect(fast <= .milliseconds(30))
            }
        }
    }
}

/// A sender of numbers while there is space.
///
/// Unchecked: used on the manager's queue, and read when all is done.
private final class Sender: @unchecked Sendable {
    private let end: Int
    private var next = 0
    private(set) var refusalCount = 0

    init(upTo end: Int) { self.end = end }

    func send(_ characteristic: CBMutableCharacteristic, by app: PeripheralRecorder) {
        while next < end {
            let value = Data([UInt8(next)])
            guard app.manager.updateValue(value, for: characteristic, onSubscribedCentrals: nil)
            else {
                refusalCount += 1
                return
            }
            next += 1
        }
    }
}
