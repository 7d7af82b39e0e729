// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Discover Primary Service by Service UUID: finds the service declarations with this value (Vol 3,
/// Part G, 4.4.2). A server can have several services with one UUID.
struct DiscoverPrimaryServiceByServiceUUID: Discovery {
    var sweep = HandleSweep()
    private let uuid: BluetoothUUID
    private var services: [GATT.Service] = []

    init(uuid: BluetoothUUID) {
        self.uuid = uuid
    }

    /// The attribute type, for which the request has 16 bits.
    private static let primaryService: UInt16 = 0x2800

    func request(from start: AttributeHandle) -> ATT.PDU {
        .findByTypeValueRequest(
            .init(
                start: start,
                end: sweep.last,
                type: Self.primaryService,
                value: uuid.attBytes[...]
            )
        )
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .findByTypeValueResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries {
            try sweep.pass(entry.found, groupEnd: entry.groupEnd)
            let service = GATT.Service(
                uuid: uuid,
                isPrimary: true,
                handle: entry.found,
                endHandle: entry.groupEnd
            )
            try services.keep(service)
        }
    }

    func outcome() -> GATT.Outcome { .services(services) }
}
