// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The return parameters of a refused command.
///
/// A Command Complete event has all its return parameters whatever the status, because hosts decode
/// them before they check the status (Vol 4, Part E, 7.7.14). The parameters after the status are
/// zero, except that the connection handle of the command is repeated if the return parameters have
/// one there.
struct RefusedAnswer: Sendable {
    /// A length in bytes that no return parameters exceed.
    private static let lengthLimit = 255

    /// The number of bytes after the status.
    private let length: Int
    private let beginsWithHandle: Bool

    init<Parameters: HCIReturnParameters>(_ parameters: Parameters.Type) {
        var reader = ByteReader([UInt8](repeating: 0, count: Self.lengthLimit))
        let isDecodable = (try? Parameters(from: &reader)) != nil
        length = isDecodable ? Self.lengthLimit - reader.remaining : 0
        beginsWithHandle = Parameters.self is any BeginsWithConnectionHandle.Type
    }

    /// Returns the return parameters, status first, of a command with these parameters.
    func returnParameters(_ status: HCI.ErrorCode, to parameters: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 + length)
        bytes[0] = status.rawValue
        if beginsWithHandle, length >= 2, parameters.count >= 2 {
            let start = parameters.startIndex
            bytes[1] = parameters[start]
            bytes[2] = parameters[start + 1] & 0x0F
        }
        return bytes
    }
}

/// Return parameters with a connection handle after the status. The parameters of their command
/// begin with it.
private protocol BeginsWithConnectionHandle {}

extension HCI.LinkReturnParameters: BeginsWithConnectionHandle {}
extension HCI.ReadTransmitPowerLevel.ReturnParameters: BeginsWithConnectionHandle {}
extension HCI.ReadAuthenticatedPayloadTimeout.ReturnParameters: BeginsWithConnectionHandle {}
extension HCI.ReadRSSI.ReturnParameters: BeginsWithConnectionHandle {}
extension HCI.LEReadChannelMap.ReturnParameters: BeginsWithConnectionHandle {}
extension HCI.LEReadPHY.ReturnParameters: BeginsWithConnectionHandle {}
