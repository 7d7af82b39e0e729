// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import HCITransports
import Synchronization
import Testing

@Suite("An adapter that becomes available late")
struct LateAdapterTests {
    @Test("1.6 A manager is powered off until an attempt to open its adapter succeeds")
    func late() async throws {
        let fixture = try Fixture()
        let late = LateTransport(fixture.air.adapter(of: fixture.phone), failures: 3)
        let adapter = CBAdapter(transport: late, executor: fixture.air.executor)
        try await fixture.run {
            let phone = fixture.central(on: adapter)
            await phone.journal.wait(for: "state poweredOn")
            #expect(phone.journal.lines == ["state poweredOff", "state poweredOn"])
            #expect(late.attempts == 4)
            await adapter.shutDown()
        }
    }
}

/// A transport whose first attempts to open fail.
private final class LateTransport: HCITransport {
    private let transport: any HCITransport
    private let failures: Int
    private let attemptCount = Mutex(0)

    init(_ transport: any HCITransport, failures: Int) {
        self.transport = transport
        self.failures = failures
    }

    var name: String { transport.name }
    var attempts: Int { attemptCount.withLock { $0 } }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        let attempt = attemptCount.withLock { count in
            count += 1
            return count
        }
        guard attempt > failures else { throw .unreachable("late") }
        try await transport.open(on: executor, receive: receive)
    }

    func send(_ packets: [[UInt8]]) { transport.send(packets) }

    func close() { transport.close() }
}
