// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Read By Type: reads the values of the attributes of a type. The response contains as many as fit
/// and have the same length (Vol 3, Part F, 3.4.4.1 and 3.4.4.2).
///
/// The first unreadable attribute ends the response. If no value precedes it, the request is
/// refused with its error.
struct ReadByType: PendingRead {
    let opcode = ATT.ReadByTypeRequest.opcode
    private let start: AttributeHandle
    private var handles: ArraySlice<AttributeHandle>
    private var entries: [ATT.ReadByTypeResponse.Entry] = []

    /// Creates the procedure. `handles` are the attributes in the request's range that have its
    /// type.
    init(_ request: ATT.ReadByTypeRequest, _ handles: [AttributeHandle]) {
        start = request.start
        self.handles = handles[...]
    }

    func next(mtu: Int) -> AttributeHandle? {
        guard let first = entries.first else { return handles.first }
        let used = 2 + entries.count * (2 + first.value.count)
        return used + 2 + first.value.count <= mtu ? handles.first : nil
    }

    mutating func receive(_ value: ArraySlice<UInt8>, mtu: Int) {
        let part = value.prefix(min(mtu - 4, ATT.ReadByTypeResponse.valueLengthLimit))
        guard let handle = handles.popFirst(),
            part.count == entries.first?.value.count ?? part.count
        else { return handles = [] }
        entries.append(.init(handle: handle, value: part))
    }

    mutating func receive(_ refusal: RequestRefusal) throws(RequestRefusal) {
        guard !entries.isEmpty else { throw refusal }
        handles = []
    }

    func response(mtu: Int) throws(RequestRefusal) -> ATT.PDU {
        guard !entries.isEmpty else { throw RequestRefusal(.attributeNotFound, start) }
        return .readByTypeResponse(.init(entries: entries))
    }
}
