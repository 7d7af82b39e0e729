// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a refused command returns beside its status.
///
/// A Command Complete has all its return parameters, whatever the status: hosts decode them before
/// they look at it (Vol 4, Part E, 7.7.14). They are zero, except that the link the command was
/// about is named where the return parameters name one.
struct RefusedAnswer: Sendable {
    /// More octets than the longest return parameters have.
    private static let lengthLimit = 255

    /// The octets after the status.
    private let length: Int
    private let namesLink: Bool

    init<Parameters: HCIReturnParameters>(_ parameters: Parameters.Type) {
        var reader = ByteReader([UInt8](repeating: 0, count: Self.lengthLimit))
        let isDecodable = (try? Parameters(from: &reader)) != nil
        length = isDecodable ? Self.lengthLimit - reader.remaining : 0
        namesLink = Parameters.self is any LinkFirst.Type
    }

    /// Status and the rest, for a command that came with these parameters.
    func returnParameters(_ status: HCI.ErrorCode, to parameters: ArraySlice<UInt8>) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: 1 + length)
        octets[0] = status.rawValue
        if namesLink, length >= 2, parameters.count >= 2 {
            let start = parameters.startIndex
            octets[1] = parameters[start]
            octets[2] = parameters[start + 1] & 0x0F
        }
        return octets
    }
}

/// Return parameters that begin with the handle of a link, as the command's own do.
private protocol LinkFirst {}

extension HCI.LinkReturnParameters: LinkFirst {}
extension HCI.ReadTransmitPowerLevel.ReturnParameters: LinkFirst {}
extension HCI.ReadAuthenticatedPayloadTimeout.ReturnParameters: LinkFirst {}
extension HCI.ReadRSSI.ReturnParameters: LinkFirst {}
extension HCI.LEReadChannelMap.ReturnParameters: LinkFirst {}
extension HCI.LEReadPHY.ReturnParameters: LinkFirst {}
