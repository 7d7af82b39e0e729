// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothPort
import BusTestSupport
import DBus
import Synchronization
import Testing

@testable import BlueZAdapter

/// A daemon that is killed during requests, a scan, advertising and a service, and returns.
@Suite(.timeLimit(.minutes(1))) struct DaemonReturnTests {
    private static let rate = AttributeHandle(0x12)
    private static let control = AttributeHandle(0x15)
    /// The maximum time from the return of the daemon until the scan, the advertising, the service
    /// and the request for a connection continue.
    private static let recoveryLimit = Duration.seconds(10)
    /// The calls of requests. The daemon of this test does not answer them before it is killed.
    private static let unanswered = [
        "ReadValue", "WriteValue", "AcquireNotify", "AcquireWrite", "Pair", "Connect",
    ]
    private static let otherDevice = "/org/bluez/hci0/dev_C4_F0_00_00_00_02"
    private static let other = DeviceAddress(value: 0xC4F0_0000_0002, kind: .random)

    private static var objects: [String: FakeDaemon.Interfaces] {
        var objects = FakeDaemon.standard
        objects[FakeDaemon.adapter]?["org.bluez.GattManager1"] = [:]
        objects[FakeDaemon.adapter]?["org.bluez.LEAdvertisingManager1"] = [:]
        objects[otherDevice] = [
            "org.bluez.Device1": [
                "Address": .string("C4:F0:00:00:00:02"), "AddressType": .string("random"),
                "RSSI": .int16(-70), "Connected": .boolean(false),
            ]
        ]
        return objects
    }

    /// Kills the daemon. As the bus does, reports the end of the name first, and then ends the
    /// calls.
    private static func kill(_ daemon: FakeDaemon, _ calls: [DBusMessage]) {
        daemon.bus.setOwned("org.bluez", false)
        // The daemon's signals no longer have an effect.
        daemon.disconnectDevice()
        for call in calls {
            daemon.bus.refuse(call, "org.freedesktop.DBus.Error.NoReply")
        }
    }

    @Test("If the daemon is killed, requests on a link end, and scans and services resume later")
    func killed() async throws {
        let daemon = try FakeDaemon(objects: Self.objects)
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        try await Self.beginLastingWork(fixture)
        let waiting = Mutex<[DBusMessage]>([])
        for member in Self.unanswered {
            daemon.on(member) { call, _ in waiting.withLock { $0.append(call) } }
        }
        async let results = withTaskGroup(of: (any Error)?.self) { group in
            let operations: [GATT.Operation] = [
                .read(Self.rate), .write(Self.control, [1]),
                .writeWithoutResponse(Self.control, [2]),
                .subscribe(
                    valueHandle: Self.rate,
                    descriptor: AttributeHandle(0x13),
                    .notification
                ),
            ]
            for operation in operations {
                group.addTask {
                    do {
                        _ = try await fixture.perform(operation, on: link)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [(any Error)?]()) { $0.append($1) }
        }
        let (pairings, pairing) = AsyncStream<Bool>.makeStream()
        await fixture.onPort { port in
            port.onThread { adapter in
                let path = adapter.links[link]?.path ?? .root
                adapter.pair(path) { result in
                    if case .success = result { pairing.yield(true) } else { pairing.yield(false) }
                }
            }
            _ = port.connect(to: port.identifier(of: Self.other)) { _ in }
        }
        for member in Self.unanswered {
            await daemon.called(member, times: member == "Connect" ? 2 : 1)
        }

        Self.kill(daemon, waiting.withLock { $0 })
        let errors = await results.map { $0 as? PortError }
        #expect(errors == Array(repeating: .unavailable, count: 4))
        #expect(await fixture.closed() == .unavailable)
        await fixture.becomes(.unavailable)

        let before = daemon.calls
        for member in Self.unanswered {
            daemon.on(member) { call, daemon in daemon.bus.reply(to: call) }
        }
        daemon.on("Connect") { call, daemon in
            daemon.change(Self.otherDevice, "org.bluez.Device1", ["Connected": .boolean(true)])
            daemon.bus.reply(to: call)
        }
        let returnTime = ContinuousClock.now
        daemon.bus.setOwned("org.bluez", true)
        await fixture.becomes(.ready)
        let renewed = [
            "RegisterAgent", "RegisterApplication", "RegisterAdvertisement", "StartDiscovery",
            "Connect",
        ]
        for member in renewed {
            await daemon.called(member, times: before.count { $0 == member } + 1)
        }
        // The request for the other device has waited for the daemon.
        let opened = await fixture.link()
        #expect(opened != nil && opened != link)
        #expect(.now - returnTime < Self.recoveryLimit)
        #expect(await pairings.first { _ in true } == false)
        daemon.changeDevice(["RSSI": .int16(-50)])
        let found = await fixture.next { event -> DeviceAddress? in
            if case .advertised(_, let found) = event { found.address } else { nil }
        }
        #expect(found != nil, "The scan has ended")
        await fixture.end()
    }

    private static let service = GATT.ServiceDefinition(
        BluetoothUUID(0xFFE0),
        [.init(BluetoothUUID(0xFFE1), .read)]
    )

    @Test("A service that is published before the daemon runs is registered when it runs")
    func early() async throws {
        let daemon = try FakeDaemon(objects: Self.objects, isRunning: false)
        let fixture = Fixture(daemon)
        let published = await fixture.onPort { port in Result { try port.publish(Self.service) } }
        _ = try published.get()
        daemon.bus.setOwned("org.bluez", true)
        await fixture.becomes(.ready)
        await daemon.called("RegisterApplication")
        await fixture.end()
    }

    @Test("A service stays published if the daemon is killed while it registers the service")
    func killedRegistration() async throws {
        let daemon = try FakeDaemon(objects: Self.objects)
        let waiting = Mutex<[DBusMessage]>([])
        daemon.on("RegisterApplication") { call, _ in waiting.withLock { $0.append(call) } }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        let published = await fixture.onPort { port in Result { try port.publish(Self.service) } }
        _ = try published.get()
        await daemon.called("RegisterApplication")
        Self.kill(daemon, waiting.withLock { $0 })
        await fixture.becomes(.unavailable)
        daemon.bus.setOwned("org.bluez", true)
        await fixture.becomes(.ready)
        let count = await fixture.onPort { port in port.onThread { $0.server.services.count } }
        #expect(count == 1)
        await fixture.end()
    }

    @Test("A late reply to an attempt before the adapter was off does not end the next attempt")
    func lateReply() async throws {
        let daemon = try FakeDaemon(objects: Self.objects)
        let waiting = Mutex<[DBusMessage]>([])
        daemon.on("Connect") { call, _ in waiting.withLock { $0.append(call) } }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        await daemon.called("Connect")
        daemon.setPowered(false)
        await fixture.becomes(.unavailable)
        daemon.setPowered(true)
        await daemon.called("Connect", times: 2)
        let calls = waiting.withLock { $0 }
        daemon.bus.refuse(calls[0], "org.bluez.Error.Failed", "le-connection-abort-by-local")
        daemon.connectDevice()
        daemon.bus.reply(to: calls[1])
        let link = try #require(await fixture.link())
        let isOwn = await fixture.onPort { port in port.onThread { $0.links[link]?.isOwn } }
        #expect(isOwn == true)
        await fixture.end()
    }

    @Test("The objects are read again if the daemon refuses the first call")
    func refusedObjects() async throws {
        let daemon = try FakeDaemon(objects: Self.objects, isRunning: false)
        let isFirst = Mutex(true)
        daemon.on("GetManagedObjects") { call, daemon in
            let refuses = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard refuses else { return daemon.answerAsUsual(call) }
            daemon.bus.refuse(call, "org.freedesktop.DBus.Error.NoReply")
        }
        let fixture = Fixture(daemon)
        daemon.bus.setOwned("org.bluez", true)
        await fixture.becomes(.ready)
        await fixture.end()
    }

    @Test("The shutdown ends an attempt to connect")
    func shutDown() async throws {
        let daemon = try FakeDaemon(objects: Self.objects)
        daemon.on("Connect") { _, _ in }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        await daemon.called("Connect")
        await fixture.adapter.shutDown()
        await daemon.called("Disconnect")
        daemon.bus.stop()
    }

    /// Begins a scan, advertising, and the service of a peripheral.
    private static func beginLastingWork(_ fixture: Fixture) async throws {
        let published = await fixture.onPort { port in
            _ = port.startScan(PortScan(reportsDuplicates: true)) { _ in }
            _ = port.advertise(Advertising()) { _ in }
            return Result {
                try port.publish(Self.service)
            }
        }
        _ = try published.get()
        for member in ["StartDiscovery", "RegisterAdvertisement", "RegisterApplication"] {
            await fixture.daemon.called(member)
        }
    }
}
