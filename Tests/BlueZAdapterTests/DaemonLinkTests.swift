// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BusTestSupport
import DBus
import Synchronization
import Testing

@testable import BlueZAdapter
@testable import HCITransports

@Suite(.timeLimit(.minutes(1))) struct DaemonLinkTests {
    private static let rate = AttributeHandle(0x12)
    private static let control = AttributeHandle(0x15)

    @Test("A connected device has its database, its values and its MTU")
    func table() async throws {
        let fixture = try Fixture(FakeDaemon())
        let (link, database) = try await fixture.connected()
        let service = try #require(database.services.first)
        #expect(database.services.count == 1)
        #expect(service.service.uuid == BluetoothUUID(0x180D))
        #expect(service.characteristics.map(\.valueHandle) == [Self.rate, Self.control])
        let rate = service.characteristics[0]
        #expect(rate.characteristic.properties == [.read, .notify])
        // The daemon of this test has no object for the configuration descriptor.
        #expect(rate.descriptors.map(\.uuid) == [BluetoothUUID(0x2902)])
        #expect(service.characteristics[1].descriptors.map(\.handle) == [AttributeHandle(0x16)])
        #expect(await fixture.onPort { $0.knownDatabase(of: link) } == database)
        #expect(try await fixture.perform(.exchangeMTU, on: link) == .mtu(100))
        #expect(try await fixture.perform(.readLong(Self.rate), on: link) == .value([1, 2, 3]))
        #expect(
            try await fixture.perform(.read(AttributeHandle(0x16)), on: link) == .value([1, 2, 3])
        )
        #expect(
            try await fixture.perform(.readDeviceName, on: link) == .value(Array("Sensor".utf8))
        )
        guard case .rssi(-61) = try await fixture.perform(.readRSSI, on: link) else {
            Issue.record("The signal strength is missing")
            return
        }
        await fixture.end()
    }

    @Test("A write arrives with its offset and its kind")
    func write() async throws {
        let daemon = try FakeDaemon()
        let (values, continuation) = AsyncStream<[DBusValue]>.makeStream()
        daemon.on("WriteValue") { call, daemon in
            continuation.yield(call.body)
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        #expect(try await fixture.perform(.write(Self.control, [7]), on: link) == .done)
        var iterator = values.makeAsyncIterator()
        let body = try #require(await iterator.next())
        #expect(body[0] == .bytes([7]))
        #expect(body[1].properties == ["offset": .uint16(0), "type": .string("request")])
        await #expect(throws: GATT.Failure.valueTooLong(limit: GATT.valueLengthLimit)) {
            let long = [UInt8](repeating: 0, count: GATT.valueLengthLimit + 1)
            return try await fixture.perform(.writeLong(Self.control, offset: 0, long), on: link)
        }
        await fixture.end()
    }

    @Test(
        "An error of the daemon becomes the corresponding ATT error",
        arguments: [
            ("NotPermitted", "Read not permitted", ATT.ErrorCode.readNotPermitted),
            ("NotPermitted", "Write not permitted", .writeNotPermitted),
            ("InvalidArguments", "Invalid offset", .invalidOffset),
            ("InvalidArguments", "Invalid Length", .invalidAttributeValueLength),
            ("NotAuthorized", "", .insufficientAuthorization),
            ("NotSupported", "", .requestNotSupported),
            ("Failed", "Operation failed with ATT error: 0x80", ATT.ErrorCode(rawValue: 0x80)),
        ]
    )
    func errors(_ name: String, _ message: String, _ code: ATT.ErrorCode) {
        let error = DBusError.failed(name: "org.bluez.Error." + name, message: message)
        let failure = DaemonError.attribute(error, at: Self.rate) as? GATT.Failure
        #expect(failure == .attribute(code, handle: Self.rate))
    }

    @Test("A request for an unknown device waits until a discovery finds it")
    func unknownDevice() async throws {
        var objects = FakeDaemon.standard
        let removed = objects.removeValue(forKey: FakeDaemon.device)
        let device = try #require(removed)
        let fixture = try Fixture(FakeDaemon(objects: objects))
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        await fixture.daemon.called("StartDiscovery")
        fixture.daemon.add(FakeDaemon.device, device)
        #expect(await fixture.link() != nil)
        // The discovery was only for the request.
        await fixture.daemon.called("StopDiscovery")
        await fixture.end()
    }

    @Test(
        "An attempt that fails with InProgress or le-connection-abort-by-local is repeated",
        arguments: [
            ("InProgress", "Operation already in progress"),
            ("Failed", "le-connection-abort-by-local"),
        ]
    )
    func repeatedAttempt(_ name: String, _ message: String) async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { call, daemon in
            if daemon.calls.filter({ $0 == "Connect" }).count == 1 {
                daemon.bus.refuse(call, "org.bluez.Error." + name, message)
            } else {
                daemon.connectDevice()
                daemon.bus.reply(to: call)
            }
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        #expect(await fixture.link() != nil)
        #expect(daemon.calls.filter { $0 == "Connect" }.count == 2)
        await fixture.end()
    }

    @Test("The end of a link ends all connection requests that it has fulfilled")
    func twoRequests() async throws {
        let fixture = try Fixture(FakeDaemon())
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        #expect(await fixture.link() != nil)
        _ = await fixture.connect()
        #expect(await fixture.adapter.connectionRequests.count == 2)
        fixture.daemon.disconnectDevice()
        #expect(await fixture.closed() == .linkEnded(.unknown))
        #expect(await fixture.adapter.connectionRequests.isEmpty)
        await fixture.end()
    }

    @Test("A link that the daemon does not report is found when the attempt succeeds")
    func unreportedLink() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { call, daemon in
            daemon.changeDeviceSilently(["Connected": .boolean(true)])
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        #expect(await fixture.link() != nil)
        #expect(daemon.calls.filter { $0 == "Connect" }.count == 1)
        daemon.disconnectDevice()
        #expect(await fixture.closed() == .linkEnded(.unknown))
        await fixture.end()
    }

    @Test("A link that remains after a failed attempt is disconnected before the next attempt")
    func brokenLink() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { call, daemon in
            daemon.on("Connect") { call, daemon in
                daemon.connectDevice()
                daemon.bus.reply(to: call)
            }
            daemon.changeDevice(["Connected": .boolean(true)])
            daemon.bus.refuse(call, "org.bluez.Error.Failed", "le-connection-abort-by-local")
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        #expect(await fixture.link() != nil)
        let calls = daemon.calls.filter { ["Connect", "Disconnect"].contains($0) }
        #expect(calls == ["Connect", "Disconnect", "Connect"])
        await fixture.end()
    }

    @Test("After a failed attempt, a link with discovered services stays and is used")
    func linkOfAnotherProgram() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { call, daemon in
            daemon.connectDevice()
            daemon.bus.refuse(call, "org.bluez.Error.Failed", "le-connection-abort-by-local")
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        #expect(await fixture.link() != nil)
        let calls = daemon.calls.filter { ["Connect", "Disconnect"].contains($0) }
        #expect(calls == ["Connect"])
        await fixture.end()
    }

    @Test("If an attempt succeeds but the device is not connected, the attempt is repeated")
    func shortLink() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { call, daemon in
            daemon.on("Connect") { call, daemon in
                daemon.connectDevice()
                daemon.bus.reply(to: call)
            }
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        #expect(await fixture.link() != nil)
        #expect(daemon.calls.filter { $0 == "Connect" }.count == 2)
        await fixture.end()
    }

    @Test("If the object of a device is removed during an attempt, the device is discovered again")
    func vanishedDevice() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { call, daemon in
            daemon.on("Connect") { call, daemon in
                daemon.connectDevice()
                daemon.bus.reply(to: call)
            }
            daemon.remove(FakeDaemon.device)
            daemon.bus.refuse(call, "org.freedesktop.DBus.Error.UnknownObject")
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        await daemon.called("StartDiscovery")
        daemon.add(FakeDaemon.device, FakeDaemon.standard[FakeDaemon.device] ?? [:])
        #expect(await fixture.link() != nil)
        await fixture.end()
    }

    @Test("A canceled request ends the attempt, and opens no link")
    func canceled() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { _, _ in }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        let request = await fixture.connect()
        await daemon.called("Connect")
        await fixture.onPort { $0.cancelConnectionRequest(request) }
        await daemon.called("Disconnect")
        let count = await fixture.onPort { port in port.onThread { $0.connectionRequests.count } }
        #expect(count == 0)
        await fixture.end()
    }

    /// Gives the sensor its identity address, as the daemon does when it stores a bond.
    private func bond(_ daemon: FakeDaemon) {
        daemon.changeDevice([
            "Address": .string("00:11:22:00:00:01"), "AddressType": .string("public"),
            "Paired": .boolean(true), "Bonded": .boolean(true),
        ])
    }

    @Test("A canceled request ends the attempt, even if a bond has changed the address")
    func canceledAfterBond() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { _, _ in }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        let request = await fixture.connect()
        await daemon.called("Connect")
        bond(daemon)
        while await fixture.onPort({ $0.bondedPeers.isEmpty }) {
            _ = await fixture.next { event -> Bool? in
                if case .bondsChanged = event { true } else { nil }
            }
        }
        await fixture.onPort { $0.cancelConnectionRequest(request) }
        await daemon.called("Disconnect")
        await fixture.end()
    }

    @Test("An attempt that fails after a bond has changed the address is repeated")
    func repeatedAfterBond() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { [self] call, daemon in
            daemon.on("Connect") { call, daemon in
                daemon.connectDevice()
                daemon.bus.reply(to: call)
            }
            bond(daemon)
            daemon.bus.refuse(call, "org.bluez.Error.Failed", "le-connection-abort-by-local")
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        #expect(await fixture.link() != nil)
        await fixture.end()
    }

    @Test("If ServicesResolved is true, but services are missing, the objects are read again")
    func missingServices() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { call, daemon in
            // The daemon reports that the services are complete, but does not signal their objects.
            daemon.changeDevice(["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
            daemon.addSilently(FakeDaemon.services)
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon)
        let (_, database) = try await fixture.connected()
        #expect(database.services.count == 1)
        #expect(daemon.calls.filter { $0 == "GetManagedObjects" }.count == 2)
        await fixture.end()
    }

    @Test(
        "The services of updated firmware replace cached ones, even if those counted as complete",
        arguments: [true, false]
    )
    func cachedServices(areReportedAsComplete: Bool) async throws {
        let new = FakeDaemon.device + "/service0020"
        var objects = FakeDaemon.standard
        objects.merge(FakeDaemon.services) { $1 }
        let daemon = try FakeDaemon(objects: objects)
        daemon.on("Connect") { call, daemon in
            daemon.changeDevice([
                "Connected": .boolean(true), "ServicesResolved": .boolean(areReportedAsComplete),
            ])
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        let link = try #require(await fixture.link())
        async let first = fixture.services(of: link)
        if areReportedAsComplete {
            let cached = try await first
            #expect(cached == [AttributeHandle(0x10)])
        }
        for path in FakeDaemon.services.keys.sorted() { daemon.remove(path) }
        daemon.add(new, FakeDaemon.services[FakeDaemon.service] ?? [:])
        daemon.changeDevice(["ServicesResolved": .boolean(true)])
        if areReportedAsComplete {
            let ranges = await fixture.next { event -> [ClosedRange<AttributeHandle>]? in
                if case .servicesChanged(_, let ranges, true) = event { ranges } else { nil }
            }
            #expect(ranges?.map(\.lowerBound) == [AttributeHandle(0x10)])
            #expect(try await fixture.services(of: link) == [AttributeHandle(0x20)])
        } else {
            let awaited = try await first
            #expect(awaited == [AttributeHandle(0x20)])
        }
        await fixture.end()
    }

    @Test("A request for the database waits until the services are complete")
    func lateServices() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { call, daemon in
            daemon.changeDevice(["Connected": .boolean(true)])
            daemon.bus.reply(to: call)
        }
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        let link = try #require(await fixture.link())
        async let answer = fixture.perform(.database, on: link)
        daemon.connectDevice()
        guard case .database(let database) = try await answer else {
            Issue.record("The answer is not a database")
            return
        }
        #expect(database.services.count == 1)
        await fixture.end()
    }

    @Test(
        "A read of a removed object fails as out of sync, and the database change is reported"
    )
    func vanishedAttribute() async throws {
        let fixture = try Fixture(FakeDaemon())
        let (link, database) = try await fixture.connected()
        fixture.daemon.on("ReadValue") { call, daemon in
            daemon.bus.refuse(call, "org.freedesktop.DBus.Error.UnknownObject")
        }
        let outOfSync = GATT.Failure.attribute(.databaseOutOfSync, handle: Self.rate)
        await #expect(throws: outOfSync) { try await fixture.perform(.read(Self.rate), on: link) }
        fixture.daemon.remove(FakeDaemon.service)
        let ranges = await fixture.next { event -> [ClosedRange<AttributeHandle>]? in
            if case .servicesChanged(_, let ranges, true) = event { ranges } else { nil }
        }
        #expect(ranges == database.services.map(\.service.handles))
        let isOutdated = await fixture.next { event -> Bool? in
            if case .databaseOutdated = event { true } else { nil }
        }
        #expect(isOutdated == true)
        await #expect(throws: outOfSync) { try await fixture.perform(.read(Self.rate), on: link) }
        await fixture.end()
    }

    @Test("A disconnection has the reason that the daemon reports")
    func reason() async throws {
        let fixture = try Fixture(FakeDaemon())
        _ = try await fixture.connected()
        fixture.daemon.bus.signal(
            FakeDaemon.device,
            "org.bluez.Device1",
            "Disconnected",
            [.string("org.bluez.Reason.Remote"), .string("")]
        )
        fixture.daemon.disconnectDevice()
        #expect(await fixture.closed() == .linkEnded(.endedByPeer))
        await fixture.end()
    }

    @Test("A request to disconnect disconnects a device that this program connected")
    func disconnect() async throws {
        let fixture = try Fixture(FakeDaemon())
        let (link, _) = try await fixture.connected()
        _ = try await fixture.perform(.disconnect, on: link)
        #expect(await fixture.closed() == .linkEnded(.unknown))
        #expect(fixture.daemon.calls.contains("Disconnect"))
        await fixture.end()
    }

    @Test("A device that another program connected stays connected when this program ends its link")
    func sharedDevice() async throws {
        let daemon = try FakeDaemon()
        daemon.connectDevice()
        let fixture = Fixture(daemon)
        let (link, _) = try await fixture.connected()
        _ = try await fixture.perform(.disconnect, on: link)
        #expect(await fixture.closed() == .linkEnded(.unknown))
        await fixture.end()
        #expect(!daemon.calls.contains("Connect"))
        #expect(!daemon.calls.contains("Disconnect"))
    }

    @Test("The end of a failed attempt does not affect the attempt after its adapter was off")
    func lateDisconnection() async throws {
        let daemon = try FakeDaemon()
        let (calls, continuation) = AsyncStream<DBusMessage>.makeStream()
        for member in ["Connect", "Disconnect"] {
            daemon.on(member) { call, _ in continuation.yield(call) }
        }
        var iterator = calls.makeAsyncIterator()
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        let first = try #require(await iterator.next())
        // The device is connected, but the daemon discovers no services.
        daemon.changeDevice(["Connected": .boolean(true)])
        daemon.bus.refuse(first, "org.bluez.Error.Failed")
        let disconnection = try #require(await iterator.next())
        daemon.setPowered(false)
        await fixture.becomes(.unavailable)
        daemon.changeDevice(["Connected": .boolean(false)])
        daemon.setPowered(true)
        let second = try #require(await iterator.next())
        daemon.bus.reply(to: disconnection)
        daemon.connectDevice()
        daemon.bus.reply(to: second)
        let link = try #require(await fixture.link())
        // The link counts as made by this program, so a request to disconnect ends it.
        _ = try await fixture.perform(.disconnect, on: link)
        daemon.disconnectDevice()
        #expect(await fixture.closed() == .linkEnded(.unknown))
        #expect(daemon.calls.filter { $0 == "Disconnect" }.count == 2)
        await fixture.end()
    }

    @Test("An attempt to connect that takes too long ends in the daemon before the next attempt")
    func slowConnection() async throws {
        let daemon = try FakeDaemon()
        daemon.on("Connect") { _, daemon in
            daemon.on("Connect") { call, daemon in daemon.answerAsUsual(call) }
        }
        let offset = Mutex(Duration.zero)
        let executor = AdapterExecutor { SystemClock.monotonic + offset.withLock { $0 } }
        let fixture = Fixture(daemon, executor: executor)
        await fixture.becomes(.ready)
        _ = await fixture.connect()
        await daemon.called("Connect")
        // The adapter sets its timer in the turn in which it calls the daemon.
        await withCheckedContinuation { turn in executor.perform { turn.resume() } }
        offset.withLock { $0 = BlueZAdapter.connectionTimeout + .seconds(1) }
        executor.perform {}
        #expect(await fixture.link() != nil)
        let calls = daemon.calls.filter { ["Connect", "Disconnect"].contains($0) }
        #expect(calls == ["Connect", "Disconnect", "Connect"])
        await fixture.end()
    }
}

extension Fixture {
    /// Returns the handles of the services of a link.
    fileprivate func services(of link: LinkIdentifier) async throws -> [AttributeHandle] {
        guard case .database(let database) = try await perform(.database, on: link) else {
            throw PortError.unanswered
        }
        return database.services.map(\.service.handle)
    }
}
