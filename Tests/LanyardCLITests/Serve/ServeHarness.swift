// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Logging
import Synchronization
import VirtualAdapters

@testable import LanyardCLI

/// A served accessory and a client on one virtual radio, in virtual time.
struct ServeHarness: Sendable {
    let air = SimulatedAir(seed: 3)
    let accessory: ServedAccessory
    let journal = Journal()

    static let server = DeviceAddress(value: 0xC4F0_0000_0001, kind: .random)
    static let client = DeviceAddress(value: 0xC4F0_0000_0002, kind: .random)

    /// The events and remarks of the session.
    final class Journal: Sendable {
        private let state = Mutex<(events: [ServeEvent], remarks: [String])>(([], []))

        var events: [ServeEvent] { state.withLock { $0.events } }
        var lines: [String] { events.map(\.line) }
        var remarks: [String] { state.withLock { $0.remarks } }

        func report(_ event: ServeEvent) { state.withLock { $0.events.append(event) } }
        func remark(_ text: String) { state.withLock { $0.remarks.append(text) } }
    }

    init(_ text: String) throws {
        accessory = try ServedAccessory(parsing: text)
    }

    /// Serves while `body` runs with a client's host and its link. The session receives each line
    /// that `body` yields to the continuation as a typed command.
    func run(
        isVerbose: Bool = false,
        _ body:
            @escaping @Sendable (
                BluetoothHost, Link, AsyncStream<String>.Continuation
            ) async throws -> Void
    ) async throws {
        let transports = try [air.addAdapter(), air.addAdapter()]
        let (commands, feed) = AsyncStream.makeStream(of: String.self)
        try await air.run(bound: .seconds(120)) {
            let identity = ServedIdentity(of: accessory, at: Self.server)
            let server = host(on: transports[0]) { identity.apply(to: &$0) }
            let client = host(on: transports[1]) { $0.address = Self.client }
            try await server.start()
            try await client.start()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await session(commands, isVerbose: isVerbose).run(on: server)
                }
                group.addTask {
                    let link = try await client.connect(to: Self.server)
                    try await body(client, link, feed)
                    try? await link.disconnect()
                    try await air.sleep(for: .seconds(1))
                }
                try await group.next()
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
            await client.shutdown()
            await server.shutdown()
        }
    }

    private func session(_ commands: AsyncStream<String>, isVerbose: Bool) -> ServeSession {
        var environment = ServeSession.Environment(report: journal.report)
        environment.remark = journal.remark
        environment.sleep = { [air] in try await air.sleep(for: $0) }
        environment.commands = commands
        environment.isVerbose = isVerbose
        return ServeSession(accessory, environment)
    }

    private func host(
        on transport: VirtualTransport,
        _ adjust: (inout HostConfiguration) -> Void
    ) -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        adjust(&configuration)
        return BluetoothHost(
            transport: transport,
            configuration: configuration,
            executor: air.executor
        )
    }
}

extension Link {
    /// Returns the first characteristic with this UUID that discovery finds.
    func find(_ uuid: UInt16) async throws -> GATT.Characteristic {
        for service in try await discoverServices() {
            let found = try await discoverCharacteristics(of: service, uuid: BluetoothUUID(uuid))
            if let characteristic = found.first { return characteristic }
        }
        throw HostError.malformedAnswer
    }
}
