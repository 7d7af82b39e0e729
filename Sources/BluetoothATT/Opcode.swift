// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// The first byte of a PDU, which states its kind (Vol 3, Part F, 3.3.1 and 3.4.8).
    package struct Opcode: OpenCode {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Whether the PDU is a command. A command has no response, even if it is unknown.
        package var isCommand: Bool { rawValue & 0x40 != 0 }

        /// Whether this package knows the PDU.
        package var isKnown: Bool { Self.names[rawValue] != nil }

        /// Whether the PDU is a known request.
        package var isRequest: Bool {
            switch self {
            case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest,
                .readByTypeRequest, .readRequest, .readBlobRequest, .readMultipleRequest,
                .readByGroupTypeRequest, .writeRequest, .prepareWriteRequest, .executeWriteRequest,
                .readMultipleVariableRequest:
                true
            default: false
            }
        }

        /// Whether the PDU is a known response, including the Error Response.
        package var isResponse: Bool {
            self == .errorResponse || Opcode(rawValue: rawValue &- 1).isRequest
        }

        /// Whether the PDU is a notification, which has no confirmation.
        package var isNotification: Bool {
            self == .handleValueNotification || self == .multipleHandleValueNotification
        }

        /// The response to this request, or the confirmation of this indication. Its number is
        /// always the next one (Vol 3, Part F, 3.4.8).
        package var answer: Opcode { Opcode(rawValue: rawValue &+ 1) }

        package static let errorResponse = Opcode(rawValue: 0x01)
        package static let exchangeMTURequest = Opcode(rawValue: 0x02)
        package static let exchangeMTUResponse = Opcode(rawValue: 0x03)
        package static let findInformationRequest = Opcode(rawValue: 0x04)
        package static let findInformationResponse = Opcode(rawValue: 0x05)
        package static let findByTypeValueRequest = Opcode(rawValue: 0x06)
        package static let findByTypeValueResponse = Opcode(rawValue: 0x07)
        package static let readByTypeRequest = Opcode(rawValue: 0x08)
        package static let readByTypeResponse = Opcode(rawValue: 0x09)
        package static let readRequest = Opcode(rawValue: 0x0A)
        package static let readResponse = Opcode(rawValue: 0x0B)
        package static let readBlobRequest = Opcode(rawValue: 0x0C)
        package static let readBlobResponse = Opcode(rawValue: 0x0D)
        package static let readMultipleRequest = Opcode(rawValue: 0x0E)
        package static let readMultipleResponse = Opcode(rawValue: 0x0F)
        package static let readByGroupTypeRequest = Opcode(rawValue: 0x10)
        package static let readByGroupTypeResponse = Opcode(rawValue: 0x11)
        package static let writeRequest = Opcode(rawValue: 0x12)
        package static let writeResponse = Opcode(rawValue: 0x13)
        package static let prepareWriteRequest = Opcode(rawValue: 0x16)
        package static let prepareWriteResponse = Opcode(rawValue: 0x17)
        package static let executeWriteRequest = Opcode(rawValue: 0x18)
        package static let executeWriteResponse = Opcode(rawValue: 0x19)
        package static let handleValueNotification = Opcode(rawValue: 0x1B)
        package static let handleValueIndication = Opcode(rawValue: 0x1D)
        package static let handleValueConfirmation = Opcode(rawValue: 0x1E)
        package static let readMultipleVariableRequest = Opcode(rawValue: 0x20)
        package static let readMultipleVariableResponse = Opcode(rawValue: 0x21)
        package static let multipleHandleValueNotification = Opcode(rawValue: 0x23)
        package static let writeCommand = Opcode(rawValue: 0x52)
        package static let signedWriteCommand = Opcode(rawValue: 0xD2)

        package static let names: [UInt8: String] = [
            0x01: "ATT_ERROR_RSP",
            0x02: "ATT_EXCHANGE_MTU_REQ",
            0x03: "ATT_EXCHANGE_MTU_RSP",
            0x04: "ATT_FIND_INFORMATION_REQ",
            0x05: "ATT_FIND_INFORMATION_RSP",
            0x06: "ATT_FIND_BY_TYPE_VALUE_REQ",
            0x07: "ATT_FIND_BY_TYPE_VALUE_RSP",
            0x08: "ATT_READ_BY_TYPE_REQ",
            0x09: "ATT_READ_BY_TYPE_RSP",
            0x0A: "ATT_READ_REQ",
            0x0B: "ATT_READ_RSP",
            0x0C: "ATT_READ_BLOB_REQ",
            0x0D: "ATT_READ_BLOB_RSP",
            0x0E: "ATT_READ_MULTIPLE_REQ",
            0x0F: "ATT_READ_MULTIPLE_RSP",
            0x10: "ATT_READ_BY_GROUP_TYPE_REQ",
            0x11: "ATT_READ_BY_GROUP_TYPE_RSP",
            0x12: "ATT_WRITE_REQ",
            0x13: "ATT_WRITE_RSP",
            0x16: "ATT_PREPARE_WRITE_REQ",
            0x17: "ATT_PREPARE_WRITE_RSP",
            0x18: "ATT_EXECUTE_WRITE_REQ",
            0x19: "ATT_EXECUTE_WRITE_RSP",
            0x1B: "ATT_HANDLE_VALUE_NTF",
            0x1D: "ATT_HANDLE_VALUE_IND",
            0x1E: "ATT_HANDLE_VALUE_CFM",
            0x20: "ATT_READ_MULTIPLE_VARIABLE_REQ",
            0x21: "ATT_READ_MULTIPLE_VARIABLE_RSP",
            0x23: "ATT_MULTIPLE_HANDLE_VALUE_NTF",
            0x52: "ATT_WRITE_CMD",
            0xD2: "ATT_SIGNED_WRITE_CMD",
        ]
    }
}
