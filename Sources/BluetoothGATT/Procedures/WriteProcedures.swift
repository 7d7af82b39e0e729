// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Write Characteristic Value, and Write Characteristic Descriptors: one request, at most MTU - 3
/// bytes (Vol 3, Part G, 4.9.3 and 4.12.3).
struct WriteCharacteristicValue: Procedure {
    let handle: AttributeHandle
    let value: [UInt8]

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try GATT.checkWrite(value, mtu: mtu)
        return .send(.writeRequest(.init(handle: handle, value: value[...])))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .writeResponse = response else { throw .unexpected(response) }
        return .complete(.done)
    }
}

extension WriteCharacteristicValue {
    /// Creates a write to a Client Characteristic Configuration descriptor (Vol 3, Part G,
    /// 3.3.3.3). If the kind is nil, the write ends the subscription.
    init(configure descriptor: AttributeHandle, for kind: GATT.SubscriptionKind?) {
        let configuration = kind?.configuration ?? 0
        handle = descriptor
        value = [UInt8(configuration & 0xFF), UInt8(configuration >> 8)]
    }
}

extension GATT {
    /// Checks that the value fits after the opcode and the handle, and is not longer than an
    /// attribute value.
    static func checkWrite(
        _ value: [UInt8],
        signatureLength: Int = 0,
        mtu: Int
    ) throws(GATT.Failure) {
        let limit = min(mtu - 3 - signatureLength, valueLengthLimit)
        guard value.count <= limit else { throw .valueTooLong(limit: limit) }
    }
}
