// SPDX-License-Identifier: Apache-2.0

/// The path of a characteristic: its UUID and that of its service.
struct CharacteristicPath: Hashable, Sendable {
    /// The UUID of the service.
    var service: BluetoothID
    /// The UUID of the characteristic.
    var characteristic: BluetoothID

    /// Creates a path.
    init(_ service: BluetoothID, _ characteristic: BluetoothID) {
        self.service = service
        self.characteristic = characteristic
    }
}

extension CharacteristicPath: Comparable, CustomStringConvertible {
    var description: String { "\(service)/\(characteristic)" }

    /// Compares paths by their text, so that actions for several paths have a fixed order.
    static func < (one: Self, other: Self) -> Bool {
        (one.service.text, one.characteristic.text)
            < (other.service.text, other.characteristic.text)
    }
}
