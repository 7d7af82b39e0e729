// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

/// Whether there is Bluetooth to work with. Work that is asked for while there is none waits, and goes on
/// by itself.
public enum Availability: Hashable, Sendable {
    /// Not known yet: so it begins.
    case unknown
    /// Bluetooth starts anew, and will say soon what it is then.
    case resetting
    /// There is no Bluetooth Low Energy here, and there will be none.
    case unsupported
    /// The application may not use it, until the person changes that in the settings.
    case unauthorized
    /// It is switched off.
    case poweredOff
    /// It is there.
    case poweredOn
}

extension Availability {
    /// What Core Bluetooth says of itself.
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
