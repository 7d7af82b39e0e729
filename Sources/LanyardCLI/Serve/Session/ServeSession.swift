// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Synchronization

/// An accessory that is served: it publishes and advertises services, answers clients, and changes
/// values by time and by typed commands.
final class ServeSession: Sendable {
    /// The options and effects of a session.
    struct Environment: Sendable {
        /// Reports an event. Throws if the output is closed.
        var report: @Sendable (ServeEvent) throws -> Void
        /// Prints a remark about a typed command.
        var remark: @Sendable (String) -> Void = { _ in }
        /// Waits.
        var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// The pairing of clients; `nil` if they cannot pair.
        var pairing: Pairing?
        /// The typed lines; `nil` for none.
        var commands: AsyncStream<String>?
        /// Whether the session ends at the end of the typed lines.
        var endsWithCommands = false
        /// Whether each value that is sent is reported.
        var isVerbose = false
    }

    /// The pairing of clients.
    struct Pairing: Equatable, Sendable {
        /// The duration of a pairing window; `nil` for as long as the session runs.
        var window: Duration?
    }

    struct State {
        var values = ServedValues()
        var queues: [LinkIdentifier: SendQueue] = [:]
        var isAuthorizing = false
    }

    let accessory: ServedAccessory
    let environment: Environment
    let state = Mutex(State())

    init(_ accessory: ServedAccessory, _ environment: Environment) {
        self.accessory = accessory
        self.environment = environment
    }

    /// Serves until the task is canceled, the typed commands end the session, or an error occurs.
    func run(on adapter: some PeripheralAdapter) async throws {
        let published = try await publish(on: adapter)
        let events = try await adapter.servingEvents()
        let bonds = await adapter.bondEvents()
        let set = try await adapter.startAdvertising(accessory.hostAdvertising)
        try environment.report(
            .ready(
                name: accessory.advertisedName ?? accessory.name,
                address: try await adapter.servedAddress,
                services: published.services.count,
                characteristics: published.services.reduce(0) { $0 + $1.characteristics.count }
            )
        )
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.serve(events, on: adapter, published) }
            group.addTask { try await self.keepTime(on: adapter, published) }
            group.addTask { try await self.perform(adapter, published) }
            group.addTask { try await self.reportBonds(bonds) }
            group.addTask {
                throw ProgramFailure(
                    .adapterUnavailable,
                    "advertising ended: \(try await set.endReason())"
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        await set.stop()
    }

    private func publish(on adapter: some PeripheralAdapter) async throws -> ServedTable {
        var published: [GATT.DiscoveredService] = []
        for service in accessory.services {
            do {
                published.append(try await adapter.publish(service.definition))
            } catch let error as GATT.DefinitionError {
                throw ProgramFailure(.badData, "\(service.definition.uuid): \(error.problem)")
            }
        }
        let pairs = Array(zip(accessory.services, published))
        let values = ServedValues(pairs)
        state.withLock { $0.values = values }
        return ServedTable(pairs, table: await adapter.attributeTypes)
    }
}
