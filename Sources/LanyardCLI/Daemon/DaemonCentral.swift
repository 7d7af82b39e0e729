// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothPort
import BluetoothTypes

/// A central that uses the services that a command publishes through the daemon's port.
struct DaemonCentral: CentralLink {
    let client: DaemonClient
    let identifier: LinkIdentifier
    let address: DeviceAddress

    /// The protection, which the daemon does not report.
    var protection: LinkSecurity? { nil }

    func notify(_ value: [UInt8], of handle: AttributeHandle) async throws {
        try await client.notify(value, of: handle, on: identifier)
    }

    func tryNotify(_ value: [UInt8], of handle: AttributeHandle) async throws -> Bool {
        await client.tryNotify(value, of: handle, on: identifier)
    }
}

/// Advertising through the daemon's port.
struct DaemonAdvertising: ActiveAdvertising {
    let client: DaemonClient
    let set: RequestIdentifier
    /// The stream that ends with the set.
    let ending: AsyncStream<Void>

    func endReason() async throws -> String {
        for await _ in ending {}
        try Task.checkCancellation()
        return "the Bluetooth daemon ended it"
    }

    func stop() async { await client.stopAdvertising(set) }
}
