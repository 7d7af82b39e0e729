// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Testing

/// Our server sends values to subscribed Bumble clients, as fast as they accept them.
@Suite(.needsPeers) struct ServingNotificationTests {
    private static let valueCount = 1_000

    /// Returns a value that shows its position in a stream.
    private static func value(_ number: Int) -> [UInt8] {
        [UInt8(number & 0xFF), UInt8(number >> 8)] + Demo.pattern(18)
    }

    @Test(
        "A stream of notifications arrives completely and in order",
        arguments: ControllerKind.available
    )
    func notificationStream(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, link, handle) = try await subscribed(server, to: SampleValues.notified)
            for number in 0..<Self.valueCount {
                try await link.notify(Self.value(number), of: handle)
            }
            try await expectStream(client, of: handle, .notification)
        }
    }

    /// A server that does not suspend learns when there is no room for a value, and when there is
    /// room again.
    @Test(
        "The server resumes a stream when there is room again",
        arguments: ControllerKind.available
    )
    func backPressure(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, link, handle) = try await subscribed(server, to: SampleValues.notified)
            let refusalCount = try await Self.flood(link, of: handle, server)
            #expect(refusalCount > 0)
            try await expectStream(client, of: handle, .notification)
        }
    }

    /// Sends all values in bursts. A burst ends when the host has no room for another value.
    ///
    /// - Returns: The number of bursts that ended with a refused value.
    private static func flood(
        _ link: Link,
        of handle: AttributeHandle,
        _ server: Server
    ) async throws -> Int {
        var (refusalCount, sent) = (0, 0)
        while true {
            sent = try await burst(from: sent, link.identifier, of: handle, server.host)
            guard sent < valueCount else { return refusalCount }
            refusalCount += 1
            try await server.recorder.wait(for: "room") {
                if case .readyToNotify(link) = $0 { true } else { false }
            }
        }
    }

    /// Sends values without suspending, so the host processes no freed buffer meanwhile.
    ///
    /// - Returns: The number of the first value that the host refuses, or the number of all values.
    private static func burst(
        from first: Int,
        _ link: LinkIdentifier,
        of handle: AttributeHandle,
        _ host: isolated BluetoothHost
    ) throws -> Int {
        for number in first..<valueCount
        where try !host.tryNotify(value(number), of: handle, on: link) { return number }
        return valueCount
    }

    @Test("Indications arrive one after the other", arguments: ControllerKind.available)
    func indications(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, link, handle) = try await subscribed(server, to: SampleValues.indicated)
            for number in 0..<20 { try await link.notify(Self.value(number), of: handle) }
            let values = try await client.values(20, of: handle)
            #expect(values.map(\.bytes) == (0..<20).map(Self.value))
            #expect(values.allSatisfy { $0.kind == .indication })
        }
    }

    @Test(
        "An indication waits for the confirmation of the previous indication",
        arguments: ControllerKind.available
    )
    func unconfirmedIndication(
        kind: ControllerKind
    ) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, link, handle) = try await subscribed(server, to: SampleValues.indicated)
            try await client.confirms(false)
            let sent = (0..<2).map { number in
                Task { try await link.notify(Self.value(number), of: handle) }
            }
            _ = try await client.values(1, of: handle)
            // Requests are answered meanwhile.
            #expect(try await client.read(server.handle(SampleValues.short)) == Demo.pattern(20))
            #expect(try await client.perform("waiting").integer == 0)
            try await client.send([0x1E])
            _ = try await client.values(1, of: handle)
            try await client.send([0x1E])
            for task in sent { try await task.value }
        }
    }

    @Test(
        "A client with the feature receives several values in one notification",
        arguments: ControllerKind.available
    )
    func multipleValues(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, link, first) = try await subscribed(server, to: SampleValues.notified)
            let second = try server.handle(SampleValues.alsoNotified)
            try await client.subscribe(to: second)
            try await server.recorder.subscription(of: second, .notification)
            let values = [
                GATT.AttributeValue(handle: first, value: [1]),
                GATT.AttributeValue(handle: second, value: [2, 2]),
            ]
            try await link.notify(values)
            #expect(try await client.values(2).map(\.kind) == [.notification, .notification])
            // Client Supported Features, Multiple Handle Value Notifications (Vol 3, Part G, 7.2).
            let features = try await client.handle(BluetoothUUID(0x2B29))
            try await client.write([0b100], to: features)
            try await link.notify(values)
            let received = try await client.values(2)
            #expect(received.map(\.kind) == [.multiple, .multiple])
            #expect(received.map(\.bytes) == values.map(\.value))
        }
    }

    @Test("The server sends values only to subscribed clients", arguments: ControllerKind.available)
    func subscribers(kind: ControllerKind) async throws {
        try await withServer(on: kind, clientLimit: 2, serving: [SampleValues.service]) { server in
            let (client, link, handle) = try await subscribed(server, to: SampleValues.notified)
            let (other, otherLink) = try await server.client(at: 1)
            #expect(try await link.subscriptions == [handle: .notification])
            #expect(try await otherLink.subscriptions == [:])
            await #expect(throws: HostError.notSubscribed) {
                try await otherLink.notify([1], of: handle)
            }
            try await link.notify([2], of: handle)
            #expect(try await client.values(1, of: handle).map(\.bytes) == [[2]])
            try await client.unsubscribe(from: handle)
            try await server.recorder.subscription(of: handle, nil)
            await #expect(throws: HostError.notSubscribed) {
                try await link.notify([3], of: handle)
            }
            #expect(try await other.perform("waiting").integer == 0)
        }
    }

    @Test(
        "The subscription of an unbonded client ends with its link",
        arguments: ControllerKind.available
    )
    func unbondedClient(kind: ControllerKind) async throws {
        try await withServer(on: kind, serving: [SampleValues.service]) { server in
            let (client, link, handle) = try await subscribed(server, to: SampleValues.notified)
            try await client.disconnect()
            try await server.disconnection(of: link)
            let again = try await server.connect(client)
            #expect(try await again.subscriptions == [:])
            await #expect(throws: HostError.notSubscribed) {
                try await again.notify([1], of: handle)
            }
        }
    }

    private func subscribed(
        _ server: Server,
        to uuid: BluetoothUUID
    ) async throws -> (Client, Link, AttributeHandle) {
        let handle = try server.handle(uuid)
        let (client, link) = try await server.client()
        let indicates = uuid == SampleValues.indicated
        try await client.subscribe(to: handle, indicates: indicates)
        try await server.recorder.subscription(of: handle, indicates ? .indication : .notification)
        return (client, link, handle)
    }

    private func expectStream(
        _ client: Client,
        of handle: AttributeHandle,
        _ kind: Client.Value.Kind
    ) async throws {
        let values = try await client.values(Self.valueCount, of: handle)
        #expect(values.map(\.bytes) == (0..<Self.valueCount).map(Self.value))
        #expect(values.allSatisfy { $0.kind == kind })
    }
}
