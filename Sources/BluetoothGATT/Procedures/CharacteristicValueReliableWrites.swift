// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Characteristic Value Reliable Writes: several values that the server returns for comparison and
/// then writes all together or not at all (Vol 3, Part G, 4.9.5).
///
/// A value that does not fit into one PDU is prepared in parts, like a long value.
struct CharacteristicValueReliableWrites: Procedure {
    let values: [GATT.AttributeValue]
    private var writes = QueuedWrites()

    init(values: [GATT.AttributeValue]) {
        self.values = values
    }

    mutating func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard !values.isEmpty else { throw .invalidOperation("there are no values to write") }
        for value in values { try writes.add(value.value, of: value.handle) }
        return writes.begin(mtu: mtu)
    }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        try writes.receive(response, mtu: mtu)
    }

    mutating func receive(
        _ failure: GATT.Failure,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        try writes.receive(failure)
    }

    mutating func abandon() -> Bool {
        writes.abandon()
        return true
    }
}
