// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Discover Characteristics by UUID (Vol 3, Part G, 4.6.2).
///
/// ATT cannot search for a part of a value. The procedure therefore discovers all characteristics
/// and selects those with the UUID. The other declarations are needed as well, to determine the
/// ends of the selected characteristics.
struct DiscoverCharacteristicsByUUID: Discovery {
    private let uuid: BluetoothUUID
    private var all: DiscoverAllCharacteristicsOfService

    init(uuid: BluetoothUUID, sweep: HandleSweep) {
        self.uuid = uuid
        all = DiscoverAllCharacteristicsOfService(sweep: sweep)
    }

    var sweep: HandleSweep {
        get { all.sweep }
        set { all.sweep = newValue }
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        all.request(from: start)
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        try all.take(response)
    }

    func outcome() -> GATT.Outcome {
        .characteristics(all.characteristics.filter { $0.uuid == uuid })
    }
}
