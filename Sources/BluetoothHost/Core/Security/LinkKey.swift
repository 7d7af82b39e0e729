// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

/// A key that a controller gets for a link, for an observer that decrypts the link's packets. The
/// addresses are those that the two ends use on this link.
package struct LinkKey: Hashable, Sendable {
    package let central: DeviceAddress
    package let peripheral: DeviceAddress
    package let key: LongTermKey

    package init(central: DeviceAddress, peripheral: DeviceAddress, key: LongTermKey) {
        self.central = central
        self.peripheral = peripheral
        self.key = key
    }
}
