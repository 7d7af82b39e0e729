// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The server of a device that has no attributes, which is what we are as a client only.
///
/// A peer may ask all the same, for each side of a bearer is client and server at once. It is
/// answered as by any server, with an empty table, instead of being left to wait thirty seconds.
package enum EmptyServer {
    /// The answer to a request other than an MTU exchange (Vol 3, Part F, 3.4).
    package static func answer(to request: ATT.PDU) -> ATT.PDU {
        // Nothing was prepared, for no Prepare Write succeeded: so all of it is carried out.
        if case .executeWriteRequest = request { return .executeWriteResponse }
        let (code, handle) = refusal(of: request)
        return .errorResponse(.init(requestOpcode: request.opcode, handle: handle, code: code))
    }

    private static func refusal(of request: ATT.PDU) -> (ATT.ErrorCode, AttributeHandle) {
        switch request {
        case .findInformationRequest(let request): absent(request.start, request.end)
        case .findByTypeValueRequest(let request): absent(request.start, request.end)
        case .readByTypeRequest(let request): absent(request.start, request.end)
        case .readByGroupTypeRequest(let request): refusal(ofGroups: request)
        case .readRequest(let request): (.invalidHandle, request.handle)
        case .readBlobRequest(let request): (.invalidHandle, request.handle)
        case .readMultipleRequest(let request): (.invalidHandle, request.handles[0])
        case .readMultipleVariableRequest(let request): (.invalidHandle, request.handles[0])
        case .writeRequest(let request): (.invalidHandle, request.handle)
        case .prepareWriteRequest(let request): (.invalidHandle, request.handle)
        default: (.requestNotSupported, .invalid)
        }
    }

    /// A range must not start at zero, nor end before it starts (Vol 3, Part F, 3.4.3.1).
    private static func absent(
        _ start: AttributeHandle,
        _ end: AttributeHandle
    ) -> (ATT.ErrorCode, AttributeHandle) {
        start == .invalid || start > end ? (.invalidHandle, start) : (.attributeNotFound, start)
    }

    /// Services are the only groups there are (Vol 3, Part G, 2.5.3).
    private static func refusal(
        ofGroups request: ATT.ReadByGroupTypeRequest
    ) -> (ATT.ErrorCode, AttributeHandle) {
        let (code, handle) = absent(request.start, request.end)
        let isService = request.type == primaryService || request.type == secondaryService
        return (code == .invalidHandle || isService ? code : .unsupportedGroupType, handle)
    }

    private static let primaryService = BluetoothUUID(0x2800)
    private static let secondaryService = BluetoothUUID(0x2801)
}
