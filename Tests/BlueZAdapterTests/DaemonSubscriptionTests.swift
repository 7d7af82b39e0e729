// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BusTestSupport
import DBus
import Synchronization
import Testing

@testable import BlueZAdapter

/// Requests to subscribe and to unsubscribe that follow each other without a pause.
@Suite(.timeLimit(.minutes(1))) struct DaemonSubscriptionTests {
    private static let rate = AttributeHandle(0x12)
    private static let subscribe = GATT.Operation.subscribe(
        valueHandle: rate,
        descriptor: AttributeHandle(0x13),
        .notification
    )
    private static let unsubscribe = GATT.Operation.unsubscribe(
        valueHandle: rate,
        descriptor: AttributeHandle(0x13)
    )

    /// The subscriptions of a daemon that notices the end of a socket only before it answers `Get`.
    private final class Sockets: Sendable {
        private let state = Mutex<(free: [PacketPair], acquired: PacketPair?)>(([], nil))

        init(_ pairs: [PacketPair], of daemon: FakeDaemon) {
            state.withLock { $0.free = pairs }
            daemon.on("AcquireNotify") { [self] call, daemon in
                let pair = state.withLock { state -> PacketPair? in
                    guard state.acquired == nil, !state.free.isEmpty else { return nil }
                    state.acquired = state.free.removeFirst()
                    return state.acquired
                }
                guard let pair else { return Self.refuse(call, daemon) }
                daemon.bus.reply(to: call, [.unixFD(0), .uint16(80)], descriptors: pair.passed)
                pair.releasePassed()
            }
            daemon.on("StartNotify") { call, daemon in Self.refuse(call, daemon) }
            daemon.on("Get") { [self] call, daemon in
                state.withLock { state in
                    if state.acquired?.receive()?.isEmpty == true { state.acquired = nil }
                }
                daemon.bus.reply(to: call, [.variant(.boolean(false))])
            }
        }

        /// Refuses a call as `characteristic_acquire_notify` in BlueZ's src/gatt-client.c does.
        private static func refuse(_ call: DBusMessage, _ daemon: FakeDaemon) {
            daemon.bus.refuse(call, "org.bluez.Error.NotPermitted", "Notify acquired")
        }
    }

    @Test("A subscription that the database outdates during a pairing can be repeated")
    func outdated() async throws {
        let daemon = try FakeDaemon()
        daemon.on("AcquireNotify") { call, daemon in
            daemon.bus.refuse(call, "org.bluez.Error.NotPermitted", "Not paired")
        }
        let pairing = Mutex<DBusMessage?>(nil)
        daemon.on("Pair") { call, daemon in
            pairing.withLock { $0 = call }
            let service = FakeDaemon.services[FakeDaemon.service] ?? [:]
            daemon.add(FakeDaemon.device + "/service0020", service)
        }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        fixture.react { event in
            guard case .databaseOutdated = event else { return }
            if let call = pairing.withLock({ $0 }) { daemon.bus.reply(to: call) }
        }
        let outOfSync = GATT.Failure.attribute(.databaseOutOfSync, handle: Self.rate)
        await #expect(throws: outOfSync) {
            try await fixture.perform(Self.subscribe, on: link)
        }
        let count = await fixture.onPort { port in
            port.onThread { $0.links[link]?.subscriptions.count }
        }
        #expect(count == 0)
        await fixture.end()
    }

    /// Starts operations in one turn, and returns their results in order.
    private func perform(
        _ operations: [GATT.Operation],
        on link: LinkIdentifier,
        _ fixture: Fixture
    ) async throws -> [GATT.Outcome] {
        let (results, feed) = AsyncStream.makeStream(of: Result<PortAnswer, any Error>.self)
        await fixture.onPort { port in
            for operation in operations {
                port.begin(.gatt(operation), on: link) { feed.yield($0) }
            }
        }
        var outcomes: [GATT.Outcome] = []
        for await result in results.prefix(operations.count) {
            guard case .gatt(let outcome) = try result.get() else { throw PortError.unanswered }
            outcomes.append(outcome)
        }
        return outcomes
    }

    @Test("A new subscription waits until the daemon has ended the previous subscription")
    func again() async throws {
        let pairs = [PacketPair(), PacketPair()]
        let daemon = try FakeDaemon()
        let sockets = Sockets(pairs, of: daemon)
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        #expect(try await fixture.perform(Self.subscribe, on: link) == .done)
        let outcomes = try await perform([Self.unsubscribe, Self.subscribe], on: link, fixture)
        #expect(outcomes == [.done, .done])
        pairs[1].send([7])
        #expect(await fixture.notification() == [7])
        #expect(pairs[0].receive()?.isEmpty == true)
        withExtendedLifetime(sockets) {}
        await fixture.end()
    }

    @Test(
        "A subscription that is canceled while it starts completes, and then ends",
        arguments: [true, false]
    )
    func endedEarly(hasSocket: Bool) async throws {
        let pair = PacketPair()
        let daemon = try FakeDaemon()
        let sockets = hasSocket ? Sockets([pair], of: daemon) : nil
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        let outcomes = try await perform([Self.subscribe, Self.unsubscribe], on: link, fixture)
        #expect(outcomes == [.done, .done])
        #expect(daemon.calls.contains("StopNotify") == !hasSocket)
        if hasSocket { #expect(pair.receive()?.isEmpty == true) }
        withExtendedLifetime(sockets) {}
        await fixture.end()
    }

    @Test("The end of a subscription does not end the socket of another program")
    func otherProgram() async throws {
        let pair = PacketPair()
        let daemon = try FakeDaemon()
        let sockets = Sockets([pair], of: daemon)
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        #expect(try await fixture.perform(Self.subscribe, on: link) == .done)
        #expect(try await fixture.perform(Self.unsubscribe, on: link) == .done)
        // StopNotify could end the socket of another program. Closing the socket ends only the
        // subscription of this program.
        #expect(!daemon.calls.contains("StopNotify"))
        #expect(pair.receive()?.isEmpty == true)
        withExtendedLifetime(sockets) {}
        await fixture.end()
    }

    @Test("StopNotify is called when the link ends, so that the daemon does not subscribe again")
    func endsWithLink() async throws {
        let daemon = try FakeDaemon()
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        #expect(try await fixture.perform(Self.subscribe, on: link) == .done)
        daemon.disconnectDevice()
        await daemon.called("StopNotify")
        #expect(await fixture.closed() == .linkEnded(.unknown))
        await fixture.end()
    }

    @Test("Requests that wait for a subscription end with the link")
    func linkEnds() async throws {
        let daemon = try FakeDaemon()
        daemon.on("AcquireNotify") { _, daemon in daemon.disconnectDevice() }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        let waiting = [Self.subscribe, Self.unsubscribe, Self.subscribe]
        await #expect(throws: PortError.linkEnded(.unknown)) {
            try await perform(waiting, on: link, fixture)
        }
        #expect(await fixture.closed() == .linkEnded(.unknown))
        await fixture.end()
    }
}
