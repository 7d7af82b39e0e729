// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// Any PDU of the protocol (Vol 3, Part F, 3.4). The values of a decoded PDU are slices of its
    /// bytes.
    package enum PDU: Equatable, Sendable {
        case errorResponse(ErrorResponse)
        case exchangeMTURequest(ExchangeMTURequest)
        case exchangeMTUResponse(ExchangeMTUResponse)
        case findInformationRequest(FindInformationRequest)
        case findInformationResponse(FindInformationResponse)
        case findByTypeValueRequest(FindByTypeValueRequest)
        case findByTypeValueResponse(FindByTypeValueResponse)
        case readByTypeRequest(ReadByTypeRequest)
        case readByTypeResponse(ReadByTypeResponse)
        case readRequest(ReadRequest)
        case readResponse(ReadResponse)
        case readBlobRequest(ReadBlobRequest)
        case readBlobResponse(ReadBlobResponse)
        case readMultipleRequest(ReadMultipleRequest)
        case readMultipleResponse(ReadMultipleResponse)
        case readByGroupTypeRequest(ReadByGroupTypeRequest)
        case readByGroupTypeResponse(ReadByGroupTypeResponse)
        case writeRequest(WriteRequest)
        case writeResponse
        case prepareWriteRequest(PrepareWriteRequest)
        case prepareWriteResponse(PrepareWriteResponse)
        case executeWriteRequest(ExecuteWriteRequest)
        case executeWriteResponse
        case handleValueNotification(HandleValueNotification)
        case handleValueIndication(HandleValueIndication)
        case handleValueConfirmation
        case readMultipleVariableRequest(ReadMultipleVariableRequest)
        case readMultipleVariableResponse(ReadMultipleVariableResponse)
        case multipleHandleValueNotification(MultipleHandleValueNotification)
        case writeCommand(WriteCommand)
        case signedWriteCommand(SignedWriteCommand)
        /// A PDU that this package does not know. It is not an error, and the specification defines
        /// its handling (Vol 3, Part F, 3.3).
        case unknown(opcode: Opcode, parameters: ArraySlice<UInt8>)
    }
}

extension ATT.PDU {
    /// Decodes a complete PDU, opcode first.
    ///
    /// - Throws: ``MalformedBytes`` if there are no bytes, or if a known PDU does not have the
    ///   required form.
    package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        guard let first = bytes.first else { throw .truncated(needed: 1, available: 0) }
        try self.init(opcode: ATT.Opcode(rawValue: first), parameters: bytes.dropFirst())
    }

    private init(
        opcode: ATT.Opcode,
        parameters: ArraySlice<UInt8>
    ) throws(MalformedBytes) {
        switch opcode {
        case .errorResponse:
            self = .errorResponse(try .init(parsing: parameters))
        case .exchangeMTURequest:
            self = .exchangeMTURequest(try .init(parsing: parameters))
        case .exchangeMTUResponse:
            self = .exchangeMTUResponse(try .init(parsing: parameters))
        case .findInformationRequest:
            self = .findInformationRequest(try .init(parsing: parameters))
        case .findInformationResponse:
            self = .findInformationResponse(try .init(parsing: parameters))
        case .findByTypeValueRequest:
            self = .findByTypeValueRequest(try .init(parsing: parameters))
        case .findByTypeValueResponse:
            self = .findByTypeValueResponse(try .init(parsing: parameters))
        case .readByTypeRequest:
            self = .readByTypeRequest(try .init(parsing: parameters))
        case .readByTypeResponse:
            self = .readByTypeResponse(try .init(parsing: parameters))
        case .readRequest:
            self = .readRequest(try .init(parsing: parameters))
        case .readResponse:
            self = .readResponse(try .init(parsing: parameters))
        case .readBlobRequest:
            self = .readBlobRequest(try .init(parsing: parameters))
        case .readBlobResponse:
            self = .readBlobResponse(try .init(parsing: parameters))
        case .readMultipleRequest:
            self = .readMultipleRequest(try .init(parsing: parameters))
        case .readMultipleResponse:
            self = .readMultipleResponse(try .init(parsing: parameters))
        case .readByGroupTypeRequest:
            self = .readByGroupTypeRequest(try .init(parsing: parameters))
        case .readByGroupTypeResponse:
            self = .readByGroupTypeResponse(try .init(parsing: parameters))
        case .writeRequest:
            self = .writeRequest(try .init(parsing: parameters))
        case .writeResponse:
            self = try Self.writeResponse.requiringNone(parameters)
        case .prepareWriteRequest:
            self = .prepareWriteRequest(try .init(parsing: parameters))
        case .prepareWriteResponse:
            self = .prepareWriteResponse(try .init(parsing: parameters))
        case .executeWriteRequest:
            self = .executeWriteRequest(try .init(parsing: parameters))
        case .executeWriteResponse:
            self = try Self.executeWriteResponse.requiringNone(parameters)
        case .handleValueNotification:
            self = .handleValueNotification(try .init(parsing: parameters))
        case .handleValueIndication:
            self = .handleValueIndication(try .init(parsing: parameters))
        case .handleValueConfirmation:
            self = try Self.handleValueConfirmation.requiringNone(parameters)
        case .readMultipleVariableRequest:
            self = .readMultipleVariableRequest(try .init(parsing: parameters))
        case .readMultipleVariableResponse:
            self = .readMultipleVariableResponse(try .init(parsing: parameters))
        case .multipleHandleValueNotification:
            self = .multipleHandleValueNotification(try .init(parsing: parameters))
        case .writeCommand:
            self = .writeCommand(try .init(parsing: parameters))
        case .signedWriteCommand:
            self = .signedWriteCommand(try .init(parsing: parameters))
        default:
            self = .unknown(opcode: opcode, parameters: parameters)
        }
    }

    /// Returns this PDU, which has no parameters, or throws if there are any.
    private func requiringNone(
        _ parameters: ArraySlice<UInt8>
    ) throws(MalformedBytes) -> ATT.PDU {
        guard parameters.isEmpty else { throw .trailing(count: parameters.count) }
        return self
    }
}
