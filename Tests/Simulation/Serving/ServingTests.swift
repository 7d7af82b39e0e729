// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// One of our hosts serves another through the application's interface.
@Suite("A strap that serves a phone, in virtual time")
struct ServingTests {
    @Test("Short and long values are read, written, and read again")
    func values() async throws {
        try await HostServingHarness().run { session in
            let stored = session.handle(.stored)
            let before = try await session.toStrap.readLong(stored)
            #expect(before == [UInt8](repeating: 5, count: 300))
            let long = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
            try await session.toStrap.write(long, to: stored)
            #expect(await session.strap.value(of: stored) == long)
            #expect(try await session.toStrap.readLong(stored) == long)
            try await session.strap.setValue([7], of: stored)
            #expect(try await session.toStrap.read(stored) == [7])
        }
    }

    @Test("An application answers requests later and from another task")
    func questions() async throws {
        let harness = try HostServingHarness()
        try await harness.run { session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let events = try await session.strap.serverEvents()
                group.addTask { try await Self.answer(events, on: harness) }
                let asked = session.handle(.asked)
                #expect(try await session.toStrap.readLong(asked) == Self.value)
                try await session.toStrap.write([1], to: asked)
                await #expect(
                    throws: GATT.Failure.attribute(.valueNotAllowed, handle: asked)
                ) { try await session.toStrap.write([2], to: asked) }
                try await session.toStrap.writeWithoutResponse([3], to: asked)
                #expect(try await session.toStrap.readLong(asked) == Self.value)
                group.cancelAll()
            }
        }
    }

    private static let value = (0..<400).map { UInt8(truncatingIfNeeded: $0) }

    private static func answer(
        _ events: ServerEventStream,
        on harness: HostServingHarness
    ) async throws {
        for await event in events {
            switch event {
            case .read(let request):
                try await harness.air.sleep(for: .seconds(2))
                request.respond(with: Array(value.dropFirst(request.offset)))
                request.refuse(.unlikelyError)
            case .write(let request) where request.needsResponse:
                request.entries[0].value == [1]
                    ? request.accept() : request.refuse(.valueNotAllowed)
            default: continue
            }
        }
    }

    @Test("Requests without a reader are refused, and only one reader is allowed")
    func readers() async throws {
        try await HostServingHarness().run { session in
            let asked = session.handle(.asked)
            let refusal = GATT.Failure.attribute(.unlikelyError, handle: asked)
            await #expect(throws: refusal) { try await session.toStrap.read(asked) }
            do {
                let events = try await session.strap.serverEvents()
                await #expect(throws: HostError.busy) { try await session.strap.serverEvents() }
                for await event in events {
                    guard case .connected(let link) = event else { continue }
                    #expect(link == session.toPhone)
                    break
                }
            }
            // The stream has ended. The next one is available as soon as the host has noticed.
            while (try? await session.strap.serverEvents()) == nil { await Task.yield() }
        }
    }

    @Test(
        "A request is refused soon after the application drops it or the stream that holds it",
        arguments: [true, false]
    )
    func dropped(isRead: Bool) async throws {
        let harness = try HostServingHarness()
        try await harness.run { session in
            let asked = session.handle(.asked)
            let start = harness.air.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await Self.leave(session.strap, reading: isRead, on: harness) }
                try await harness.air.sleep(for: .seconds(1))
                let refusal = GATT.Failure.attribute(.unlikelyError, handle: asked)
                await #expect(throws: refusal) { try await session.toStrap.read(asked) }
                try await group.waitForAll()
            }
            let least = Duration.seconds(isRead ? 1 : 2)
            #expect((least ... .seconds(5)).contains(harness.air.now - start))
        }
    }

    /// Receives events until a read request, and returns without an answer. If `reading` is
    /// `false`, holds the stream of events for two seconds without receiving any.
    private static func leave(
        _ host: BluetoothHost,
        reading: Bool,
        on harness: HostServingHarness
    ) async throws {
        let events = try await host.serverEvents()
        guard reading else {
            try await harness.air.sleep(for: .seconds(2))
            return withExtendedLifetime(events) {}
        }
        for await event in events {
            if case .read = event { return }
        }
    }

    @Test("Notifications arrive in order, without loss")
    func notifications() async throws {
        try await HostServingHarness().run { session in
            let values = try await session.toStrap.subscribe(to: try await session.find(.stored))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<500 {
                        try await session.toPhone.notify(
                            [UInt8(number & 0xFF), UInt8(number >> 8)],
                            of: session.handle(.stored)
                        )
                    }
                }
                var expected = 0
                for try await value in values {
                    #expect(value == [UInt8(expected & 0xFF), UInt8(expected >> 8)])
                    expected += 1
                    if expected == 500 { break }
                }
                try await group.waitForAll()
            }
            let subscribers = await session.strap.subscribers(of: session.handle(.stored))
            #expect(subscribers == [session.toPhone] || subscribers.isEmpty)
        }
    }

    @Test("The server reports when there is no room, and when there is room again")
    func withoutWaiting() async throws {
        try await HostServingHarness().run { session in
            let values = try await session.toStrap.subscribe(to: try await session.find(.stored))
            let events = try await session.strap.serverEvents()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await Self.send(1_000, session, events) }
                var count = 0
                for try await value in values {
                    #expect(value == [UInt8(truncatingIfNeeded: count)])
                    count += 1
                    if count == 1_000 { break }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func send(
        _ count: Int,
        _ session: Session,
        _ events: ServerEventStream
    ) async throws {
        var (next, refusals) = (0, 0)
        func sendOn() async throws {
            while next < count {
                let value = [UInt8(truncatingIfNeeded: next)]
                guard try await session.toPhone.tryNotify(value, of: session.handle(.stored)) else {
                    refusals += 1
                    return
                }
                next += 1
            }
        }
        try await sendOn()
        for await event in events {
            if case .readyToNotify = event { try await sendOn() }
            if next == count { break }
        }
        #expect(refusals > 1, "the server reports a full queue")
    }

    @Test("Indications are confirmed one by one")
    func indications() async throws {
        try await HostServingHarness().run { session in
            let values = try await session.toStrap.subscribe(to: try await session.find(.indicated))
            for number in UInt8(0)..<20 {
                try await session.toPhone.notify([number], of: session.handle(.indicated))
            }
            var expected: UInt8 = 0
            for try await value in values {
                #expect(value == [expected])
                expected += 1
                if expected == 20 { break }
            }
            await #expect(throws: HostError.notSubscribed) {
                try await session.toPhone.notify([1], of: session.handle(.stored))
            }
        }
    }

    @Test("The central of a link can be a server")
    func otherRole() async throws {
        try await HostServingHarness().run { session in
            let service = try await session.phone.publish(Strap.definition)
            let handle = service.characteristics[0].valueHandle
            let value = try await session.toPhone.readLong(handle)
            #expect(value == [UInt8](repeating: 5, count: 300))
        }
    }

    @Test("A link lost during a call is reported, and later notifications fail", arguments: 0..<4)
    func linkLoss(_ step: Int) async throws {
        let harness = try HostServingHarness()
        try await harness.run { session in
            let events = try await session.strap.serverEvents()
            let values = try await session.toStrap.subscribe(to: try await session.find(.stored))
            _ = try await session.toStrap.subscribe(to: try await session.find(.indicated))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await Self.begin(step, session) }
                try await harness.air.sleep(for: .milliseconds(100))
                harness.air.world.move(harness.phoneController, to: Position(x: 5_000, y: 0))
                for await event in events {
                    guard case .disconnected(let link, let reason) = event else { continue }
                    #expect(link == session.toPhone)
                    #expect(reason == .disconnected(.connectionTimeout))
                    break
                }
                await #expect(throws: HostError.disconnected(.connectionTimeout)) {
                    try await session.toPhone.notify([1], of: session.handle(.stored))
                }
                #expect(await session.strap.subscribers(of: session.handle(.stored)).isEmpty)
                group.cancelAll()
            }
            _ = values
        }
    }

    /// Starts a procedure that the end of the link interrupts.
    private static func begin(_ step: Int, _ session: Session) async throws {
        switch step {
        case 0:
            while true { try await session.toPhone.notify([1], of: session.handle(.stored)) }
        case 1:
            while true { try await session.toPhone.notify([1], of: session.handle(.indicated)) }
        case 2: _ = try await session.toStrap.read(session.handle(.asked))
        default:
            let long = [UInt8](repeating: 1, count: 512)
            while true { try await session.toStrap.write(long, to: session.handle(.stored)) }
        }
    }
}
