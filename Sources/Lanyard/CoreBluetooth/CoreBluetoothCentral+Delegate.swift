// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Callbacks of the manager, as events.
extension CoreBluetoothCentral: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        post(.availabilityChanged(Availability(central.state)))
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        let peripherals = restored.map { peripheral(of: $0) }
        for peripheral in peripherals { peripheral.coreBluetooth?.updateTable() }
        post(.restored(peripherals, scan: PlannedScan(restored: dict)))
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let discovery = Discovery(peripheral, advertisementData, rssi: RSSI)
        post(.discovered(self.peripheral(of: peripheral), discovery))
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        let peripheral = self.peripheral(of: peripheral)
        peripheral.coreBluetooth?.updateTable()
        post(.connected(peripheral))
    }

    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        post(.failedToConnect(self.peripheral(of: peripheral), error.map { LinkFailure($0) }))
    }

    // Only the newer of the two methods for a disconnection is implemented. If a delegate has the
    // older method, Core Bluetooth does not report peripherals that the system reconnects. On
    // Linux, the manager calls the older method, whose default implementation calls the newer one.

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        let failure = error.map { LinkFailure($0) }
        post(
            .disconnected(
                self.peripheral(of: peripheral),
                failure,
                isReconnecting: isReconnecting
            )
        )
    }
}

extension Availability {
    /// Converts the state that Core Bluetooth reports.
    init(_ state: CBManagerState) {
        self =
            switch state {
            case .unknown: .unknown
            case .resetting: .resetting
            case .unsupported: .unsupported
            case .unauthorized: .unauthorized
            case .poweredOff: .poweredOff
            case .poweredOn: .poweredOn
            @unknown default: .unknown
            }
    }
}

extension PlannedScan {
    /// Creates a request from the scan of an earlier process that the system has continued; `nil`
    /// if there is none.
    fileprivate init?(restored state: [String: Any]) {
        let services = state[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        let options = state[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
        guard services != nil || options != nil else { return nil }
        let duplicates = options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber
        self.init(
            services: services.map { Set($0.map { BluetoothID($0) }) },
            reportsDuplicates: duplicates?.boolValue ?? false
        )
    }
}

extension Discovery {
    /// Creates a discovery from the values that Core Bluetooth reports.
    fileprivate init(_ peripheral: CBPeripheral, _ data: [String: Any], rssi: NSNumber) {
        let services =
            (data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? [])
            + (data[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] ?? [])
        let serviceData = data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        self.init(
            identifier: peripheral.identifier,
            name: data[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name,
            services: services.map { BluetoothID($0) },
            serviceData: Dictionary(
                serviceData.map { (BluetoothID($0.key), $0.value) },
                uniquingKeysWith: { first, _ in first }
            ),
            manufacturerData: data[CBAdvertisementDataManufacturerDataKey] as? Data,
            rssi: rssi.intValue == SystemPeripheralEvent.unknownSignal ? nil : rssi.intValue,
            transmitPower: (data[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue,
            isConnectable: (data[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? true
        )
    }
}
