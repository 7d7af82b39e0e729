// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// A Read or Read Blob request, which reads one value or a part of it (Vol 3, Part F, 3.4.4.3 to
/// 3.4.4.6).
///
/// A Read Blob of a short value succeeds as well. The specification permits the error Attribute Not
/// Long for it, but the error has no benefit for the client.
struct SingleRead: PendingRead {
    let opcode: ATT.Opcode
    let offset: Int
    private let handle: AttributeHandle
    private var value: ArraySlice<UInt8>?

    init(_ request: ATT.ReadRequest) {
        opcode = ATT.ReadRequest.opcode
        handle = request.handle
        offset = 0
    }

    init(_ request: ATT.ReadBlobRequest) {
        opcode = ATT.ReadBlobRequest.opcode
        handle = request.handle
        offset = Int(request.offset)
    }

    func next(mtu: Int) -> AttributeHandle? { value == nil ? handle : nil }

    mutating func receive(_ value: ArraySlice<UInt8>, mtu: Int) {
        self.value = value
    }

    func response(mtu: Int) -> ATT.PDU {
        let part = (value ?? []).prefix(mtu - 1)
        return opcode == ATT.ReadRequest.opcode
            ? .readResponse(.init(value: part)) : .readBlobResponse(.init(value: part))
    }
}
