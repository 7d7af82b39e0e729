// SPDX-License-Identifier: Apache-2.0

/// Where a characteristic is: which one, of which service.
struct CharacteristicPath: Hashable, Sendable {
    /// The service's.
    var service: BluetoothID
    /// The characteristic's.
    var characteristic: BluetoothID

    /// The one of this service.
    init(_ service: BluetoothID, _ characteristic: BluetoothID) {
        self.service = service
        self.characteristic = characteristic
    }
}

extension CharacteristicPath: Comparable, CustomStringConvertible {
    var description: String { "\(service)/\(characteristic)" }

    /// By their texts: what is done for several is done in the same order each time.
    static func < (one: Self, other: Self) -> Bool {
        (one.service.text, one.characteristic.text)
            < (other.service.text, other.characteristic.text)
    }
}
