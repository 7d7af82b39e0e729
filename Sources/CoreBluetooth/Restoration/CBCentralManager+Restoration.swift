// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

// Restored state, on the manager's queue.
extension CBCentralManager {
    /// Creates the restored objects and passes them to the delegate. Peripherals that the
    /// app does not keep are released, which cancels their connection requests.
    func restored(_ restored: RestoredCentral) {
        let peripherals = restored.peers.map { peer in
            let peripheral = peripheral(for: peer.intent.identifier, name: peer.intent.name)
            peripheral.restore(peer)
            return peripheral
        }
        var state: [String: Any] = [:]
        if !peripherals.isEmpty {
            state[CBCentralManagerRestoredStatePeripheralsKey] = peripherals
        }
        if let scan = restored.scan {
            let services = scan.services?.map { CBUUID($0) }
            state[CBCentralManagerRestoredStateScanServicesKey] = services
            if !scan.options.isEmpty {
                state[CBCentralManagerRestoredStateScanOptionsKey] = scan.options
            }
        }
        snapshot.change { snapshot in
            snapshot.isRestoring = true
            snapshot.hasRestoredScan = restored.scan != nil
        }
        delegate?.centralManager(self, willRestoreState: state)
    }

    /// Shows the restored scan as running, because Bluetooth is on.
    func restoredScanBegan() {
        snapshot.change { snapshot in
            snapshot.isScanning = snapshot.isScanning || snapshot.hasRestoredScan
            snapshot.isRestoring = false
            snapshot.hasRestoredScan = false
        }
    }
}

extension CBPeripheral {
    /// Applies the state that the peripheral had in the former process.
    fileprivate func restore(_ peer: RestoredCentral.Peer) {
        _ = connectionWanted(peer.request)
        if peer.isConnected { _ = connected(peer.request) }
        if let table = peer.intent.table { adopt(table) }
    }
}

extension RequestedScan {
    /// The options of the scan. A Boolean option is an `NSNumber` as on Apple's platforms, which
    /// also converts to `Bool` and `Int`. A `Bool` does not convert to `Int`.
    var options: [String: Any] {
        var options: [String: Any] = [:]
        let duplicates = allowsDuplicates.map { NSNumber(value: $0) }
        options[CBCentralManagerScanOptionAllowDuplicatesKey] = duplicates
        let solicited = solicited?.map { CBUUID($0) }
        options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = solicited
        return options
    }
}
