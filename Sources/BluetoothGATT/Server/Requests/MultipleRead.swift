// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// A Read Multiple or Read Multiple Variable request, which reads several values for one response.
/// The response is truncated to the MTU (Vol 3, Part F, 3.4.4.7, 3.4.4.8, 3.4.4.11 and 3.4.4.12).
struct MultipleRead: PendingRead {
    let opcode: ATT.Opcode
    let handles: [AttributeHandle]
    private var values: [ArraySlice<UInt8>] = []
    /// The number of bytes that the values so far need in a response without truncation.
    private var length = 0

    init(_ request: ATT.ReadMultipleRequest) {
        opcode = ATT.ReadMultipleRequest.opcode
        handles = request.handles
    }

    init(_ request: ATT.ReadMultipleVariableRequest) {
        opcode = ATT.ReadMultipleVariableRequest.opcode
        handles = request.handles
    }

    private var isVariable: Bool { opcode == ATT.ReadMultipleVariableRequest.opcode }

    /// Returns the attribute to read next. Values that start after the end of the response are not
    /// read.
    func next(mtu: Int) -> AttributeHandle? {
        values.count < handles.count && length < mtu - 1 ? handles[values.count] : nil
    }

    mutating func receive(_ value: ArraySlice<UInt8>, mtu: Int) {
        values.append(value)
        length += value.count + (isVariable ? 2 : 0)
    }

    func response(mtu: Int) -> ATT.PDU {
        isVariable
            ? .readMultipleVariableResponse(.init(entries: entries(limit: mtu - 1)))
            : .readMultipleResponse(
                .init(values: values.reduce(into: []) { $0 += $1 }.prefix(mtu - 1))
            )
    }

    /// Returns the values with their complete lengths. The last value may be truncated, but a
    /// length field never is, because half of a length has no meaning.
    private func entries(limit: Int) -> [ATT.ReadMultipleVariableResponse.Entry] {
        var freeLength = limit
        var entries: [ATT.ReadMultipleVariableResponse.Entry] = []
        for value in values where freeLength >= 2 {
            let part = value.prefix(freeLength - 2)
            entries.append(.init(fullLength: UInt16(value.count), value: part))
            freeLength -= 2 + part.count
        }
        return entries
    }
}
