// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// The reason why a request is refused, and the attribute that caused it.
struct RequestRefusal: Error, Equatable, Sendable {
    let code: ATT.ErrorCode
    let handle: AttributeHandle

    init(_ code: ATT.ErrorCode, _ handle: AttributeHandle) {
        self.code = code
        self.handle = handle
    }

    /// Returns the Error Response that refuses a request (Vol 3, Part F, 3.4.1.1).
    func response(to opcode: ATT.Opcode) -> ATT.PDU {
        .errorResponse(.init(requestOpcode: opcode, handle: handle, code: code))
    }
}

extension ATT.PDU {
    /// The attribute that an Error Response to this request names: the request's handle, the first
    /// of its handles or the start of its range. It is `invalid` if the request has none of these.
    var namedHandle: AttributeHandle {
        switch self {
        case .findInformationRequest(let request): request.start
        case .findByTypeValueRequest(let request): request.start
        case .readByTypeRequest(let request): request.start
        case .readByGroupTypeRequest(let request): request.start
        case .readRequest(let request): request.handle
        case .readBlobRequest(let request): request.handle
        case .readMultipleRequest(let request): request.handles[0]
        case .readMultipleVariableRequest(let request): request.handles[0]
        case .writeRequest(let request): request.handle
        case .prepareWriteRequest(let request): request.handle
        default: .invalid
        }
    }
}
