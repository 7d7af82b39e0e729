// SPDX-License-Identifier: Apache-2.0

import Foundation

// A manager calls the older of the two methods. Its default implementation calls the newer method.
// A delegate with both methods thus gets only the older one, as with Apple's framework.

/// The details of a disconnection that the older method has no parameters for.
struct Disconnection: Hashable, Sendable {
    /// The time at which the link ended.
    var timestamp: CFAbsoluteTime
    /// Whether the system tries to connect again.
    var isReconnecting: Bool
    /// Whether the delegate uses the default implementation of the older method. If the delegate
    /// implements that method, peripherals do not reconnect.
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
