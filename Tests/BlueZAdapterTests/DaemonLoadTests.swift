// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BusTestSupport
import DBus
import Synchronization
import Testing

@testable import BlueZAdapter

/// Tests with many devices, and with many links, one after another.
@Suite(.timeLimit(.minutes(2))) struct DaemonLoadTests {
    private static let count = 1_000

    @Test("A scan reports 1,000 devices, each once")
    func manyDevices() async throws {
        var objects = FakeDaemon.standard
        objects[FakeDaemon.device] = nil
        let addresses = (1...Self.count).map { number in
            DeviceAddress(value: 0xC4F0_0000_0000 + UInt64(number), kind: .random)
        }
        for address in addresses {
            let name = address.description.split(separator: ":").joined(separator: "_")
            objects["\(FakeDaemon.adapter)/dev_\(name)"] = [
                "org.bluez.Device1": [
                    "Address": .string(address.description), "AddressType": .string("random"),
                    "RSSI": .int16(-60), "Connected": .boolean(false),
                ]
            ]
        }
        let fixture = Fixture(try FakeDaemon(objects: objects))
        await fixture.becomes(.ready)
        let scan = await fixture.onPort { $0.startScan(PortScan()) { _ in } }
        var found: [DeviceAddress] = []
        while found.count < Self.count {
            let next = await fixture.next { event -> DeviceAddress? in
                if case .advertised(scan, let advertisement) = event {
                    advertisement.address
                } else {
                    nil
                }
            }
            found.append(try #require(next))
        }
        #expect(Set(found) == Set(addresses))
        await fixture.end()
    }

    @Test("After 1,000 links, no socket, request or match rule is left")
    func manyLinks() async throws {
        let daemon = try FakeDaemon()
        let latest = Mutex<PacketPair?>(nil)
        daemon.on("AcquireNotify") { call, daemon in
            let pair = PacketPair()
            latest.withLock { $0 = pair }
            daemon.bus.reply(to: call, [.unixFD(0), .uint16(80)], descriptors: pair.passed)
            pair.releasePassed()
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        let rules = daemon.bus.rules.count
        let subscribe = GATT.Operation.subscribe(
            valueHandle: AttributeHandle(0x12),
            descriptor: AttributeHandle(0x13),
            .notification
        )
        // This code runs on the adapter's thread. On another thread, each of the thousands of waits
        // would also wait for the tests that run at the same time.
        try await withTaskExecutorPreference(fixture.adapter.executor.taskExecutor) {
            for _ in 1...Self.count {
                let request = await fixture.connect()
                let link = try #require(await fixture.link())
                _ = try await fixture.perform(.database, on: link)
                #expect(try await fixture.perform(subscribe, on: link) == .done)
                await fixture.onPort { $0.cancelConnectionRequest(request) }
                #expect(await fixture.closed() == .linkEnded(.unknown))
                // After the adapter closes its socket, the daemon's socket returns no bytes.
                #expect(latest.withLock { $0?.receive()?.isEmpty } == true)
            }
        }
        let left = await fixture.onPort { port in
            port.onThread { adapter in
                [adapter.links.count, adapter.connectionRequests.count, adapter.pairings.count]
            }
        }
        #expect(left == [0, 0, 0])
        #expect(daemon.bus.rules.count == rules)
        await fixture.end()
    }
}
