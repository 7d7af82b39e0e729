// SPDX-License-Identifier: Apache-2.0

import DBus
import HCITransports
import Synchronization

/// A simulated BlueZ daemon on a bus in this process, by default with an adapter and a heart rate
/// sensor. A test can replace the answer to any method.
package final class FakeDaemon: Sendable {
    package typealias Answer = @Sendable (DBusMessage, FakeDaemon) -> Void
    package typealias Interfaces = [String: [String: DBusValue]]

    package static let adapter = "/org/bluez/hci0"
    package static let device = "/org/bluez/hci0/dev_C4_F0_00_00_00_01"
    package static let service = device + "/service0010"
    package static let rate = service + "/char0011"
    package static let control = service + "/char0014"
    package static let label = control + "/desc0016"

    private struct State {
        var objects: [String: Interfaces]
        var answers: [String: Answer] = [:]
        var calls: [String] = []
        var replied: (@Sendable (DBusMessage) -> Void)?
        var waiters: [(member: String, count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>
    private let started = Mutex<FakeBus?>(nil)

    package init(objects: [String: Interfaces] = standard, isRunning: Bool = true) throws {
        state = Mutex(State(objects: objects))
        let missing: Set<String> = isRunning ? [] : ["org.bluez"]
        let bus = try FakeBus(missing: missing) { [weak self] message, _ in self?.handle(message) }
        started.withLock { $0 = bus }
    }

    package var bus: FakeBus {
        guard let bus = started.withLock({ $0 }) else { preconditionFailure("no bus") }
        return bus
    }

    // MARK: Objects

    /// An adapter, and a device in range without services.
    package static let standard: [String: Interfaces] = [
        adapter: [
            "org.bluez.Adapter1": [
                "Address": .string("00:11:22:33:44:55"), "Powered": .boolean(true),
                "Discovering": .boolean(false),
                "Roles": .array(.string, [.string("central"), .string("peripheral")]),
            ]
        ],
        device: [
            "org.bluez.Device1": [
                "Address": .string("C4:F0:00:00:00:01"), "AddressType": .string("random"),
                "Name": .string("Sensor"), "RSSI": .int16(-61), "Connected": .boolean(false),
                "ServicesResolved": .boolean(false), "Paired": .boolean(false),
                "UUIDs": .array(.string, [.string("0000180d-0000-1000-8000-00805f9b34fb")]),
                "ManufacturerData": .dictionary(
                    .uint16,
                    .variant,
                    [.init(.uint16(0x1234), .variant(.bytes([9, 8])))]
                ),
            ]
        ],
    ]

    /// A service with a value to notify, a value to write, and a descriptor.
    package static let services: [String: Interfaces] = [
        service: [
            "org.bluez.GattService1": [
                "UUID": .string("0000180d-0000-1000-8000-00805f9b34fb"), "Primary": .boolean(true),
            ]
        ],
        rate: [
            "org.bluez.GattCharacteristic1": [
                "UUID": .string("00002a37-0000-1000-8000-00805f9b34fb"), "MTU": .uint16(100),
                "Flags": .array(.string, [.string("read"), .string("notify")]),
            ]
        ],
        control: [
            "org.bluez.GattCharacteristic1": [
                "UUID": .string("00002a39-0000-1000-8000-00805f9b34fb"), "MTU": .uint16(100),
                "Flags": .array(.string, [.string("write"), .string("write-without-response")]),
            ]
        ],
        label: [
            "org.bluez.GattDescriptor1": ["UUID": .string("00002901-0000-1000-8000-00805f9b34fb")]
        ],
    ]

    /// Adds or replaces an object, and reports it.
    package func add(_ path: String, _ interfaces: Interfaces) {
        state.withLock { $0.objects[path] = interfaces }
        guard let object = DBusObjectPath(path) else { return }
        bus.signal(
            "/",
            "org.freedesktop.DBus.ObjectManager",
            "InterfacesAdded",
            [.objectPath(object), Self.value(interfaces)]
        )
    }

    /// Changes properties of the device without a report.
    package func changeDeviceSilently(_ properties: [String: DBusValue]) {
        state.withLock { state in
            state.objects[Self.device]?["org.bluez.Device1"]?.merge(properties) { $1 }
        }
    }

    /// Adds objects without a report.
    package func addSilently(_ objects: [String: Interfaces]) {
        state.withLock { $0.objects.merge(objects) { $1 } }
    }

    /// Removes an object, and reports it.
    package func remove(_ path: String) {
        guard let object = DBusObjectPath(path),
            let interfaces = state.withLock({ $0.objects.removeValue(forKey: path) })
        else { return }
        bus.signal(
            "/",
            "org.freedesktop.DBus.ObjectManager",
            "InterfacesRemoved",
            [.objectPath(object), .array(.string, interfaces.keys.map { .string($0) })]
        )
    }

    /// Reports changed properties as a sender, and changes them if the sender is the daemon.
    package func change(
        _ path: String,
        _ interface: String,
        _ properties: [String: DBusValue],
        from sender: String = FakeBus.program
    ) {
        if sender == FakeBus.program {
            state.withLock { state in
                for (name, value) in properties { state.objects[path]?[interface]?[name] = value }
            }
        }
        bus.signal(
            path,
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            [.string(interface), .properties(properties), .array(.string, [])],
            from: sender
        )
    }

    package func changeDevice(_ properties: [String: DBusValue]) {
        change(Self.device, "org.bluez.Device1", properties)
    }

    /// Turns the adapter on or off.
    package func setPowered(_ isPowered: Bool) {
        change(Self.adapter, "org.bluez.Adapter1", ["Powered": .boolean(isPowered)])
    }

    /// Connects the device, adds its services, and reports that they are discovered.
    package func connectDevice() {
        changeDevice(["Connected": .boolean(true)])
        for (path, interfaces) in Self.services.sorted(by: { $0.key < $1.key }) {
            add(path, interfaces)
        }
        changeDevice(["ServicesResolved": .boolean(true)])
    }

    package func disconnectDevice() {
        changeDevice(["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
    }

    private static func value(_ interfaces: Interfaces) -> DBusValue {
        .dictionary(
            .string,
            .dictionary(.string, .variant),
            interfaces.map { .init(.string($0.key), .properties($0.value)) }
        )
    }

    // MARK: Calls

    /// Replaces the answer to a method.
    package func on(_ member: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[member] = answer }
    }

    /// Sets the receiver of messages of the client that are not calls, such as its agent's replies.
    package func onReply(_ replied: @escaping @Sendable (DBusMessage) -> Void) {
        state.withLock { $0.replied = replied }
    }

    /// The methods that were called, in order.
    package var calls: [String] { state.withLock { $0.calls } }

    /// Waits until a method has been called at least this many times.
    package func called(_ member: String, times count: Int = 1) async {
        await withCheckedContinuation { waiter in
            let isDone = state.withLock { state in
                guard state.calls.filter({ $0 == member }).count < count else { return true }
                state.waiters.append((member, count, waiter))
                return false
            }
            if isDone { waiter.resume() }
        }
    }

    private func handle(_ message: DBusMessage) {
        guard case .call(_, _, let member) = message.kind else {
            state.withLock { $0.replied }?(message)
            return
        }
        let (answer, waiters) = state.withLock { state in
            state.calls.append(member)
            let calls = state.calls
            let isDone = {
                (waiter: (member: String, count: Int, CheckedContinuation<Void, Never>)) in
                calls.filter { $0 == waiter.member }.count >= waiter.count
            }
            let done = state.waiters.filter(isDone)
            state.waiters.removeAll(where: isDone)
            return (state.answers[member], done)
        }
        if let answer { answer(message, self) } else { answerAsUsual(message) }
        for (_, _, waiter) in waiters { waiter.resume() }
    }

    /// Answers a call as if no answer to its method had been set.
    package func answerAsUsual(_ message: DBusMessage) {
        guard case .call(let path, _, let member) = message.kind else { return }
        switch member {
        case "GetAll":
            let interfaces = state.withLock { $0.objects[path.description] }
            let properties = interfaces?[message.body.first?.string ?? ""]
            bus.reply(to: message, [.properties(properties ?? [:])])
        case "GetManagedObjects": bus.reply(to: message, [managedObjects])
        case "Connect":
            connectDevice()
            bus.reply(to: message)
        case "Disconnect":
            disconnectDevice()
            bus.reply(to: message)
        case "ReadValue": bus.reply(to: message, [.bytes([1, 2, 3])])
        case "AcquireNotify", "AcquireWrite": bus.refuse(message, "org.bluez.Error.NotSupported")
        default: bus.reply(to: message)
        }
    }

    private var managedObjects: DBusValue {
        let objects = state.withLock { $0.objects }
        return .dictionary(
            .objectPath,
            .dictionary(.string, .dictionary(.string, .variant)),
            objects.compactMap { path, interfaces in
                DBusObjectPath(path).map { .init(.objectPath($0), Self.value(interfaces)) }
            }
        )
    }
}
