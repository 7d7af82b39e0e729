// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Logging
import Synchronization
import VirtualAdapters

@testable import LanyardCLI

/// A served accessory and a client on one air, in virtual time.
struct ServeStage: Sendable {
    let air = SimulatedAir(seed: 3)
    let accessory: ServedAccessory
    let journal = Journal()

    static let server = DeviceAddress(value: 0xC4F0_0000_0001, kind: .random)
    static let client = DeviceAddress(value: 0xC4F0_0000_0002, kind: .random)

    /// What was told, and remarked.
    final class Journal: Sendable {
        private let state = Mutex<(news: [ServeNews], remarks: [String])>(([], []))

        var news: [ServeNews] { state.withLock { $0.news } }
        var lines: [String] { news.map(\.line) }
        var remarks: [String] { state.withLock { $0.remarks } }

        func tell(_ news: ServeNews) { state.withLock { $0.news.append(news) } }
        func remark(_ text: String) { state.withLock { $0.remarks.append(text) } }
    }

    init(_ text: String) throws {
        accessory = try ServedAccessory(parsing: text)
    }

    /// Serves while the body is a client, with a link to it; what it types goes to the session.
    func run(
        isTalkative: Bool = false,
        _ body:
            @escaping @Sendable (
                BluetoothHost, Link, AsyncStream<String>.Continuation
            ) async throws -> Void
    ) async throws {
        let transports = try [air.addAdapter(), air.addAdapter()]
        let (orders, feed) = AsyncStream.makeStream(of: String.self)
        try await air.run(bound: .seconds(120)) {
            let identity = HostIdentity(of: accessory, at: Self.server)
            let server = host(on: transports[0]) { identity.apply(to: &$0) }
            let client = host(on: transports[1]) { $0.address = Self.client }
            try await server.start()
            try await client.start()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await session(orders, isTalkative: isTalkative).run(on: server)
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

    private func session(_ orders: AsyncStream<String>, isTalkative: Bool) -> ServeSession {
        var surroundings = ServeSession.Surroundings(tell: journal.tell)
        surroundings.remark = journal.remark
        surroundings.sleep = { [air] in try await air.sleep(for: $0) }
        surroundings.orders = orders
        surroundings.isTalkative = isTalkative
        return ServeSession(accessory, surroundings)
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
    /// The characteristic, found by discovery.
    func find(_ uuid: UInt16) async throws -> GATT.Characteristic {
        for service in try await discoverServices() {
            let found = try await discoverCharacteristics(of: service, uuid: BluetoothUUID(uuid))
            if let characteristic = found.first { return characteristic }
        }
        throw HostError.malformedAnswer
    }
}
