// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A host's request to one of its links.
package enum LinkProcedureRequest: Hashable, Sendable {
    /// Disconnect, with the reason that is sent to the peer.
    case disconnect(HCI.ErrorCode)
    /// Read Remote Version Information.
    case readVersion
    /// LE Read Remote Features.
    case readFeatures
    /// LE Connection Update.
    case updateConnection(ConnectionParameterProposal)
    /// LE Remote Connection Parameter Request Reply.
    case acceptParameters(ConnectionParameterProposal)
    /// LE Remote Connection Parameter Request Negative Reply.
    case refuseParameters(HCI.ErrorCode)
    /// LE Set Data Length.
    case setDataLength(bytes: Int, time: Duration)
    /// LE Set PHY.
    case setPHY(HCI.PHYPreference, HCI.CodedPHYPreference)
    /// LE Enable Encryption.
    case encrypt(random: UInt64, encryptedDiversifier: UInt16, key: HCI.Key128)
    /// LE Long Term Key Request Reply.
    case provideKey(HCI.Key128)
    /// LE Long Term Key Request Negative Reply.
    case refuseKey
    /// Write Authenticated Payload Timeout.
    case setAuthenticatedPayloadTimeout(Duration)
    /// LE Set Host Channel Classification, for a link on which the controller is the central.
    case setChannels(UInt64)
}
