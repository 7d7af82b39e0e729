// SPDX-License-Identifier: Apache-2.0

/// The path of a characteristic: its UUID and that of its service.
package struct CharacteristicPath: Hashable, Sendable {
    /// The UUID of the service.
    package var service: BluetoothID
    /// The UUID of the characteristic.
    package var characteristic: BluetoothID

    /// Creates a path.
    package init(_ service: BluetoothID, _ characteristic: BluetoothID) {
        self.service = service
        self.characteristic = characteristic
    }
}

extension CharacteristicPath: Comparable, CustomStringConvertible {
    package var description: String { "\(service)/\(characteristic)" }

    /// Compares paths by their text, so that actions for several paths have a fixed order.
    package static func < (one: Self, other: Self) -> Bool {
        (one.service.text, one.characteristic.text)
            < (other.service.text, other.characteristic.text)
    }
}
