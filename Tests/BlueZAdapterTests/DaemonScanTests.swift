// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BusTestSupport
import DBus
import Synchronization
import Testing

@testable import BlueZAdapter

@Suite(.timeLimit(.minutes(1))) struct DaemonScanTests {
    private static func advertisement(_ event: PortEvent) -> Advertisement? {
        if case .advertised(_, let advertisement) = event { advertisement } else { nil }
    }

    @Test("A new scan reports a device that the daemon already receives, with its data")
    func presentDevice() async throws {
        let fixture = try Fixture(FakeDaemon())
        await fixture.becomes(.ready)
        let scan = await fixture.onPort { $0.startScan(PortScan()) { _ in } }
        let found = try #require(await fixture.next(Self.advertisement))
        #expect(found.address == Fixture.sensor)
        #expect(found.rssi == -61)
        #expect(found.data.localName == "Sensor")
        #expect(found.data.serviceUUIDs == [BluetoothUUID(0x180D)])
        #expect(
            found.data.structures.contains {
                $0.type == .manufacturerData && $0.value == [0x34, 0x12, 9, 8]
            }
        )
        await fixture.daemon.called("StartDiscovery")
        #expect(fixture.daemon.calls.contains("SetDiscoveryFilter"))
        await fixture.onPort { $0.endScan(scan) }
        await fixture.daemon.called("StopDiscovery")
        await fixture.end()
    }

    @Test(
        "A device is reported once, or each time if the scan reports duplicates",
        arguments: [false, true]
    )
    func duplicates(_ reportsDuplicates: Bool) async throws {
        let fixture = try Fixture(FakeDaemon())
        await fixture.becomes(.ready)
        _ = await fixture.onPort { port in
            port.startScan(PortScan(reportsDuplicates: reportsDuplicates)) { _ in }
        }
        await fixture.daemon.called("StartDiscovery")
        for rssi in [-50, -40] as [Int16] { fixture.daemon.changeDevice(["RSSI": .int16(rssi)]) }
        // When this last device is reported, all earlier events have arrived.
        let other = FakeDaemon.adapter + "/dev_00_00_00_00_00_02"
        fixture.daemon.add(
            other,
            ["org.bluez.Device1": ["Address": .string("00:00:00:00:00:02"), "RSSI": .int16(-30)]]
        )
        var strengths: [Int] = []
        while strengths.last != -30 {
            let found = try #require(await fixture.next(Self.advertisement))
            strengths.append(try #require(found.rssi))
        }
        #expect(strengths == (reportsDuplicates ? [-61, -50, -40, -30] : [-61, -30]))
        await fixture.end()
    }

    @Test("A stored device is not reported until it is received")
    func storedDevice() async throws {
        var objects = FakeDaemon.standard
        objects[FakeDaemon.device]?["org.bluez.Device1"]?["RSSI"] = nil
        let fixture = try Fixture(FakeDaemon(objects: objects))
        await fixture.becomes(.ready)
        _ = await fixture.onPort { $0.startScan(PortScan()) { _ in } }
        await fixture.daemon.called("StartDiscovery")
        fixture.daemon.changeDevice(["RSSI": .int16(-70)])
        let found = try #require(await fixture.next(Self.advertisement))
        #expect(found.address == Fixture.sensor)
        #expect(found.rssi == -70)
        await fixture.end()
    }

    @Test("A BR/EDR device that only another program's discovery filter admits is not reported")
    func mergedFilters() async throws {
        let fixture = try Fixture(FakeDaemon())
        await fixture.becomes(.ready)
        let filter = Mutex<DBusValue?>(nil)
        fixture.daemon.on("SetDiscoveryFilter") { call, daemon in
            filter.withLock { $0 = call.body.first }
            daemon.bus.reply(to: call)
        }
        _ = await fixture.onPort { $0.startScan(PortScan()) { _ in } }
        #expect(await fixture.next(Self.advertisement)?.address == Fixture.sensor)
        await fixture.daemon.called("StartDiscovery")
        #expect(filter.withLock { $0?.properties?["Transport"] } == .string("le"))
        // The daemon merges the filters, and so receives a headset for the other program.
        fixture.daemon.add(
            FakeDaemon.adapter + "/dev_00_00_00_00_00_03",
            [
                "org.bluez.Device1": [
                    "Address": .string("00:00:00:00:00:03"), "RSSI": .int16(-20),
                    "AddressType": .string("public"), "Class": .uint32(0x240404),
                ]
            ]
        )
        let other = FakeDaemon.adapter + "/dev_00_00_00_00_00_02"
        fixture.daemon.add(
            other,
            ["org.bluez.Device1": ["Address": .string("00:00:00:00:00:02"), "RSSI": .int16(-30)]]
        )
        let found = try #require(await fixture.next(Self.advertisement))
        #expect(found.rssi == -30)
        await fixture.end()
    }

    @Test("A connection attempt restarts a running discovery once")
    func restartForConnecting() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { _, _ in }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        let scan = await fixture.onPort { $0.startScan(PortScan()) { _ in } }
        await daemon.called("StartDiscovery")
        _ = await fixture.connect()
        await daemon.called("StartDiscovery", times: 2)
        await fixture.onPort { $0.endScan(scan) }
        await daemon.called("StopDiscovery", times: 2)
        #expect(
            daemon.calls.filter { $0.hasSuffix("Discovery") || $0 == "Connect" } == [
                "StartDiscovery", "Connect", "StopDiscovery", "StartDiscovery", "StopDiscovery",
            ]
        )
        await fixture.end()
    }

    @Test("The start of a discovery is repeated if it is refused with InProgress")
    func discoveryInProgress() async throws {
        let daemon = try FakeDaemon()
        daemon.on("StartDiscovery") { call, daemon in
            if daemon.calls.filter({ $0 == "StartDiscovery" }).count == 1 {
                daemon.bus.refuse(call, "org.bluez.Error.InProgress")
            } else {
                daemon.bus.reply(to: call)
            }
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.onPort { $0.startScan(PortScan()) { _ in } }
        await daemon.called("StartDiscovery", times: 2)
        await fixture.end()
    }

    @Test("A scan continues after a restart of the daemon")
    func restartedDaemon() async throws {
        let fixture = try Fixture(FakeDaemon())
        await fixture.becomes(.ready)
        _ = await fixture.onPort { $0.startScan(PortScan()) { _ in } }
        await fixture.daemon.called("StartDiscovery")
        fixture.daemon.bus.setOwned("org.bluez", false)
        await fixture.becomes(.unavailable)
        fixture.daemon.bus.setOwned("org.bluez", true)
        await fixture.daemon.called("StartDiscovery", times: 2)
        await fixture.end()
    }

    @Test("The number of scans is limited")
    func scanLimit() async throws {
        let fixture = try Fixture(FakeDaemon())
        await fixture.becomes(.ready)
        let (errors, continuation) = AsyncStream<any Error>.makeStream()
        await fixture.onPort { port in
            for _ in 0...port.scanLimit {
                _ = port.startScan(PortScan()) { continuation.yield($0) }
            }
        }
        var iterator = errors.makeAsyncIterator()
        #expect(await iterator.next() as? PortError == .tooManyRequests)
        await fixture.end()
    }
}
