// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Write Long Characteristic Values, and Write Long Characteristic Descriptors: one value in as
/// many parts as necessary (Vol 3, Part G, 4.9.4 and 4.12.4).
///
/// The specification requires the comparison of the server's responses only for reliable writes.
/// This procedure compares them as well, because it needs no further request and prevents the write
/// of a damaged value.
struct WriteLongCharacteristicValues: Procedure {
    let handle: AttributeHandle
    let offset: Int
    let value: [UInt8]
    private var writes = QueuedWrites()

    init(handle: AttributeHandle, offset: Int, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    mutating func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try writes.add(value, at: offset, of: handle)
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
