// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values that this device serves, with the rules for reads and writes.
package struct PeripheralValues {
    /// The maximum length of a value in bytes (Vol 3, Part F, 3.2.9).
    static let lengthLimit = 512

    /// A write of a central to one characteristic.
    package struct Write: Equatable, Sendable {
        package let characteristic: BluetoothID
        package let offset: Int
        package let bytes: Data

        package init(characteristic: BluetoothID, offset: Int, bytes: Data) {
            self.characteristic = characteristic
            self.offset = offset
            self.bytes = bytes
        }
    }

    private var values: [BluetoothID: Data] = [:]

    init(_ services: [PublishedService]) {
        for characteristic in services.flatMap(\.characteristics) {
            guard case .value(let value, _, _, _) = characteristic.kind else { continue }
            values[characteristic.identifier] = Data(value.prefix(Self.lengthLimit))
        }
    }

    /// The value of a characteristic; `nil` if it has none. A value that is too long is truncated.
    subscript(identifier: BluetoothID) -> Data? {
        get { values[identifier] }
        set {
            guard values[identifier] != nil else { return }
            values[identifier] = newValue.map { Data($0.prefix(Self.lengthLimit)) } ?? Data()
        }
    }

    /// Returns the value from an offset to its end. The system truncates it to the length that
    /// fits, and the central requests the next part (Vol 3, Part G, 4.8.3).
    func read(_ identifier: BluetoothID, from offset: Int) -> Result<Data, AttributeError> {
        guard let value = values[identifier] else { return .failure(.readNotPermitted) }
        guard offset <= value.count else { return .failure(.invalidOffset) }
        return .success(Data(value.dropFirst(offset)))
    }

    /// Returns the changed values after several writes that arrive together, or an error if one of
    /// the writes is not permitted.
    func written(_ writes: [Write]) -> Result<[BluetoothID: Data], AttributeError> {
        var changed: [BluetoothID: Data] = [:]
        for write in writes {
            guard let value = changed[write.characteristic] ?? values[write.characteristic] else {
                return .failure(.writeNotPermitted)
            }
            guard write.offset <= value.count else { return .failure(.invalidOffset) }
            guard write.offset + write.bytes.count <= Self.lengthLimit else {
                return .failure(.invalidAttributeValueLength)
            }
            // Each part of a long write continues where the previous one ended, so the rest of the
            // old value is discarded.
            changed[write.characteristic] = Data(value.prefix(write.offset)) + write.bytes
        }
        return .success(changed)
    }
}
