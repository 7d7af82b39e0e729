// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Discover All Characteristic Descriptors: requests the types of all attributes after a value up
/// to the end of its characteristic (Vol 3, Part G, 4.7.1).
struct DiscoverAllCharacteristicDescriptors: Discovery {
    var sweep: HandleSweep
    private var descriptors: [GATT.Descriptor] = []

    init(sweep: HandleSweep) {
        self.sweep = sweep
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        .findInformationRequest(.init(start: start, end: sweep.last))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .findInformationResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries {
            try sweep.pass(entry.handle)
            try descriptors.keep(GATT.Descriptor(uuid: entry.uuid, handle: entry.handle))
        }
    }

    func outcome() -> GATT.Outcome { .descriptors(descriptors) }
}
