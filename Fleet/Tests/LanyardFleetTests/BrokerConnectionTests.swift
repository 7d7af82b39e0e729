// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LanyardFleet

@Suite("The connection to a broker", .timeLimit(.minutes(2)))
struct BrokerConnectionTests {
    /// A successful CONNACK (MQTT 5, 3.2).
    private static let connected: [UInt8] = [0x20, 3, 0, 0, 0]

    private func options(_ broker: RawBroker) -> BrokerOptions {
        BrokerOptions(
            host: "127.0.0.1",
            port: broker.port,
            client: "lanyard-fleet-hall",
            will: ("lanyard/hosts/hall/status", "{}")
        )
    }

    @Test("stop() returns after its time limit if the thread is blocked")
    func blocked() throws {
        let broker = try RawBroker()
        let (isBlocked, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let connection = try BrokerConnection(options(broker)) { event in
            guard case .connected = event else { return }
            isBlocked.signal()
            release.wait()
        }
        connection.start()
        let accepted = try broker.nextConnection()
        #expect(try accepted.packet() == 0x10)  // CONNECT
        accepted.write(Self.connected)
        isBlocked.wait()
        #expect(!connection.stop())
        release.signal()
        while try accepted.packet() != nil {}
    }

    @Test(
        "If the broker ends a connection, only its reason is reported",
        arguments: [
            ([0x20, 3, 0, 0x87, 0], "The broker refused the connection: Not authorized"),
            (
                Self.connected + [0xE0, 2, 0x8E, 0],
                "Another client connected as lanyard-fleet-hall. Give each host a name of its own"
            ),
            (
                Self.connected + [0xE0, 2, 0x8B, 0],
                "The broker ended the connection: Server shutting down"
            ),
        ] as [([UInt8], String)]
    )
    func reasons(_ bytes: [UInt8], _ reason: String) async throws {
        let broker = try RawBroker()
        let (events, feed) = AsyncStream.makeStream(of: BrokerEvent.self)
        let connection = try BrokerConnection(options(broker)) { feed.yield($0) }
        connection.start()
        let accepted = try broker.nextConnection()
        #expect(try accepted.packet() == 0x10)  // CONNECT
        accepted.write(bytes)
        while try accepted.packet() != nil {}
        var reasons: [String] = []
        for await case .disconnected(let reason) in events {
            reasons.append(reason)
            break
        }
        #expect(reasons == [reason])
        #expect(connection.stop())
    }

    @Test("The refusal of a subscription is reported")
    func subscription() async throws {
        let broker = try RawBroker()
        let (events, feed) = AsyncStream.makeStream(of: BrokerEvent.self)
        let connection = try BrokerConnection(options(broker)) { feed.yield($0) }
        connection.start()
        let accepted = try broker.nextConnection()
        #expect(try accepted.packet() == 0x10)  // CONNECT
        accepted.write(Self.connected)
        var reasons: [String] = []
        for await event in events {
            switch event {
            case .connected:
                connection.subscribe(["lanyard/leases/strap"])
                #expect(try accepted.packet() == 0x82)  // SUBSCRIBE
                accepted.write([0x90, 4, 0, 1, 0, 0x87])  // SUBACK
                continue
            case .subscriptionRefused(let reason): reasons.append(reason)
            default: Issue.record("\(event)")
            }
            break
        }
        #expect(reasons == ["Not authorized"])
        #expect(connection.stop())
    }
}
