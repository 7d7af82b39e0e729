// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothPort
import BusTestSupport
import DBus
import Synchronization
import Testing

@testable import BlueZAdapter

/// Tests of services and advertising with the calls that the daemon makes.
@Suite(.timeLimit(.minutes(1))) struct DaemonServingTests {
    private static func definition(
        _ stored: GATT.Permissions = .init(read: .encrypted)
    ) -> GATT.ServiceDefinition {
        GATT.ServiceDefinition(
            BluetoothUUID(0xFFE0),
            [
                .init(
                    BluetoothUUID(0xFFE1),
                    [.read, .write, .writeWithoutResponse],
                    descriptors: [.userDescription("Value")]
                ),
                .init(
                    BluetoothUUID(0xFFE2),
                    stored.write == nil ? .read : [.read, .write],
                    permissions: stored,
                    value: .stored([1, 2, 3])
                ),
                .init(BluetoothUUID(0xFFE3), [.read, .notify]),
            ]
        )
    }

    /// A daemon whose adapter can serve and advertise, and the fixture's answers to the daemon's
    /// calls.
    private struct DaemonServingHarness {
        let daemon: FakeDaemon
        let fixture: Fixture
        let service: GATT.DiscoveredService
        let root: String
        private let answers: AsyncStream<DBusMessage>

        /// Creates a daemon, and publishes the service.
        ///
        /// - Parameters:
        ///   - refused: The error with which the daemon refuses the service, or `nil`.
        ///   - permissions: The permissions of the value in the database.
        init(
            refusing refused: String? = nil,
            storing permissions: GATT.Permissions = .init(read: .encrypted)
        ) async throws {
            var objects = FakeDaemon.standard
            objects[FakeDaemon.adapter]?["org.bluez.GattManager1"] = [:]
            objects[FakeDaemon.adapter]?["org.bluez.LEAdvertisingManager1"] = [:]
            let daemon = try FakeDaemon(objects: objects)
            let (answers, continuation) = AsyncStream<DBusMessage>.makeStream()
            daemon.onReply { continuation.yield($0) }
            let (roots, rootContinuation) = AsyncStream<String>.makeStream()
            daemon.on("RegisterApplication") { call, daemon in
                rootContinuation.yield(call.body.first?.objectPath?.description ?? "")
                if let refused {
                    daemon.bus.refuse(call, refused)
                } else {
                    daemon.bus.reply(to: call)
                }
            }
            let fixture = Fixture(daemon)
            await fixture.becomes(.ready)
            let published = await fixture.onPort { port in
                Result { try port.publish(DaemonServingTests.definition(permissions)) }
            }
            (self.daemon, self.fixture, self.answers) = (daemon, fixture, answers)
            service = try published.get()
            var iterator = roots.makeAsyncIterator()
            root = try #require(await iterator.next())
        }

        /// Returns the path of the object of a characteristic.
        func path(_ index: Int) -> String {
            "\(root)/service/value\(service.characteristics[index].valueHandle.rawValue)"
        }

        func call(
            _ path: String,
            _ interface: String,
            _ member: String,
            _ arguments: [DBusValue]
        ) {
            daemon.bus.send(
                DBusMessage(
                    .call(
                        path: DBusObjectPath(path) ?? .root,
                        interface: interface,
                        member: member
                    ),
                    sender: FakeBus.program,
                    body: arguments
                )
            )
        }

        /// Makes a call of the daemon for the daemon's only device.
        func call(
            _ index: Int,
            _ member: String,
            _ arguments: [DBusValue] = [],
            _ options: [String: DBusValue] = [:]
        ) {
            var options = options
            options["device"] = DBusObjectPath(FakeDaemon.device).map { .objectPath($0) }
            call(
                path(index),
                BlueZ.Interface.gattCharacteristic,
                member,
                arguments + [.properties(options)]
            )
        }

        func answer() async -> DBusMessage? { await answers.first { _ in true } }

        /// Answers the next question and returns it.
        func answerQuestion(_ result: Result<[UInt8], ATT.ErrorCode>) async -> GATTServer.Question?
        {
            let asked = await fixture.next { event -> (UInt64, GATTServer.Question)? in
                if case .asked(_, let id, let question) = event { (id, question) } else { nil }
            }
            guard let (id, question) = asked else { return nil }
            await fixture.onPort { $0.answer(id, result, at: nil) }
            return question
        }
    }

    @Test("Services and advertising are unsupported if the daemon does not have their interfaces")
    func unsupported() async throws {
        let fixture = try Fixture(FakeDaemon())
        await fixture.becomes(.ready)
        let isRefused = await fixture.onPort { port in
            do {
                _ = try port.publish(Self.definition())
                return false
            } catch {
                return error as? PortError == .unsupported(.server)
            }
        }
        #expect(isRefused)
        let capabilities = await fixture.onPort { $0.capabilities }
        #expect(capabilities.isDisjoint(with: [.server, .advertising]))
        await fixture.end()
    }

    @Test("The daemon reads the objects of a service with their flags")
    func objects() async throws {
        let harness = try await DaemonServingHarness()
        harness.call(harness.root, BlueZ.Interface.objectManager, "GetManagedObjects", [])
        let reply = try #require(await harness.answer()?.body.first)
        var objects = DaemonObjects()
        let isComplete = objects.replace(with: reply)
        #expect(isComplete)
        let characteristics = objects.paths(
            with: BlueZ.Interface.gattCharacteristic,
            below: .root
        )
        let flags = characteristics.map { path in
            objects.properties(path, BlueZ.Interface.gattCharacteristic)?["Flags"]?.elements?
                .compactMap(\.string) ?? []
        }
        #expect(
            flags == [
                ["read", "write-without-response", "write"], ["read", "encrypt-read"],
                ["read", "notify"],
            ]
        )
        let descriptors = objects.paths(with: BlueZ.Interface.gattDescriptor, below: .root)
        #expect(descriptors.count == 1, "The daemon adds the configuration itself")
        let uuid = objects.properties(characteristics[0], BlueZ.Interface.gattCharacteristic)?[
            "UUID"
        ]
        #expect(uuid?.string == "0000ffe1-0000-1000-8000-00805f9b34fb")
        await harness.fixture.end()
    }

    @Test("A permission for writes also applies to writes without response")
    func protectedWrites() {
        let permissions = GATT.Permissions(write: .encrypted, subscribe: .authenticated)
        let properties: GATT.CharacteristicProperties = [.writeWithoutResponse, .indicate]
        #expect(
            properties.flags(with: permissions) == [
                "write-without-response", "indicate", "encrypt-write",
                "encrypt-authenticated-indicate",
            ]
        )
    }

    @Test("A value in the database is read from an offset up to its end, and is not written")
    func stored() async throws {
        let harness = try await DaemonServingHarness()
        harness.call(1, "ReadValue", [], ["offset": .uint16(1)])
        #expect(await harness.answer()?.body == [.bytes([2, 3])])
        harness.call(1, "ReadValue", [], ["offset": .uint16(4)])
        #expect(await harness.answer()?.errorName == "org.bluez.Error.InvalidOffset")
        harness.call(1, "WriteValue", [.bytes([7])])
        #expect(await harness.answer()?.errorName == "org.bluez.Error.NotPermitted")
        await harness.fixture.end()
    }

    @Test("An offset that no value can have is refused", arguments: [0, 1])
    func impossibleOffset(index: Int) async throws {
        let harness = try await DaemonServingHarness(storing: .init(read: .open, write: .open))
        let offsets: [DBusValue] = [.int16(-1), .int32(.min), .int64(.max), .string("1")]
        for offset in offsets {
            harness.call(index, "ReadValue", [], ["offset": offset])
            #expect(await harness.answer()?.errorName == "org.bluez.Error.InvalidOffset")
            harness.call(index, "WriteValue", [.bytes([7])], ["offset": offset])
            #expect(await harness.answer()?.errorName == "org.bluez.Error.InvalidOffset")
        }
        await harness.fixture.end()
    }

    @Test("The application answers requests, and its errors reach the daemon")
    func asked() async throws {
        let harness = try await DaemonServingHarness()
        let handle = harness.service.characteristics[0].valueHandle
        harness.call(0, "ReadValue", [], ["mtu": .uint16(100)])
        let opened = await harness.fixture.next { event -> Bool? in
            if case .linkOpened(_, _, let isIncoming) = event { isIncoming } else { nil }
        }
        #expect(opened == true)
        guard case .read(_, handle, 0)? = await harness.answerQuestion(.success([9])) else {
            Issue.record("The question is not the expected one")
            return
        }
        #expect(await harness.answer()?.body == [.bytes([9])])

        harness.call(0, "WriteValue", [.bytes([1])], ["type": .string("request")])
        let code = ATT.ErrorCode(rawValue: 0x80)
        guard
            case .write(_, [.init(handle: handle, value: [1])], needsAnswer: true)? =
                await harness.answerQuestion(.failure(code))
        else {
            Issue.record("The question is not the expected one")
            return
        }
        let refusal = try #require(await harness.answer())
        #expect(refusal.errorName == "org.bluez.Error.Failed")
        #expect(refusal.body == [.string("0x80")])

        harness.call(0, "WriteValue", [.bytes([2])], ["type": .string("command")])
        guard case .write(_, _, needsAnswer: false)? = await harness.answerQuestion(.success([]))
        else {
            Issue.record("The question is not the expected one")
            return
        }
        #expect(await harness.answer()?.errorName == nil)
        await harness.fixture.end()
    }

    @Test("An observer that is attached later receives the link with its direction")
    func lateObserver() async throws {
        let harness = try await DaemonServingHarness()
        harness.call(0, "ReadValue")
        let link = try #require(await harness.fixture.link())
        let (events, continuation) = AsyncStream<PortEvent>.makeStream()
        let late = LateObserver(continuation)
        await harness.fixture.onPort { $0.attach(late) }
        let found = await events.first { if case .linkOpened = $0 { true } else { false } }
        guard case .linkOpened(link, _, let isIncoming)? = found else {
            Issue.record("The event is not the expected one")
            return
        }
        #expect(isIncoming)
        await harness.fixture.end()
    }

    private final class LateObserver: PortObserver {
        private let continuation: AsyncStream<PortEvent>.Continuation

        init(_ continuation: AsyncStream<PortEvent>.Continuation) {
            self.continuation = continuation
        }

        func portDid(_ event: PortEvent) { continuation.yield(event) }
    }

    @Test("The end of the link ends the call of the client")
    func ended() async throws {
        let harness = try await DaemonServingHarness()
        harness.call(0, "ReadValue")
        let link = await harness.fixture.link()
        harness.daemon.disconnectDevice()
        #expect(await harness.answer()?.errorName == "org.bluez.Error.Failed")
        #expect(await harness.fixture.closed() == .linkEnded(.unknown))
        #expect(link != nil)
        await harness.fixture.end()
    }

    @Test("A subscription has a socket, and ends when the socket is closed")
    func subscription() async throws {
        let harness = try await DaemonServingHarness()
        harness.call(2, "AcquireNotify", [], ["mtu": .uint16(64)])
        let reply = try #require(await harness.answer())
        #expect(reply.body == [.unixFD(0), .uint16(64)] && reply.descriptorCount == 1)
        let kinds = [GATT.SubscriptionKind.notification, nil]
        // The bus of this test closes the file descriptors that it receives.
        for expected in kinds {
            let kind = await harness.fixture.next { event -> GATT.SubscriptionKind?? in
                if case .subscribed(_, _, let kind) = event { .some(kind) } else { nil }
            }
            #expect(kind == .some(expected))
        }
        await harness.fixture.end()
    }

    @Test("The daemon's refusal of a service is reported, and the service is no longer published")
    func refused() async throws {
        let harness = try await DaemonServingHarness(refusing: "org.bluez.Error.InvalidArguments")
        let failed = await harness.fixture.next { event -> GATT.DiscoveredService? in
            if case .publishingFailed(let service, _) = event { service } else { nil }
        }
        #expect(failed == harness.service)
        let services = await harness.fixture.onPort { port in
            port.onThread { $0.server.services.count }
        }
        #expect(services == 0)
        await harness.fixture.end()
    }

    @Test("When the daemon returns, the services and the advertisements are registered again")
    func returns() async throws {
        let harness = try await DaemonServingHarness()
        let advertised = await withCheckedContinuation { done in
            harness.fixture.adapter.thread.perform {
                _ = harness.fixture.adapter.advertise(Advertising()) { done.resume(returning: $0) }
            }
        }
        _ = try advertised.get()
        harness.daemon.bus.setOwned("org.bluez", false)
        await harness.fixture.becomes(.unavailable)
        harness.daemon.bus.setOwned("org.bluez", true)
        await harness.daemon.called("RegisterApplication", times: 2)
        await harness.daemon.called("RegisterAdvertisement", times: 2)
        let service = harness.service
        await harness.fixture.onPort { try? $0.unpublish(service) }
        await harness.daemon.called("UnregisterApplication")
        await harness.fixture.end()
    }

    /// The daemon keeps the advertisement while the adapter is off.
    ///
    /// - Parameter updates: Whether the clients of the port update the set as soon as the port is
    ///   ready again.
    @Test("Advertising continues when the adapter is turned off and on", arguments: [false, true])
    func turnedOffAndOn(updates: Bool) async throws {
        let harness = try await DaemonServingHarness()
        let known = Mutex<Set<String>>([])
        // The daemon keeps the advertisements of an adapter that is off.
        harness.daemon.on("RegisterAdvertisement") { call, daemon in
            let path = call.body.first?.objectPath?.description ?? ""
            guard known.withLock({ $0.insert(path).inserted }) else {
                return daemon.bus.refuse(call, "org.bluez.Error.AlreadyExists")
            }
            daemon.bus.reply(to: call)
        }
        harness.daemon.on("UnregisterAdvertisement") { call, daemon in
            let path = call.body.first?.objectPath?.description ?? ""
            _ = known.withLock { $0.remove(path) }
            daemon.bus.reply(to: call)
        }
        let set = await harness.fixture.onPort { $0.advertise(Advertising()) { _ in } }
        let adapter = harness.fixture.adapter
        harness.fixture.react { event in
            guard updates, case .stateChanged(.ready) = event else { return }
            adapter.update(set, to: Advertising()) { _ in }
        }
        for time in 1...2 {
            await harness.daemon.called("RegisterAdvertisement", times: time)
            harness.daemon.setPowered(false)
            await harness.fixture.becomes(.unavailable)
            harness.daemon.setPowered(true)
            await harness.fixture.becomes(.ready)
        }
        await harness.daemon.called("RegisterAdvertisement", times: 3)
        harness.daemon.setPowered(false)
        let hasEnded = await harness.fixture.next { event -> Bool? in
            switch event {
            case .advertisingEnded: true
            case .stateChanged(.unavailable): false
            default: nil
            }
        }
        #expect(hasEnded == false)
        #expect(known.withLock { $0.count } == 1)
        await harness.fixture.end()
    }

    @Test("If the daemon refuses changed advertising, the set ends")
    func refusedChange() async throws {
        let harness = try await DaemonServingHarness()
        let set = await harness.fixture.onPort { $0.advertise(Advertising()) { _ in } }
        await harness.daemon.called("RegisterAdvertisement")
        harness.daemon.on("RegisterAdvertisement") { call, daemon in
            daemon.bus.refuse(call, "org.bluez.Error.NotPermitted")
        }
        let (results, continuation) = AsyncStream<Bool>.makeStream()
        await harness.fixture.onPort { port in
            port.update(set, to: Advertising()) { continuation.yield((try? $0.get()) != nil) }
        }
        #expect(await results.first { _ in true } == false)
        let ended = await harness.fixture.next { event -> RequestIdentifier? in
            if case .advertisingEnded(let set) = event { set } else { nil }
        }
        #expect(ended == set)
        await harness.fixture.end()
    }

    @Test("An advertised name with a zero byte is refused, because no message can contain it")
    func zeroByte() async throws {
        let harness = try await DaemonServingHarness()
        let results = await harness.fixture.onPort { port in
            let (results, continuation) = AsyncStream<Bool>.makeStream()
            let advertising = Advertising(AdvertisingContent(localName: "A\0B"))
            let set = port.advertise(Advertising()) { continuation.yield((try? $0.get()) != nil) }
            _ = port.advertise(advertising) { continuation.yield((try? $0.get()) != nil) }
            port.update(set, to: advertising) { continuation.yield((try? $0.get()) != nil) }
            return results
        }
        var accepted = 0
        for await isAccepted in results.prefix(3) { accepted += isAccepted ? 1 : 0 }
        #expect(accepted == 1)
        await harness.fixture.end()
    }

    @Test("The daemon reads an advertisement, and its release ends the set")
    func advertisement() async throws {
        let harness = try await DaemonServingHarness()
        let (paths, continuation) = AsyncStream<String>.makeStream()
        harness.daemon.on("RegisterAdvertisement") { call, daemon in
            continuation.yield(call.body.first?.objectPath?.description ?? "")
            daemon.bus.reply(to: call)
        }
        var content = AdvertisingContent(localName: "Name", serviceUUIDs: [BluetoothUUID(0xFFE0)])
        content.manufacturerData = [.init(company: 0xFFFF, bytes: [1])]
        var advertising = Advertising(content)
        advertising.interval = .milliseconds(152.5) ... .seconds(20)
        let request = advertising
        let set = await harness.fixture.onPort { $0.advertise(request) { _ in } }
        var iterator = paths.makeAsyncIterator()
        let path = try #require(await iterator.next())
        let name: [DBusValue] = [.string(BlueZ.Interface.advertisement)]
        harness.call(path, BlueZ.Interface.properties, "GetAll", name)
        let properties = try #require(await harness.answer()?.body.first?.properties)
        #expect(properties["Type"] == .string("peripheral"))
        #expect(properties["LocalName"] == .string("Name"))
        #expect(
            properties["ServiceUUIDs"] == .strings(["0000ffe0-0000-1000-8000-00805f9b34fb"])
        )
        #expect(properties["ManufacturerData"]?.entries?.first?.key == .uint16(0xFFFF))
        #expect(properties["MinInterval"] == .uint32(152))
        #expect(properties["MaxInterval"] == .uint32(10_240))
        harness.call(path, BlueZ.Interface.advertisement, "Release", [])
        let ended = await harness.fixture.next { event -> RequestIdentifier? in
            if case .advertisingEnded(let set) = event { set } else { nil }
        }
        #expect(ended == set)
        await harness.fixture.end()
    }

    @Test("Another program on the bus cannot read the published values")
    func strangers() async throws {
        let harness = try await DaemonServingHarness()
        let call = DBusMessage(
            .call(
                path: DBusObjectPath(harness.path(1)) ?? .root,
                interface: BlueZ.Interface.gattCharacteristic,
                member: "ReadValue"
            ),
            sender: ":1.66",
            body: [.properties([:])]
        )
        harness.daemon.bus.send(call)
        let answer = try #require(await harness.answer())
        #expect(answer.errorName == "org.freedesktop.DBus.Error.UnknownObject")
        await harness.fixture.end()
    }
}
