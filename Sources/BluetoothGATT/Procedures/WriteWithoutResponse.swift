// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Write Without Response: a command, at most MTU - 3 bytes (Vol 3, Part G, 4.9.1).
struct WriteWithoutResponse: Procedure {
    let handle: AttributeHandle
    let value: [UInt8]

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try GATT.checkWrite(value, mtu: mtu)
        return .send(.writeCommand(.init(handle: handle, value: value[...])))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        throw .unexpected(response)
    }
}
