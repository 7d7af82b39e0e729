// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Read Using Characteristic UUID: reads all values of a type in a range, without discovery (Vol 3,
/// Part G, 4.8.2).
///
/// A response contains values of one length only, so the next request continues after the last one.
/// If there is no value, the procedure fails, as any read of a missing attribute does.
struct ReadUsingCharacteristicUUID: Discovery {
    var sweep: HandleSweep
    private let uuid: BluetoothUUID
    private var values: [GATT.AttributeValue] = []

    init(uuid: BluetoothUUID, sweep: HandleSweep) {
        self.uuid = uuid
        self.sweep = sweep
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        .readByTypeRequest(.init(start: start, end: sweep.last, type: uuid))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .readByTypeResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries {
            try sweep.pass(entry.handle)
            try values.keep(.init(handle: entry.handle, value: Array(entry.value)))
        }
    }

    func receive(_ failure: GATT.Failure, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard !values.isEmpty, case .attribute(.attributeNotFound, _) = failure else {
            throw failure
        }
        return .complete(outcome())
    }

    func outcome() -> GATT.Outcome { .values(values) }
}
