// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Delegates that differ in which of the two methods for a disconnection they have.

/// Has both: only the older is called.
final class LegacyWitness: NSObject, CBCentralManagerDelegate {
    private(set) var heard: [String] = []

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        heard.append("older")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: Error?
    ) {
        heard.append("newer")
    }
}

/// Has only the newer.
final class ModernWitness: NSObject, CBCentralManagerDelegate {
    private(set) var heard: [String] = []
    private(set) var moments: [Date] = []

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: Error?
    ) {
        heard.append(isReconnecting ? "newer, reconnecting" : "newer")
        moments.append(Date(timeIntervalSinceReferenceDate: timestamp))
    }
}

/// Has neither, nor anything else that it need not have.
final class DeafWitness: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}
