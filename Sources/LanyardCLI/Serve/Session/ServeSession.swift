// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// An accessory that is served: its services are published and advertised, its values read and
/// written by clients, moved by time, and changed by a person.
final class ServeSession: Sendable {
    /// How a session deals with the world.
    struct Surroundings: Sendable {
        /// Tells what happens; throws if nobody can be told any more.
        var tell: @Sendable (ServeNews) throws -> Void
        /// Says that what a person typed is wrong, or what can be typed.
        var remark: @Sendable (String) -> Void = { _ in }
        /// Lets time pass.
        var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// What a person types; nil for nothing.
        var orders: AsyncStream<String>?
        /// Whether the session ends when a person has nothing more to type.
        var endsWithOrders = false
        /// Whether each value that is sent is told.
        var isTalkative = false
    }

    struct State {
        var board = ValueBoard()
        var outlets: [Link: LinkOutlet] = [:]
        var isAuthorizing = false
    }

    let accessory: ServedAccessory
    let surroundings: Surroundings
    let state = Mutex(State())

    init(_ accessory: ServedAccessory, _ surroundings: Surroundings) {
        self.accessory = accessory
        self.surroundings = surroundings
    }

    /// Serves until the task is cancelled, a person says `quit`, or something fails.
    func run(on host: BluetoothHost) async throws {
        let published = try await publish(on: host)
        let events = try await host.serverEvents()
        let bonds = await host.securityEvents()
        let set = try await host.advertise(accessory.hostAdvertising)
        try surroundings.tell(
            .ready(
                name: accessory.advertisedName ?? accessory.name,
                address: await host.identityAddress,
                services: published.services.count,
                characteristics: published.services.reduce(0) { $0 + $1.characteristics.count }
            )
        )
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.serve(events, published) }
            group.addTask { try await self.keepTime(on: host, published) }
            group.addTask { try await self.obey(host, published) }
            group.addTask { try await self.tellOfBonds(bonds) }
            group.addTask {
                throw ProgramFailure(
                    .adapterUnavailable,
                    "advertising ended: \(try await set.ended())"
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        await set.stop()
    }

    private func publish(on host: BluetoothHost) async throws -> PublishedAccessory {
        var published: [GATT.PublishedService] = []
        for service in accessory.services {
            do throws(GATT.DefinitionError) {
                published.append(try await host.publish(service.definition))
            } catch {
                throw ProgramFailure(.badData, "\(service.uuid): \(error.complaint)")
            }
        }
        let pairs = Array(zip(accessory.services, published))
        let board = ValueBoard(pairs)
        state.withLock { $0.board = board }
        return PublishedAccessory(pairs, table: await host.attributeTypes)
    }
}
