// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Read Multiple Characteristic Values: reads several values whose lengths the client knows (Vol 3,
/// Part G, 4.8.4).
struct ReadMultipleCharacteristicValues: Procedure {
    let handles: [AttributeHandle]

    func begin(mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        try GATT.checkReadMultiple(handles, mtu: mtu)
        return .send(.readMultipleRequest(.init(handles: handles)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .readMultipleResponse(let response) = response else {
            throw .unexpected(response)
        }
        return .complete(.value(Array(response.values)))
    }
}

extension GATT {
    /// Checks that there are at least two handles, and not more than fit after the opcode (Vol 3,
    /// Part F, 3.4.4.7).
    static func checkReadMultiple(
        _ handles: [AttributeHandle],
        mtu: Int
    ) throws(GATT.Failure) {
        guard handles.count >= 2 else {
            throw .invalidOperation("a Read Multiple Request needs two or more values")
        }
        let limit = (mtu - 1) / 2
        guard handles.count <= limit else {
            throw .invalidOperation("one request can read \(limit) values at most")
        }
    }
}
