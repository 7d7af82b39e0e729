// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import HCITransports
import Synchronization
import VirtualRadio

/// A transport that counts the ACL data packets it sends, to show which commands cause radio
/// traffic.
final class CountingTransport: HCITransport {
    /// The H4 indicator of ACL data.
    private static let dataIndicator: UInt8 = 0x02

    private let inner: any HCITransport
    private let count = Mutex(0)

    init(_ inner: any HCITransport) {
        self.inner = inner
    }

    /// The number of ACL data packets that were sent.
    var sentCount: Int { count.withLock { $0 } }

    var name: String { inner.name }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await inner.open(on: executor, receive: receive)
    }

    func send(_ packets: [[UInt8]]) {
        let data = packets.count { $0.first == Self.dataIndicator }
        count.withLock { $0 += data }
        inner.send(packets)
    }

    func close() { inner.close() }
}

extension Fixture {
    /// Adds another phone, whose ACL data packets are counted.
    func addCountedAdapter() throws -> (CBAdapter, CountingTransport) {
        let controller = try air.world.addController(
            ControllerConfiguration(name: "counted", at: Position(x: 0, y: 1))
        )
        let transport = CountingTransport(air.adapter(of: controller))
        var configuration = HostConfiguration()
        configuration.address = DeviceAddress(value: 0xC000_0000_00CC, kind: .random)
        let adapter = CBAdapter(
            transport: transport,
            executor: air.executor,
            configuration: configuration
        )
        return (adapter, transport)
    }
}
