// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Why a request is refused, and which attribute is at fault.
struct Refusal: Error, Equatable, Sendable {
    let code: ATT.ErrorCode
    let handle: AttributeHandle

    init(_ code: ATT.ErrorCode, _ handle: AttributeHandle) {
        self.code = code
        self.handle = handle
    }

    /// The Error Response that refuses a request (Vol 3, Part F, 3.4.1.1).
    func response(to opcode: ATT.Opcode) -> ATT.PDU {
        .errorResponse(.init(requestOpcode: opcode, handle: handle, code: code))
    }
}

extension ATT.PDU {
    /// The attribute that a request names, or the first of them; `invalid` if it names none.
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
