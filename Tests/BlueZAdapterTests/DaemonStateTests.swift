// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothPort
import BusTestSupport
import DBus
import HCITransports
import Synchronization
import Testing

@testable import BlueZAdapter

@Suite(.timeLimit(.minutes(1))) struct DaemonStateTests {
    @Test("The state follows the power of the adapter")
    func power() async throws {
        let fixture = try Fixture(FakeDaemon())
        await fixture.becomes(.ready)
        let rules = fixture.daemon.bus.rules
        #expect(rules.count == 4)
        #expect(rules.allSatisfy { $0.contains("sender=") })
        fixture.daemon.setPowered(false)
        await fixture.becomes(.unavailable)
        fixture.daemon.setPowered(true)
        await fixture.becomes(.ready)
        await fixture.end()
    }

    @Test("A daemon that starts later is used")
    func lateDaemon() async throws {
        let fixture = try Fixture(FakeDaemon(isRunning: false))
        await fixture.becomes(.unavailable)
        fixture.daemon.bus.setOwned("org.bluez", true)
        await fixture.becomes(.ready)
        await fixture.end()
    }

    @Test("Only the named adapter is used")
    func named() async throws {
        var objects = FakeDaemon.standard
        objects["/org/bluez/hci1"] = [
            "org.bluez.Adapter1": ["Powered": .boolean(true)]
        ]
        let fixture = try Fixture(FakeDaemon(objects: objects), adapterName: "hci1")
        await fixture.becomes(.ready)
        let path = await fixture.onPort { port in port.onThread { $0.adapterPath } }
        #expect(path == DBusObjectPath("/org/bluez/hci1"))
        fixture.daemon.remove("/org/bluez/hci1")
        await fixture.becomes(.unavailable)
        await fixture.end()
    }

    @Test("An adapter that cannot be a central is unsuitable")
    func roles() async throws {
        var objects = FakeDaemon.standard
        objects[FakeDaemon.adapter]?["org.bluez.Adapter1"]?["Roles"] = .array(
            .string,
            [.string("peripheral")]
        )
        let fixture = try Fixture(FakeDaemon(objects: objects))
        await fixture.becomes(.unsuitable)
        await fixture.end()
    }

    @Test("If the daemon ends, requests and links end, and its return makes the adapter ready")
    func killedDaemon() async throws {
        let fixture = try Fixture(FakeDaemon())
        let (link, _) = try await fixture.connected()
        fixture.daemon.on("ReadValue") { _, daemon in daemon.bus.setOwned("org.bluez", false) }
        await #expect(throws: PortError.unavailable) {
            try await fixture.perform(.read(AttributeHandle(0x12)), on: link)
        }
        #expect(await fixture.closed() == .unavailable)
        await fixture.becomes(.unavailable)
        fixture.daemon.disconnectDevice()
        fixture.daemon.bus.setOwned("org.bluez", true)
        await fixture.becomes(.ready)
        await fixture.end()
    }

    @Test("The end of the bus ends the request, and the adapter is ready when the bus returns")
    func endedBus() async throws {
        let fixture = try Fixture(FakeDaemon())
        let (link, _) = try await fixture.connected()
        fixture.daemon.on("ReadValue") { _, daemon in daemon.bus.disconnect() }
        await #expect(throws: PortError.unavailable) {
            try await fixture.perform(.read(AttributeHandle(0x12)), on: link)
        }
        await fixture.becomes(.unavailable)
        await fixture.becomes(.ready)
        await fixture.end()
    }

    @Test("The removal of the adapter ends the link and its request")
    func unplugged() async throws {
        let fixture = try Fixture(FakeDaemon())
        let (link, _) = try await fixture.connected()
        fixture.daemon.on("ReadValue") { _, daemon in daemon.remove(FakeDaemon.adapter) }
        await #expect(throws: PortError.unavailable) {
            try await fixture.perform(.read(AttributeHandle(0x12)), on: link)
        }
        #expect(await fixture.closed() == .unavailable)
        await fixture.becomes(.unavailable)
        await fixture.end()
    }

    @Test("If the adapter is removed, scans and services continue on another adapter")
    func replaced() async throws {
        var objects = FakeDaemon.standard
        objects[FakeDaemon.adapter]?["org.bluez.GattManager1"] = [:]
        objects["/org/bluez/hci1"] = objects[FakeDaemon.adapter]
        let daemon = try FakeDaemon(objects: objects)
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        try await fixture.onPort { port in
            _ = port.startScan(PortScan()) { _ in }
            return Result { try port.publish(GATT.ServiceDefinition(BluetoothUUID(0xFFE0), [])) }
        }.get()
        await daemon.called("RegisterApplication")
        await daemon.called("StartDiscovery")
        daemon.remove(FakeDaemon.adapter)
        await fixture.becomes(.unavailable)
        await fixture.becomes(.ready)
        await daemon.called("RegisterApplication", times: 2)
        await daemon.called("StartDiscovery", times: 2)
        await fixture.end()
    }

    @Test("The adapter in use stays in use if another adapter is added before it")
    func added() async throws {
        var objects = FakeDaemon.standard
        objects["/org/bluez/hci1"] = objects[FakeDaemon.adapter]
        objects[FakeDaemon.adapter] = nil
        let daemon = try FakeDaemon(objects: objects)
        let fixture = Fixture(daemon)
        await fixture.becomes(.ready)
        daemon.add(FakeDaemon.adapter, ["org.bluez.Adapter1": ["Powered": .boolean(false)]])
        // The answer arrives after the signal.
        await withCheckedContinuation { done in
            fixture.adapter.thread.perform {
                fixture.adapter.onThread { $0.loadDevice(.root) { _ in done.resume() } }
            }
        }
        let state = await fixture.onPort { port in port.onThread { ($0.adapterPath, $0.state) } }
        #expect(state.0 == DBusObjectPath("/org/bluez/hci1"))
        #expect(state.1 == .ready)
        await fixture.end()
    }

    @Test("Signals of programs other than the daemon have no effect")
    func forgedSignals() async throws {
        let fixture = try Fixture(FakeDaemon())
        let (link, _) = try await fixture.connected()
        fixture.daemon.change(
            FakeDaemon.adapter,
            "org.bluez.Adapter1",
            ["Powered": .boolean(false)],
            from: ":1.66"
        )
        let outcome = try await fixture.perform(.read(AttributeHandle(0x12)), on: link)
        #expect(outcome == .value([1, 2, 3]))
        await fixture.end()
    }

    @Test("Identifiers and records survive a restart with the same store")
    func store() async throws {
        let store = MemoryStore()
        var identifiers: [PeerIdentifier] = []
        for run in 0..<2 {
            let fixture = try Fixture(FakeDaemon(), store: store)
            await fixture.becomes(.ready)
            identifiers.append(fixture.adapter.identifier(of: Fixture.sensor))
            #expect(fixture.adapter.recognizes(identifiers[0]))
            if run == 0 {
                #expect(await fixture.onPort { $0.storeRecord([1, 2], "restoration") })
                #expect(await !fixture.onPort { $0.storeRecord([1], "Not a name") })
            } else {
                #expect(await fixture.onPort { $0.record("restoration") } == [1, 2])
                #expect(await fixture.onPort { $0.storeRecord(nil, "restoration") })
                #expect(await fixture.onPort { $0.record("restoration") } == nil)
            }
            await fixture.end()
        }
        #expect(identifiers[0] == identifiers[1])
    }

    @Test("A key that cannot be read stays in the store")
    func unreadableKey() async throws {
        let store = UnreadableStore()
        let first = BlueZAdapter.secret(in: store)
        store.isReadable = false
        #expect(BlueZAdapter.secret(in: store) != first)
        store.isReadable = true
        #expect(BlueZAdapter.secret(in: store) == first)
    }

    @Test("A record that cannot be read is not removed, and is set aside when it is replaced")
    func unreadableRecord() async throws {
        let store = UnreadableStore()
        let fixture = try Fixture(FakeDaemon(), store: store)
        await fixture.becomes(.ready)
        #expect(await fixture.onPort { $0.storeRecord([1, 2], "restoration") })
        store.isReadable = false
        #expect(await fixture.onPort { $0.record("restoration") } == nil)
        store.isReadable = true
        #expect(await fixture.onPort { $0.storeRecord(nil, "restoration") })
        #expect(store.load(of: "application-restoration") == [1, 2])
        #expect(await fixture.onPort { $0.storeRecord([3], "restoration") })
        #expect(await fixture.onPort { $0.record("restoration") } == [3])
        #expect(store.setAside == ["application-restoration"])
        await fixture.end()
    }
}

/// A store whose entries can become unreadable.
private final class UnreadableStore: HostStore {
    private struct ReadError: Error {}

    private let base = MemoryStore()
    private let state = Mutex((isReadable: true, setAside: [String]()))

    var isReadable: Bool {
        get { state.withLock { $0.isReadable } }
        set { state.withLock { $0.isReadable = newValue } }
    }
    var setAside: [String] { state.withLock { $0.setAside } }

    func load(of name: String) -> [UInt8]? { StoreKey(name).flatMap { base.load($0) } }

    func load(_ key: StoreKey) throws -> [UInt8]? {
        guard isReadable else { throw ReadError() }
        return base.load(key)
    }

    func save(_ bytes: [UInt8], as key: StoreKey) { base.save(bytes, as: key) }
    func remove(_ key: StoreKey) { base.remove(key) }
    func keys() -> [StoreKey] { base.keys() }

    func setAside(_ key: StoreKey, because reason: String) {
        state.withLock { $0.setAside.append(key.description) }
        base.setAside(key, because: reason)
    }
}
