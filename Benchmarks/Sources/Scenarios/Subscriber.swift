// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreBluetooth) && os(Linux)
    import CoreBluetooth
    import Dispatch
    import Foundation
    import Synchronization

    /// The application of `FacadeScenario`: it connects to the first peripheral, and subscribes to
    /// its notifications.
    ///
    /// Unchecked: its mutable state is set before the manager exists, or on its queue.
    final class Subscriber: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
        @unchecked Sendable
    {
        let ready = DispatchSemaphore(value: 0)
        /// The closure for each value, on the queue.
        let reaction = Mutex(Reaction {})
        private var manager: CBCentralManager?
        private var peripheral: CBPeripheral?

        func start(on adapter: CBAdapter) {
            manager = CBCentralManager(
                delegate: self,
                queue: DispatchQueue(label: "application"),
                options: [CBManagerOptionAdapterKey: adapter]
            )
        }

        // MARK: CBCentralManagerDelegate

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

        func centralManager(
            _ central: CBCentralManager,
            didConnect peripheral: CBPeripheral
        ) {
            peripheral.discoverServices(nil)
        }

        // MARK: CBPeripheralDelegate

        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverServices error: (any Error)?
        ) {
            for service in peripheral.services ?? [] {
                peripheral.discoverCharacteristics(nil, for: service)
            }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: (any Error)?
        ) {
            for characteristic in service.characteristics ?? []
            where characteristic.properties.contains(.notify) {
                peripheral.setNotifyValue(true, for: characteristic)
            }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateNotificationStateFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            precondition(characteristic.isNotifying, "The peer refuses the subscription")
            ready.signal()
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: (any Error)?
        ) {
            reaction.withLock { $0 }.body()
        }
    }

    /// A closure as a value: a plain closure would be wrapped again each time it enters or leaves a
    /// lock.
    struct Reaction: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
#endif
