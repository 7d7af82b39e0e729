// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The values that this device serves, and the rules for reading and writing them.
struct PeripheralValues {
    /// The longest value that a characteristic can have (Vol 3, Part F, 3.2.9).
    static let lengthLimit = 512

    /// A central's wish to write, as far as the rules go.
    struct Write: Equatable {
        let characteristic: BluetoothID
        let offset: Int
        let octets: Data
    }

    private var values: [BluetoothID: Data] = [:]

    init(_ services: [PublishedService]) {
        for characteristic in services.flatMap(\.characteristics) {
            guard case .value(let value, _, _, _) = characteristic.kind else { continue }
            values[characteristic.identifier] = Data(value.prefix(Self.lengthLimit))
        }
    }

    /// The value of a characteristic; nil if it has none. What is too long is cut.
    subscript(identifier: BluetoothID) -> Data? {
        get { values[identifier] }
        set {
            guard values[identifier] != nil else { return }
            values[identifier] = newValue.map { Data($0.prefix(Self.lengthLimit)) } ?? Data()
        }
    }

    /// The part of a value that a central reads: from an offset to the end. The system cuts it to what
    /// fits, and the central asks for the next part (Vol 3, Part G, 4.8.3).
    func read(_ identifier: BluetoothID, from offset: Int) -> Result<Data, CBATTError> {
        guard let value = values[identifier] else { return .failure(CBATTError(.readNotPermitted)) }
        guard offset <= value.count else { return .failure(CBATTError(.invalidOffset)) }
        return .success(Data(value.dropFirst(offset)))
    }

    /// The values as they would be after writes that come together: all of them, or an error and none.
    func written(_ writes: [Write]) -> Result<[BluetoothID: Data], CBATTError> {
        var changed: [BluetoothID: Data] = [:]
        for write in writes {
            guard let value = changed[write.characteristic] ?? values[write.characteristic] else {
                return .failure(CBATTError(.writeNotPermitted))
            }
            guard write.offset <= value.count else { return .failure(CBATTError(.invalidOffset)) }
            guard write.offset + write.octets.count <= Self.lengthLimit else {
                return .failure(CBATTError(.invalidAttributeValueLength))
            }
            // A part of a longer write goes on where the one before ended: what was behind it is gone.
            changed[write.characteristic] = Data(value.prefix(write.offset)) + write.octets
        }
        return .success(changed)
    }
}
