// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Reads the Database Hash: by its type over all handles, for no other way is allowed
/// (Vol 3, Part G, 7.3).
///
/// There is one at most, so it takes one request, while Read Using Characteristic UUID would ask
/// whether there are more.
struct ReadDatabaseHash: Procedure {
    mutating func begin(mtu: Int) -> ProcedureStep {
        let type = GATT.AttributeType.databaseHash
        return .send(.readByTypeRequest(.init(start: .first, end: .last, type: type)))
    }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        guard case .readByTypeResponse(let response) = response,
            let hash = response.entries.first
        else { throw .unexpected(response) }
        guard hash.value.count == DatabaseRecord.hashLength else {
            throw .protocolViolation("the Database Hash has \(hash.value.count) octets")
        }
        return .complete(.value(Array(hash.value)))
    }
}
