// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Reads a value that a server has at most once, such as the Database Hash or the Device Name, by
/// its type over all handles. For the hash this is the only allowed way (Vol 3, Part G, 7.3).
///
/// The procedure needs one request. Read Using Characteristic UUID needs a second one to find out
/// that there are no more values.
struct ReadSingleCharacteristicValue: Procedure {
    let type: BluetoothUUID
    /// The required length of the value in bytes, or nil if any length is valid.
    var length: Int?

    func begin(mtu: Int) -> ProcedureStep {
        .send(.readByTypeRequest(.init(start: .first, end: .last, type: type)))
    }

    func receive(_ response: ATT.PDU, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard case .readByTypeResponse(let response) = response,
            let value = response.entries.first?.value
        else { throw .unexpected(response) }
        guard length == nil || length == value.count else {
            throw .protocolViolation("the value of type \(type) has \(value.count) bytes")
        }
        return .complete(.value(Array(value)))
    }
}
