// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The commands of the LE signaling channel, each of which consists of a code, an identifier, a
/// length and parameters (Vol 3, Part A, 4).
package enum Signaling {
    /// The maximum length of a command that every LE device can receive, in bytes (Vol 3, Part A,
    /// 4).
    package static let mtu = 23

    /// The length of the header before the parameters, in bytes.
    package static let headerLength = 4

    /// The number that matches a response to its request. The requesting device chooses it, and it
    /// is never zero.
    package typealias Identifier = UInt8

    /// The code of a command (Vol 3, Part A, Table 4.2).
    package struct Code: OpenCode {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let commandReject = Code(rawValue: 0x01)
        package static let disconnectionRequest = Code(rawValue: 0x06)
        package static let disconnectionResponse = Code(rawValue: 0x07)
        package static let connectionParameterUpdateRequest = Code(rawValue: 0x12)
        package static let connectionParameterUpdateResponse = Code(rawValue: 0x13)
        package static let leCreditBasedConnectionRequest = Code(rawValue: 0x14)
        package static let leCreditBasedConnectionResponse = Code(rawValue: 0x15)
        package static let flowControlCredit = Code(rawValue: 0x16)
        package static let creditBasedConnectionRequest = Code(rawValue: 0x17)
        package static let creditBasedConnectionResponse = Code(rawValue: 0x18)
        package static let creditBasedReconfigureRequest = Code(rawValue: 0x19)
        package static let creditBasedReconfigureResponse = Code(rawValue: 0x1A)

        /// Whether the command is a response.
        ///
        /// The property includes the responses of BR/EDR, because no response may be answered.
        package var isResponse: Bool {
            switch rawValue {
            case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A: true
            default: false
            }
        }

        package static let names: [UInt8: String] = [
            0x01: "L2CAP_COMMAND_REJECT_RSP",
            0x06: "L2CAP_DISCONNECTION_REQ",
            0x07: "L2CAP_DISCONNECTION_RSP",
            0x12: "L2CAP_CONNECTION_PARAMETER_UPDATE_REQ",
            0x13: "L2CAP_CONNECTION_PARAMETER_UPDATE_RSP",
            0x14: "L2CAP_LE_CREDIT_BASED_CONNECTION_REQ",
            0x15: "L2CAP_LE_CREDIT_BASED_CONNECTION_RSP",
            0x16: "L2CAP_FLOW_CONTROL_CREDIT_IND",
            0x17: "L2CAP_CREDIT_BASED_CONNECTION_REQ",
            0x18: "L2CAP_CREDIT_BASED_CONNECTION_RSP",
            0x19: "L2CAP_CREDIT_BASED_RECONFIGURE_REQ",
            0x1A: "L2CAP_CREDIT_BASED_RECONFIGURE_RSP",
        ]
    }
}
