// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import LanyardTesting
import Synchronization
import Testing

/// An app with a central that connects to a device, with a limit in real time.
private final class Connector: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    // Unchecked: the variables are used on `queue` only.

    private let queue = DispatchQueue(label: "connector")
    private let name: String
    private let timeLimit: DispatchTimeInterval
    private let events = AsyncStream.makeStream(of: String.self)
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?

    init(to name: String, within timeLimit: DispatchTimeInterval, on adapter: CBAdapter) {
        self.name = name
        self.timeLimit = timeLimit
        super.init()
        queue.sync {
            let options = [CBManagerOptionAdapterKey: adapter]
            manager = CBCentralManager(delegate: self, queue: queue, options: options)
        }
    }

    /// Returns the next event of the app.
    func next() async -> String? {
        var iterator = events.stream.makeAsyncIterator()
        return await iterator.next()
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard peripheral.name == name, self.peripheral == nil else { return }
        self.peripheral = peripheral
        central.stopScan()
        events.continuation.yield("found")
    }

    func connect() {
        queue.async { [self] in
            guard let manager, let peripheral else { return }
            manager.connect(peripheral)
            queue.asyncAfter(deadline: .now() + timeLimit) { [self] in giveUp() }
        }
    }

    private func giveUp() {
        guard let manager, let peripheral, peripheral.state == .connecting else { return }
        manager.cancelPeripheralConnection(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        events.continuation.yield("connected")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        events.continuation.yield(error == nil ? "canceled" : "lost")
    }
}

/// An app that advertises a name.
private final class Advertiser: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    // Unchecked: the variable is set once, and its object may be used on any thread.

    private let name: String
    private var manager: CBPeripheralManager?

    init(_ name: String, on adapter: CBAdapter) {
        self.name = name
        super.init()
        manager = CBPeripheralManager(
            delegate: self,
            queue: DispatchQueue(label: "advertiser"),
            options: [CBManagerOptionAdapterKey: adapter]
        )
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    }
}

@Suite("A world in real time", .timeLimit(.minutes(2)))
struct RealTimeWorldTests {
    @Test("Two devices of one process connect over the virtual radio")
    func devices() async {
        let world = RealTimeWorld()
        let phone = await world.addDevice("Phone")
        let lamp = await world.addDevice("Lamp", at: .near)
        let advertiser = Advertiser("Lamp", on: lamp)
        let connector = Connector(to: "Lamp", within: .seconds(60), on: phone)
        #expect(await connector.next() == "found")
        connector.connect()
        #expect(await connector.next() == "connected")
        withExtendedLifetime(advertiser) {}
        await world.shutDown()
        await world.shutDown()
    }

    @Test("A timeout in real time cancels a connection request to an accessory that is off")
    func timeout() async {
        let world = RealTimeWorld(seed: 2)
        let strap = world.add(VirtualAccessory("Strap", services: []))
        let phone = await world.addDevice("Phone")
        let connector = Connector(to: "Strap", within: .milliseconds(50), on: phone)
        #expect(await connector.next() == "found")
        strap.switchOff()
        #expect(await strap.linkCount == 0)
        connector.connect()
        #expect(await connector.next() == "canceled")
        #expect(world.story.texts == ["Strap goes off"])
        await world.shutDown()
    }

    @Test("A link to an accessory that reboots is lost, and a new connection request succeeds")
    func reboot() async {
        let world = RealTimeWorld(seed: 3)
        let strap = world.add(VirtualAccessory("Strap", services: []), at: .near)
        let phone = await world.addDevice("Phone")
        let connector = Connector(to: "Strap", within: .seconds(60), on: phone)
        #expect(await connector.next() == "found")
        connector.connect()
        #expect(await connector.next() == "connected")
        #expect(await strap.linkCount == 1)
        strap.reboot(after: .milliseconds(10))
        #expect(await connector.next() == "lost")
        connector.connect()
        #expect(await connector.next() == "connected")
        #expect(world.story.texts == ["Strap goes off", "Strap goes on"])
        await world.shutDown()
    }
}
