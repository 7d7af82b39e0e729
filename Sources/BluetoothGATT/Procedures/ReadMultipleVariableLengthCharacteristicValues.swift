// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Read Multiple Variable Length Characteristic Values: reads several values with their lengths
/// (Vol 3, Part G, 4.8.5).
///
/// Values that do not fit into one response are missing at the end.
struct ReadMultipleVariableLengthCharacteristicValues: Procedure {
    let handles: [AttributeHandle]

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try GATT.checkReadMultiple(handles, mtu: mtu)
        return .send(.readMultipleVariableRequest(.init(handles: handles)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .readMultipleVariableResponse(let response) = response else {
            throw .unexpected(response)
        }
        guard response.entries.count <= handles.count else {
            throw .protocolViolation(
                "\(response.entries.count) values in response to a request for \(handles.count)"
            )
        }
        let values = zip(handles, response.entries).map { handle, entry in
            GATT.AttributeValue(handle: handle, value: Array(entry.value))
        }
        return .complete(.values(values))
    }
}
