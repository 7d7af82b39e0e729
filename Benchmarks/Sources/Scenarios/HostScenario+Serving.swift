// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes

// The host as a server. The peer is its client over the same link, because a server works in either
// role of a link.
extension HostScenario {
    private static let bytes = [UInt8](repeating: 0xA5, count: 20)

    /// Answers the peer's reads of a value of 20 bytes that the server holds.
    public func serveReads(count: Int) async throws {
        try await serving(.read, .stored(Self.bytes)) { try await read($0, count) }
    }

    /// Answers the peer's reads of a value that the application provides for each read.
    public func answerReads(count: Int) async throws {
        try await serving(.read, .dynamic) { handle in
            let events = try await host.serverEvents()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await event in events {
                        if case .read(let request) = event { request.respond(with: Self.bytes) }
                    }
                }
                try await read(handle, count)
                group.cancelAll()
            }
        }
    }

    /// Notifies the peer as fast as the controller accepts it.
    public func sendNotifications(count: Int, size: Int) async throws {
        try await serving(.notify, .stored([])) { handle in
            await controller.exchange(ScriptedServer.subscription(handle.rawValue + 1))
            let bytes = [UInt8](repeating: 0x5A, count: size)
            for _ in 0..<count { try await link.notify(bytes, of: handle) }
        }
    }

    /// Publishes one value while the body runs.
    private func serving(
        _ property: GATT.CharacteristicProperties,
        _ value: GATT.ValueSource,
        _ body: (AttributeHandle) async throws -> Void
    ) async throws {
        let service = try await host.publish(
            GATT.ServiceDefinition(
                BluetoothUUID(0xFFF0),
                [.init(BluetoothUUID(0xFFF1), property, value: value)]
            )
        )
        try await body(service.characteristics[0].valueHandle)
        try await host.unpublish(service)
    }

    private func read(_ handle: AttributeHandle, _ count: Int) async throws {
        let request = ScriptedServer.readRequest(handle.rawValue)
        for _ in 0..<count { await controller.exchange(request) }
    }
}
