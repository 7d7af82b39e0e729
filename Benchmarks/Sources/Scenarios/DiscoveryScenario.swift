// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth) && os(Linux)
    import BluetoothGAP
    import BluetoothHost
    // The virtual radio has a type `Link` too.
    import struct BluetoothHost.Link
    import BluetoothTypes
    import CoreBluetooth
    import Dispatch
    import Foundation
    import Synchronization
    import VirtualAccessories
    import VirtualAdapters
    import VirtualRadio

    /// An accessory with many services on the virtual radio, and the discovery of all of them.
    public struct DiscoveryScenario: Sendable {
        /// The layer that discovers, and the procedure.
        public enum Procedure: String, CaseIterable, Sendable {
            case database = "the host: link.database()"
            case procedures = "the host: services, then the characteristics of each"
            case facade = "a CBPeripheral: services, then the characteristics of each"
        }

        private static let name = "Cupboard"
        private let serviceCount: Int

        /// Creates an accessory with this many services of two characteristics each.
        public init(serviceCount: Int) {
            self.serviceCount = serviceCount
        }

        /// Discovers everything on a new link. Returns the time without the connection.
        public func run(_ procedure: Procedure) async throws -> (real: Duration, virtual: Duration)
        {
            let world = World(seed: 7)
            try world.addController(
                ControllerConfiguration(name: Self.name),
                host: SimpleAccessory(profile)
            )
            let phone = try world.addController(ControllerConfiguration(name: "phone"))
            let air = SimulatedAir(world)
            return try await air.run {
                switch procedure {
                case .database:
                    return try await discover(from: air, phone) { _ = try await $0.database() }
                case .procedures:
                    return try await discover(from: air, phone) { link in
                        for service in try await link.discoverServices() {
                            _ = try await link.discoverCharacteristics(of: service)
                        }
                    }
                case .facade: return try await discoverByFacade(on: air, phone)
                }
            }
        }

        private var profile: SimpleAccessoryProfile {
            let services = (0..<serviceCount).map { number in
                let first = UInt16(0xF000 + number * 3)
                return SimpleAccessoryProfile.Service(
                    BluetoothUUID(first),
                    [
                        .init(BluetoothUUID(first + 1), .read, value: [1]),
                        .init(BluetoothUUID(first + 2), [.read, .notify], value: [2]),
                    ]
                )
            }
            return SimpleAccessoryProfile(
                name: Self.name,
                services: services,
                advertisedServices: [],
                advertisingInterval: .milliseconds(30)
            )
        }

        private func discover(
            from air: SimulatedAir,
            _ phone: ControllerID,
            _ body: @Sendable (Link) async throws -> Void
        ) async throws -> (real: Duration, virtual: Duration) {
            let host = BluetoothHost(
                transport: air.adapter(of: phone),
                executor: air.executor
            )
            try await host.start()
            for try await found in host.scan(for: ScanFilter(name: Self.name)) {
                let link = try await host.connect(to: found.address)
                let (start, began) = (ContinuousClock.now, air.now)
                try await body(link)
                let taken = (ContinuousClock.now - start, air.now - began)
                await host.shutdown()
                return taken
            }
            throw CancellationError()
        }

        private func discoverByFacade(
            on air: SimulatedAir,
            _ phone: ControllerID
        ) async throws -> (real: Duration, virtual: Duration) {
            let adapter = CBAdapter(transport: air.adapter(of: phone), executor: air.executor)
            let explorer = Explorer(adapter)
            await explorer.connected.wait()
            let (start, began) = (ContinuousClock.now, air.now)
            explorer.discover()
            await explorer.discovered.wait()
            let taken = (ContinuousClock.now - start, air.now - began)
            precondition(
                explorer.characteristicCount == serviceCount * 2,
                "Some characteristics are missing"
            )
            await adapter.shutDown()
            return taken
        }
    }

    /// An app that discovers everything on the first peripheral.
    ///
    /// Unchecked: its mutable state changes on the queue, and is read after `discovered` has
    /// signaled the end.
    private final class Explorer: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
        @unchecked Sendable
    {
        let connected = Signal()
        let discovered = Signal()
        private(set) var characteristicCount = 0
        private var manager: CBCentralManager?
        private var peripheral: CBPeripheral?
        private var pendingCount = 0

        init(_ adapter: CBAdapter) {
            super.init()
            manager = CBCentralManager(
                delegate: self,
                queue: DispatchQueue(label: "application"),
                options: [CBManagerOptionAdapterKey: adapter]
            )
        }

        func discover() { peripheral?.discoverServices(nil) }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
        }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            guard self.peripheral == nil else { return }
            self.peripheral = peripheral
            peripheral.delegate = self
            central.stopScan()
            central.connect(peripheral)
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            connected.send()
        }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
            pendingCount = peripheral.services?.count ?? 0
            for service in peripheral.services ?? [] {
                peripheral.discoverCharacteristics(nil, for: service)
            }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            characteristicCount += service.characteristics?.count ?? 0
            pendingCount -= 1
            if pendingCount == 0 { discovered.send() }
        }
    }

    /// An event that happens once, and that one task awaits.
    private final class Signal: Sendable {
        private enum State {
            case silent
            case awaited(CheckedContinuation<Void, Never>)
            case sent
        }

        private let state = Mutex(State.silent)

        func send() {
            let waiter =
                state.withLock { state in
                    defer { state = .sent }
                    if case .awaited(let waiter) = state { return waiter } else { return nil }
                } as CheckedContinuation<Void, Never>?
            waiter?.resume()
        }

        func wait() async {
            await withCheckedContinuation { continuation in
                let isSent = state.withLock { state in
                    if case .sent = state { return true }
                    state = .awaited(continuation)
                    return false
                }
                if isSent { continuation.resume() }
            }
        }
    }
#endif
