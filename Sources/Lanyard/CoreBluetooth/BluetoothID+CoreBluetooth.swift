// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

extension BluetoothID {
    /// Creates a UUID from a Core Bluetooth UUID.
    ///
    /// - Parameter uuid: The Core Bluetooth UUID, in any of its forms.
    public init(_ uuid: CBUUID) {
        self.init(shortening: uuid.uuidString)
    }

    /// The UUID for Core Bluetooth.
    public var cbuuid: CBUUID { CBUUID(string: text) }
}
