// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

@testable import BluetoothHost

/// The operations of an application that explores a new peer, as one list of requests.
enum Exploration {
    static func requests(writing value: [UInt8] = [1, 2, 3]) -> [LinkRequest] {
        let service = ModelServer.serviceHandle
        let last = ModelServer.lastHandle
        return [
            .gatt(.discoverPrimaryServices(uuid: nil)),
            .gatt(.findIncludedServices(first: service, last: last)),
            .gatt(.discoverCharacteristics(first: service, last: last, uuid: nil)),
            .gatt(
                .discoverDescriptors(
                    first: ModelServer.configurationHandle,
                    last: ModelServer.configurationHandle
                )
            ),
            .gatt(.read(ModelServer.readableHandle)),
            .gatt(.writeWithoutResponse(ModelServer.writableHandle, [9])),
            .gatt(.writeLong(ModelServer.writableHandle, offset: 0, value)),
            .gatt(.readLong(ModelServer.writableHandle)),
            .gatt(
                .subscribe(
                    valueHandle: ModelServer.readableHandle,
                    descriptor: ModelServer.configurationHandle,
                    .notification
                )
            ),
            .readRemoteVersion,
        ]
    }
}
