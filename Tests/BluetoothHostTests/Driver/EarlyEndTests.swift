// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHost

/// Streams and tasks that end before their request has started.
@Suite("Early ends", .timeLimit(.minutes(20)))
struct EarlyEndTests {
    private let host = BluetoothHost(transport: ScriptedTransport())

    @Test("A scan whose stream is released at once ends")
    func unreadScan() async {
        _ = host.scan()
        #expect(await host.core.scans.isEmpty)
    }

    @Test("A scan continues while its stream is retained")
    func heldScan() async {
        let scan = host.scan()
        #expect(await host.core.scans.count == 1)
        withExtendedLifetime(scan) {}
    }

    @Test("A canceled task does not connect")
    func cancelledBefore() async {
        let address = DeviceAddress(value: 0xC0FF_EE00_0002, kind: .random)
        let task = Task { [host] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await host.connect(to: address)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
