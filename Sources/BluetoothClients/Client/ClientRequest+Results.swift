// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The operations and the events of requests.
extension ClientRequest {
    /// The operation on the value; `nil` for requests that `ClientCore` turns into operations
    /// itself.
    var operation: GATT.Operation? {
        switch self {
        case .read(let characteristic): .readLong(characteristic.valueHandle)
        case .write(let characteristic, let value): .write(characteristic.valueHandle, value)
        case .readDescriptor(let descriptor): .readLong(descriptor.handle)
        case .writeDescriptor(let descriptor, let value): .write(descriptor.handle, value)
        case .find, .command, .setNotifying, .renotify, .unsubscribe, .refresh: nil
        }
    }

    /// The characteristic to subscribe to.
    var newSubscription: GATT.Characteristic? {
        switch self {
        case .setNotifying(true, let characteristic), .renotify(let characteristic): characteristic
        default: nil
        }
    }

    /// Returns the event for a request that succeeded; `nil` if there is none.
    func succeeded(_ outcome: GATT.Outcome) -> RemoteEvent? {
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

    /// Returns the event for a request that failed; `nil` if there is none.
    func failed(_ error: ClientError) -> RemoteEvent? {
        switch self {
        case .find(let search): .found(search, .failure(error))
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
