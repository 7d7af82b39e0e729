// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Read Long Characteristic Values, and Read Long Characteristic Descriptors: one part after
/// another, until a part does not fill its PDU (Vol 3, Part G, 4.8.3 and 4.12.2).
///
/// The first part is read with a Read Request, because a server may refuse to read a short value
/// from an offset, even from zero. Most values are short and need only this request.
///
/// The value may change during the procedure. ATT does not report this, so the result may combine
/// old and new parts. If the value has become shorter, the result ends at the first offset that is
/// no longer valid.
struct ReadLongCharacteristicValues: Procedure {
    private let handle: AttributeHandle
    private var value: [UInt8] = []
    /// The length of a part that may not be the last. It is determined when the part is requested,
    /// because the MTU may change before the response arrives, and the server may have used either.
    /// The smaller one applies: at worst, the last part is empty.
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
                "value \(handle) is longer than \(GATT.valueLengthLimit) bytes"
            )
        }
        value.append(contentsOf: part)
        guard part.count >= min(fullPart, mtu - 1), value.count < GATT.valueLengthLimit else {
            return .complete(.value(value))
        }
        fullPart = mtu - 1
        return .send(.readBlobRequest(.init(handle: handle, offset: UInt16(value.count))))
    }

    /// Processes a failure. A value that filled its last PDU exactly has no further part. A server
    /// reports this with an empty part, with Invalid Offset, or with Attribute Not Long (Vol 3,
    /// Part F, 3.4.4.5).
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
