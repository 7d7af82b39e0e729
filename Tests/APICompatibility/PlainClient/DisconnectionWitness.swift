// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

// Delegates that implement different subsets of the two methods for a disconnection.

/// Implements both: only the older one is called, and no link reconnects automatically.
final class LegacyWitness: NSObject, CBCentralManagerDelegate {
    private let hear: (String) -> Void

    init(_ hear: @escaping (String) -> Void) {
        self.hear = hear
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        hear("older")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: Error?
    ) {
        hear("newer")
    }
}

/// Implements only the newer one.
final class ModernWitness: NSObject, CBCentralManagerDelegate {
    private let hear: (String) -> Void

    init(_ hear: @escaping (String) -> Void) {
        self.hear = hear
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: Error?
    ) {
        let year = Calendar(identifier: .gregorian).component(
            .year,
            from: Date(timeIntervalSinceReferenceDate: timestamp)
        )
        let words = isReconnecting ? "newer, reconnecting" : "newer"
        hear(year >= 2001 ? words : "newer, before there was time")
    }
}

/// Implements neither, and none of the other optional methods.
final class DeafWitness: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}
