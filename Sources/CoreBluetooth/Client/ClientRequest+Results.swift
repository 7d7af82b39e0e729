// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

// What is asked of the host for a request, and what the application hears of it.
extension ClientRequest {
    /// The operation on a value; nil for what is more than one.
    var operation: GATT.Operation? {
        switch self {
        case .read(let characteristic): .readLong(characteristic.valueHandle)
        case .write(let characteristic, let value): .write(characteristic.valueHandle, value)
        case .readDescriptor(let descriptor): .readLong(descriptor.handle)
        case .writeDescriptor(let descriptor, let value): .write(descriptor.handle, value)
        case .find, .command, .setNotifying, .renotify, .unsubscribe, .refresh: nil
        }
    }

    /// The characteristic whose values are to come unasked from now on.
    var newSubscription: GATT.Characteristic? {
        switch self {
        case .setNotifying(true, let characteristic), .renotify(let characteristic): characteristic
        default: nil
        }
    }

    /// What is told of a request that was carried out; nil for nothing.
    func succeeded(_ outcome: GATT.Outcome) -> PeripheralEvent? {
        switch (self, outcome) {
        case (.read(let characteristic), .value(let value)):
            .valueRead(characteristic.valueHandle, .success(value))
        case (.readDescriptor(let descriptor), .value(let value)):
            .descriptorRead(descriptor.handle, .success(value))
        case (.write(let characteristic, _), _): .valueWritten(characteristic.valueHandle, nil)
        case (.writeDescriptor(let descriptor, _), _): .descriptorWritten(descriptor.handle, nil)
        case (.setNotifying(let isOn, let characteristic), _):
            .notifyingSet(characteristic.valueHandle, .success(isOn))
        default: nil
        }
    }

    /// What is told of one that was not; nil for nothing.
    func failed(_ error: any Error) -> PeripheralEvent? {
        switch self {
        case .find(let search): search.failed(error)
        case .read(let characteristic): .valueRead(characteristic.valueHandle, .failure(error))
        case .write(let characteristic, _): .valueWritten(characteristic.valueHandle, error)
        case .readDescriptor(let descriptor): .descriptorRead(descriptor.handle, .failure(error))
        case .writeDescriptor(let descriptor, _): .descriptorWritten(descriptor.handle, error)
        case .setNotifying(_, let characteristic), .renotify(let characteristic):
            .notifyingSet(characteristic.valueHandle, .failure(error))
        case .command, .unsubscribe, .refresh: nil
        }
    }
}
