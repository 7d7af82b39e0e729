// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Read Characteristic Value, and Read Characteristic Descriptors: one request, at most MTU - 1
/// bytes (Vol 3, Part G, 4.8.1 and 4.12.1).
struct ReadCharacteristicValue: Procedure {
    let handle: AttributeHandle

    func begin(mtu: Int) -> ProcedureStep {
        .send(.readRequest(.init(handle: handle)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .readResponse(let response) = response else { throw .unexpected(response) }
        return .complete(.value(Array(response.value)))
    }
}
