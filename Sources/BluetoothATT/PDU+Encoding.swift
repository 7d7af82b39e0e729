// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT.PDU {
    package var opcode: ATT.Opcode {
        switch self {
        case .errorResponse: .errorResponse
        case .exchangeMTURequest: .exchangeMTURequest
        case .exchangeMTUResponse: .exchangeMTUResponse
        case .findInformationRequest: .findInformationRequest
        case .findInformationResponse: .findInformationResponse
        case .findByTypeValueRequest: .findByTypeValueRequest
        case .findByTypeValueResponse: .findByTypeValueResponse
        case .readByTypeRequest: .readByTypeRequest
        case .readByTypeResponse: .readByTypeResponse
        case .readRequest: .readRequest
        case .readResponse: .readResponse
        case .readBlobRequest: .readBlobRequest
        case .readBlobResponse: .readBlobResponse
        case .readMultipleRequest: .readMultipleRequest
        case .readMultipleResponse: .readMultipleResponse
        case .readByGroupTypeRequest: .readByGroupTypeRequest
        case .readByGroupTypeResponse: .readByGroupTypeResponse
        case .writeRequest: .writeRequest
        case .writeResponse: .writeResponse
        case .prepareWriteRequest: .prepareWriteRequest
        case .prepareWriteResponse: .prepareWriteResponse
        case .executeWriteRequest: .executeWriteRequest
        case .executeWriteResponse: .executeWriteResponse
        case .handleValueNotification: .handleValueNotification
        case .handleValueIndication: .handleValueIndication
        case .handleValueConfirmation: .handleValueConfirmation
        case .readMultipleVariableRequest: .readMultipleVariableRequest
        case .readMultipleVariableResponse: .readMultipleVariableResponse
        case .multipleHandleValueNotification: .multipleHandleValueNotification
        case .writeCommand: .writeCommand
        case .signedWriteCommand: .signedWriteCommand
        case .unknown(let opcode, _): opcode
        }
    }

    /// Encodes the PDU, opcode first.
    package func encode() -> [UInt8] {
        switch self {
        case .errorResponse(let pdu): pdu.encode()
        case .exchangeMTURequest(let pdu): pdu.encode()
        case .exchangeMTUResponse(let pdu): pdu.encode()
        case .findInformationRequest(let pdu): pdu.encode()
        case .findInformationResponse(let pdu): pdu.encode()
        case .findByTypeValueRequest(let pdu): pdu.encode()
        case .findByTypeValueResponse(let pdu): pdu.encode()
        case .readByTypeRequest(let pdu): pdu.encode()
        case .readByTypeResponse(let pdu): pdu.encode()
        case .readRequest(let pdu): pdu.encode()
        case .readResponse(let pdu): pdu.encode()
        case .readBlobRequest(let pdu): pdu.encode()
        case .readBlobResponse(let pdu): pdu.encode()
        case .readMultipleRequest(let pdu): pdu.encode()
        case .readMultipleResponse(let pdu): pdu.encode()
        case .readByGroupTypeRequest(let pdu): pdu.encode()
        case .readByGroupTypeResponse(let pdu): pdu.encode()
        case .writeRequest(let pdu): pdu.encode()
        case .prepareWriteRequest(let pdu): pdu.encode()
        case .prepareWriteResponse(let pdu): pdu.encode()
        case .executeWriteRequest(let pdu): pdu.encode()
        case .handleValueNotification(let pdu): pdu.encode()
        case .handleValueIndication(let pdu): pdu.encode()
        case .readMultipleVariableRequest(let pdu): pdu.encode()
        case .readMultipleVariableResponse(let pdu): pdu.encode()
        case .multipleHandleValueNotification(let pdu): pdu.encode()
        case .writeCommand(let pdu): pdu.encode()
        case .signedWriteCommand(let pdu): pdu.encode()
        case .writeResponse, .executeWriteResponse, .handleValueConfirmation:
            [opcode.rawValue]
        case .unknown(let opcode, let parameters): [opcode.rawValue] + parameters
        }
    }
}
