// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Find By Type Value: finds the attributes with a type and a value, and the end of the group that
/// starts with each of them (Vol 3, Part F, 3.4.3.3 and 3.4.3.4).
///
/// A value that the client may not read never matches. Otherwise, the client could guess the value
/// with repeated requests.
struct FindByTypeValue: PendingRead {
    typealias Group = (handle: AttributeHandle, groupEnd: AttributeHandle)

    let opcode = ATT.FindByTypeValueRequest.opcode
    private let request: ATT.FindByTypeValueRequest
    private var candidates: ArraySlice<Group>
    private var found: [ATT.FindByTypeValueResponse.HandlesInformation] = []

    /// Creates the procedure. `candidates` are the attributes of the type in the range.
    init(_ request: ATT.FindByTypeValueRequest, _ candidates: [Group]) {
        self.request = request
        self.candidates = candidates[...]
    }

    func next(mtu: Int) -> AttributeHandle? {
        found.count < (mtu - 1) / 4 ? candidates.first?.handle : nil
    }

    mutating func receive(_ value: ArraySlice<UInt8>, mtu: Int) {
        guard let candidate = candidates.popFirst(), matches(value) else { return }
        found.append(.init(found: candidate.handle, groupEnd: candidate.groupEnd))
    }

    mutating func receive(_ refusal: RequestRefusal) {
        candidates.removeFirst()
    }

    func response(mtu: Int) throws(RequestRefusal) -> ATT.PDU {
        guard !found.isEmpty else { throw RequestRefusal(.attributeNotFound, request.start) }
        return .findByTypeValueResponse(.init(entries: found))
    }

    /// Returns whether a value matches. Values match if their bytes are equal. Services also match
    /// if their UUIDs are equal in different lengths (Vol 3, Part B, 2.5.1).
    private func matches(_ value: ArraySlice<UInt8>) -> Bool {
        guard value != request.value else { return true }
        let type = BluetoothUUID(request.type)
        guard
            type == GATT.AttributeType.primaryService
                || type == GATT.AttributeType.secondaryService,
            let sought = BluetoothUUID(littleEndian: request.value)
        else { return false }
        return sought == BluetoothUUID(littleEndian: value)
    }
}
