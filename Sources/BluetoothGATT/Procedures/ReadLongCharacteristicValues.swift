// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Read Long Characteristic Values, and Read Long Characteristic Descriptors: part after part,
/// until one does not fill its PDU (Vol 3, Part G, 4.8.3 and 4.12.2).
///
/// The first part is read with a Read Request, since a server may refuse to read a short value
/// from an offset, even from zero; most values are short, and are done with that.
///
/// The value may change while it is read. ATT has no means to notice: what is returned can then be
/// part old and part new. A value that has shrunk ends at the offset that is invalid now.
struct ReadLongCharacteristicValues: Procedure {
    private let handle: AttributeHandle
    private var value: [UInt8] = []
    /// The length of a part that may not be the last. It is fixed when the part is asked for: the
    /// MTU can grow before the answer comes, which the server may have made under the old one.
    private var fullPart = 0

    init(handle: AttributeHandle) {
        self.handle = handle
    }

    mutating func begin(mtu: Int) -> ProcedureStep {
        fullPart = mtu - 1
        return .send(.readRequest(.init(handle: handle)))
    }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        let part = try Self.part(in: response)
        guard value.count + part.count <= GATT.valueLengthLimit else {
            throw .protocolViolation(
                "value \(handle) is longer than \(GATT.valueLengthLimit) octets"
            )
        }
        value.append(contentsOf: part)
        guard part.count >= fullPart, value.count < GATT.valueLengthLimit else {
            return .complete(.value(value))
        }
        fullPart = mtu - 1
        return .send(.readBlobRequest(.init(handle: handle, offset: UInt16(value.count))))
    }

    /// A value that filled its PDU exactly has no more parts. Servers say so with an empty part,
    /// with Invalid Offset, or with Attribute Not Long (Vol 3, Part F, 3.4.4.5).
    func receive(_ failure: GATT.Failure, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        switch failure {
        case .attribute(.invalidOffset, _) where !value.isEmpty,
            .attribute(.attributeNotLong, _) where !value.isEmpty:
            return .complete(.value(value))
        default: throw failure
        }
    }

    private static func part(in response: ATT.PDU) throws(GATT.Failure) -> ArraySlice<UInt8> {
        switch response {
        case .readResponse(let response): response.value
        case .readBlobResponse(let response): response.value
        default: throw .unexpected(response)
        }
    }
}
