// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

// Delegates that implement different subsets of the two methods for a disconnection.

/// A delegate with both methods: only the older method is called, and no link reconnects
/// automatically.
final class LegacyDelegate: NSObject, CBCentralManagerDelegate {
    private let report: (String) -> Void

    init(_ report: @escaping (String) -> Void) {
        self.report = report
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        report("older")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: Error?
    ) {
        report("newer")
    }
}

/// A delegate with only the newer method.
final class ModernDelegate: NSObject, CBCentralManagerDelegate {
    private let report: (String) -> Void

    init(_ report: @escaping (String) -> Void) {
        self.report = report
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
        report(year >= 2001 ? words : "newer, with an invalid time")
    }
}

/// A delegate with no optional method.
final class MinimalDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}
