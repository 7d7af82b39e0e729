// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BusTestSupport
import DBus
import HCITransports
import Synchronization

@testable import BlueZAdapter

/// An adapter that uses a fake daemon, with the adapter's events.
final class Fixture: PortObserver, Sendable {
    let daemon: FakeDaemon
    let adapter: BlueZAdapter
    private let events: AsyncStream<PortEvent>
    private let continuation: AsyncStream<PortEvent>.Continuation
    private let reaction = Mutex<(@Sendable (PortEvent) -> Void)?>(nil)

    init(
        _ daemon: FakeDaemon,
        adapterName: String? = nil,
        store: (any HostStore)? = nil,
        pairingDelegate: (any DaemonPairingDelegate)? = nil,
        executor: AdapterExecutor = AdapterExecutor()
    ) {
        self.daemon = daemon
        adapter = BlueZAdapter(
            bus: daemon.bus.address,
            adapterName: adapterName,
            store: store,
            pairingDelegate: pairingDelegate,
            executor: executor
        )
        (events, continuation) = AsyncStream.makeStream()
        adapter.thread.perform { [self] in
            adapter.attach(self)
            adapter.open()
        }
    }

    func portDid(_ event: PortEvent) {
        continuation.yield(event)
        reaction.withLock { $0 }?(event)
    }

    /// Sets the closure that is called with each event in the port's turn.
    func react(_ reaction: @escaping @Sendable (PortEvent) -> Void) {
        self.reaction.withLock { $0 = reaction }
    }

    func end() async {
        await adapter.shutDown()
        daemon.bus.stop()
    }

    /// Returns the first value that a closure finds in the next events.
    func next<Value: Sendable>(_ find: (PortEvent) -> Value?) async -> Value? {
        for await event in events {
            if let value = find(event) { return value }
        }
        return nil
    }

    func becomes(_ state: PortState) async {
        _ = await next { event -> Bool? in
            if case .stateChanged(state) = event { true } else { nil }
        }
    }

    /// Calls the port on its executor.
    func onPort<Value: Sendable>(_ body: @escaping @Sendable (BlueZAdapter) -> Value) async -> Value
    {
        let adapter = adapter
        return await withCheckedContinuation { done in
            adapter.thread.perform { done.resume(returning: body(adapter)) }
        }
    }

    static let sensor = DeviceAddress(value: 0xC4F0_0000_0001, kind: .random)

    /// Requests a connection to the sensor.
    func connect(
        pairs: Bool = false,
        _ failed: @escaping @Sendable (PortError) -> Void = { _ in }
    ) async -> RequestIdentifier {
        await onPort { port in
            port.connect(to: port.identifier(of: Fixture.sensor), pairs: pairs, failed: failed)
        }
    }

    /// Returns the link of the next `linkOpened`.
    func link() async -> LinkIdentifier? {
        await next { event -> LinkIdentifier? in
            if case .linkOpened(let link, _, _) = event { link } else { nil }
        }
    }

    /// Returns the reason in the next `linkClosed`.
    func closed() async -> PortError? {
        await next { event -> PortError? in
            if case .linkClosed(_, let error) = event { error } else { nil }
        }
    }

    /// Returns the bytes of the next notification.
    func notification() async -> [UInt8]? {
        await next { event -> [UInt8]? in
            if case .notified(_, _, let value) = event { Array(value) } else { nil }
        }
    }

    /// Makes a request of a link, and returns its result.
    func perform(_ request: PortRequest, on link: LinkIdentifier) async throws -> PortAnswer {
        let adapter = adapter
        let result: Result<PortAnswer, any Error> = await withCheckedContinuation { done in
            adapter.thread.perform {
                adapter.begin(request, on: link) { done.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    /// Connects, and reads the database.
    func connected() async throws -> (LinkIdentifier, GATT.Database) {
        await becomes(.ready)
        _ = await connect()
        guard let link = await link(),
            case .database(let database) = try await perform(.database, on: link)
        else { throw PortError.unanswered }
        return (link, database)
    }

    /// Runs an operation of a link.
    func perform(_ operation: GATT.Operation, on link: LinkIdentifier) async throws -> GATT.Outcome
    {
        guard case .gatt(let outcome) = try await perform(.gatt(operation), on: link) else {
            throw PortError.unanswered
        }
        return outcome
    }
}
