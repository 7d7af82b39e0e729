// SPDX-License-Identifier: Apache-2.0

import Foundation

// A manager calls the older of the two methods. Where a delegate lacks it the default calls the
// newer, so that a delegate with both gets the older only, as on Apple's.

/// What the older method has no room for.
struct Disconnection: Hashable, Sendable {
    /// When the link ended.
    var timestamp: CFAbsoluteTime
    /// Whether the system tries to connect again.
    var isReconnecting: Bool
    /// Whether the delegate leaves the older method to its default: only such a delegate can have
    /// peripherals reconnect.
    var wasForwarded = false
}

extension CBCentralManagerDelegate {
    /// Calls the method with a timestamp.
    public func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        let disconnection = peripheral.disconnection.change { disconnection in
            disconnection?.wasForwarded = true
            return disconnection
        }
        if disconnection?.isReconnecting == true { peripheral.lost(isReconnecting: true) }
        centralManager(
            central,
            didDisconnectPeripheral: peripheral,
            timestamp: disconnection?.timestamp ?? Date().timeIntervalSinceReferenceDate,
            isReconnecting: disconnection?.isReconnecting ?? false,
            error: error
        )
    }

    /// Does nothing.
    public func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {}
}
