// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A control PDU of the Link Layer (Vol 6, Part B, 2.4.2).
///
/// It is a value without an encoding in bytes, because only virtual controllers exchange these
/// PDUs.
package enum LLControlPDU: Hashable, Sendable {
    case connectionUpdateIndication(ConnectionUpdateIndication)
    case channelMapIndication(channels: UInt64, instant: UInt16)
    case terminateIndication(HCI.ErrorCode)
    case encryptionRequest(EncryptionRequest)
    case encryptionResponse(diversifier: UInt64, vector: UInt32)
    case startEncryptionRequest
    case startEncryptionResponse
    case unknownResponse(opcode: UInt8)
    case featureRequest(HCI.LEFeatures)
    case featureResponse(HCI.LEFeatures)
    case pauseEncryptionRequest
    case pauseEncryptionResponse
    case versionIndication(LinkVersion)
    case rejectIndication(HCI.ErrorCode)
    case peripheralFeatureRequest(HCI.LEFeatures)
    case connectionParameterRequest(ConnectionParameterProposal)
    case connectionParameterResponse(ConnectionParameterProposal)
    case extendedRejectIndication(opcode: UInt8, HCI.ErrorCode)
    case pingRequest
    case pingResponse
    case lengthRequest(LengthOffer)
    case lengthResponse(LengthOffer)
    case phyRequest(PHYOffer)
    case phyResponse(PHYOffer)
    case phyUpdateIndication(PHYDecision)
    /// A PDU that the Link Layer does not support, with `length` bytes after the opcode.
    case unknown(opcode: UInt8, length: Int)
}

/// LL_CONNECTION_UPDATE_IND: the connection parameters from an event on (Vol 6, Part B, 2.4.2.1).
package struct ConnectionUpdateIndication: Hashable, Sendable {
    /// The connection parameters.
    package var parameters: LinkParameters
    /// The time to the transmit window, from the anchor that the event with the number `instant`
    /// would have had without the update.
    package var windowOffset: Duration
    /// The number of the first event with the new parameters.
    package var instant: UInt16
}

/// LL_ENC_REQ: the identification of the key, and the central's half of the session (Vol 6, Part B,
/// 2.4.2.4).
package struct EncryptionRequest: Hashable, Sendable {
    /// Rand, which identifies the key to the hosts.
    package var random: UInt64
    /// EDIV, which identifies the key to the hosts.
    package var encryptedDiversifier: UInt16
    /// The central's half of the session key diversifier.
    package var diversifier: UInt64
    /// The central's half of the initialization vector.
    package var vector: UInt32
}

/// The manufacturer and the specification version of a Link Layer (Vol 6, Part B, 2.4.2.13).
package struct LinkVersion: Hashable, Sendable {
    /// The version of the specification.
    package var version: HCI.Version
    /// The company identifier of the manufacturer.
    package var company: UInt16
    /// The manufacturer's own version number.
    package var subversion: UInt16
}

/// LL_CONNECTION_PARAM_REQ and _RSP: the connection parameters that a device asks for (Vol 6, Part
/// B, 2.4.2.16).
package struct ConnectionParameterProposal: Hashable, Sendable {
    /// The shortest interval.
    package var intervalMinimum: Duration
    /// The longest interval.
    package var intervalMaximum: Duration
    /// The number of events that the peripheral may skip.
    package var latency: Int
    /// The supervision timeout.
    package var supervisionTimeout: Duration
}

/// LL_LENGTH_REQ and _RSP: the longest packets that the sender receives and sends (Vol 6, Part B,
/// 2.4.2.21).
package struct LengthOffer: Hashable, Sendable {
    /// The maximum length in bytes of a payload that the sender of the PDU receives (27 to 251).
    package var receiveBytes: Int
    /// The longest air time of a packet that the sender receives.
    package var receiveTime: Duration
    /// The maximum length in bytes of a payload that the sender sends (27 to 251).
    package var sendBytes: Int
    /// The longest air time of a packet that the sender sends.
    package var sendTime: Duration
}

/// LL_PHY_REQ and _RSP: the PHYs that the sender prefers (Vol 6, Part B, 2.4.2.22).
package struct PHYOffer: Hashable, Sendable {
    /// The PHYs for sending.
    package var send: HCI.PHYSet
    /// The PHYs for receiving.
    package var receive: HCI.PHYSet
}

/// LL_PHY_UPDATE_IND: the new PHYs; `nil` for a direction without a change (Vol 6, Part B,
/// 2.4.2.23).
package struct PHYDecision: Hashable, Sendable {
    /// The PHY on which the central sends.
    package var centralToPeripheral: PHY?
    /// The PHY on which the peripheral sends.
    package var peripheralToCentral: PHY?
    /// The number of the first event on the new PHYs.
    package var instant: UInt16
}
