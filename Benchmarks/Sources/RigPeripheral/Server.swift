// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes

/// The database for the rig's centrals: a value, and notifications on request.
struct Server {
    private let host: BluetoothHost
    private let value: AttributeHandle
    private let notifying: AttributeHandle
    private let grants: AttributeHandle

    private static let bytes = Array("exactly twenty bytes".utf8)

    init(of host: BluetoothHost, isDynamic: Bool) async throws {
        let service = try await host.publish(
            GATT.ServiceDefinition(
                BluetoothUUID(0xFFF0),
                [
                    .init(
                        BluetoothUUID(0xFFF1),
                        [.read, .write],
                        value: isDynamic ? .dynamic : .stored(Self.bytes)
                    ),
                    .init(BluetoothUUID(0xFFF2), .notify, value: .stored([])),
                    .init(BluetoothUUID(0xFFF3), .writeWithoutResponse, value: .stored([])),
                ]
            )
        )
        self.host = host
        value = service.characteristics[0].valueHandle
        notifying = service.characteristics[1].valueHandle
        grants = service.characteristics[2].valueHandle
    }

    /// Answers and notifies until the task is canceled.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { streams in
            for await event in try await host.serverEvents() {
                switch event {
                case .read(let request): request.respond(with: Self.bytes)
                case .write(let request): request.accept()
                case .written(let link, let entries) where entries[0].handle == grants:
                    let (count, size) = Self.grant(entries[0].value)
                    streams.addTask { try? await notify(link, count, size) }
                default: break
                }
            }
        }
    }

    private func notify(_ link: Link, _ count: Int, _ size: Int) async throws {
        let bytes = [UInt8](repeating: 0x5A, count: size)
        for _ in 0..<count { try await link.notify(bytes, of: notifying) }
    }

    /// Returns the count and the size of the granted notifications: `<count: 2><size: 2>`,
    /// little-endian.
    private static func grant(_ bytes: [UInt8]) -> (count: Int, size: Int) {
        guard bytes.count == 4 else { return (0, 0) }
        return (Int(bytes[0]) | Int(bytes[1]) << 8, Int(bytes[2]) | Int(bytes[3]) << 8)
    }
}
