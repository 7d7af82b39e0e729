// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The values that this device serves, with the rules for reads and writes.
struct PeripheralValues {
    /// The maximum length of a value in bytes (Vol 3, Part F, 3.2.9).
    static let lengthLimit = 512

    /// A write of a central, as far as the rules need it.
    struct Write: Equatable {
        let characteristic: BluetoothID
        let offset: Int
        let bytes: Data
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
    func read(_ identifier: BluetoothID, from offset: Int) -> Result<Data, CBATTError> {
        guard let value = values[identifier] else { return .failure(CBATTError(.readNotPermitted)) }
        guard offset <= value.count else { return .failure(CBATTError(.invalidOffset)) }
        return .success(Data(value.dropFirst(offset)))
    }

    /// Returns the values after writes that arrive together: all of them, or an error.
    func written(_ writes: [Write]) -> Result<[BluetoothID: Data], CBATTError> {
        var changed: [BluetoothID: Data] = [:]
        for write in writes {
            guard let value = changed[write.characteristic] ?? values[write.characteristic] else {
                return .failure(CBATTError(.writeNotPermitted))
            }
            guard write.offset <= value.count else { return .failure(CBATTError(.invalidOffset)) }
            guard write.offset + write.bytes.count <= Self.lengthLimit else {
                return .failure(CBATTError(.invalidAttributeValueLength))
            }
            // Each part of a long write continues where the previous one ended, so the rest of the
            // old value is discarded.
            changed[write.characteristic] = Data(value.prefix(write.offset)) + write.bytes
        }
        return .success(changed)
    }
}
