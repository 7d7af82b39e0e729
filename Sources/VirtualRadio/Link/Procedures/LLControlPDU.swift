// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What Link Layers say to each other about their link (Vol 6, Part B, 2.4.2).
///
/// These are values, not octets: nobody but our own Link Layers is on this air.
package enum LLControlPDU: Hashable, Sendable {
    case connectionUpdateIndication(ConnectionUpdate)
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
    case connectionParameterRequest(ConnectionParameterWish)
    case connectionParameterResponse(ConnectionParameterWish)
    case extendedRejectIndication(opcode: UInt8, HCI.ErrorCode)
    case pingRequest
    case pingResponse
    case lengthRequest(LengthOffer)
    case lengthResponse(LengthOffer)
    case phyRequest(PHYOffer)
    case phyResponse(PHYOffer)
    case phyUpdateIndication(PHYDecision)
    /// One that no Link Layer here knows, of so many octets after the opcode.
    case unknown(opcode: UInt8, length: Int)
}

/// LL_CONNECTION_UPDATE_IND: the pace of the link from an event on (Vol 6, Part B, 2.4.2.1).
package struct ConnectionUpdate: Hashable, Sendable {
    /// The pace.
    package var parameters: LinkParameters
    /// How long after the old anchor of the instant's event the transmit window begins.
    package var windowOffset: Duration
    /// The number of the event that is the first of the new pace.
    package var instant: UInt16
}

/// LL_ENC_REQ: which key, and the Central's half of the session (Vol 6, Part B, 2.4.2.4).
package struct EncryptionRequest: Hashable, Sendable {
    /// Rand, as the hosts agreed on it with the key.
    package var random: UInt64
    /// EDIV, likewise.
    package var encryptedDiversifier: UInt16
    /// The Central's half of the session key diversifier.
    package var diversifier: UInt64
    /// The Central's half of the initialisation vector.
    package var vector: UInt32
}

/// Who made a Link Layer, and after which specification (Vol 6, Part B, 2.4.2.13).
package struct LinkVersion: Hashable, Sendable {
    /// The version of the specification.
    package var version: HCI.Version
    /// The maker, by its company identifier.
    package var company: UInt16
    /// The maker's own count.
    package var subversion: UInt16
}

/// LL_CONNECTION_PARAM_REQ and _RSP: what pace would do (Vol 6, Part B, 2.4.2.16).
package struct ConnectionParameterWish: Hashable, Sendable {
    /// The shortest interval.
    package var intervalMinimum: Duration
    /// The longest interval.
    package var intervalMaximum: Duration
    /// How many events the Peripheral may pass over.
    package var latency: Int
    /// The supervision timeout.
    package var supervisionTimeout: Duration
}

/// LL_LENGTH_REQ and _RSP: how long packets its sender takes and sends (Vol 6, Part B, 2.4.2.21).
package struct LengthOffer: Hashable, Sendable {
    /// The longest payload that it takes, in octets (27 to 251).
    package var receiveOctets: Int
    /// The longest packet that it takes.
    package var receiveTime: Duration
    /// The longest payload that it sends, in octets (27 to 251).
    package var sendOctets: Int
    /// The longest packet that it sends.
    package var sendTime: Duration
}

/// LL_PHY_REQ and _RSP: on which PHYs its sender would send and receive (Vol 6, Part B, 2.4.2.22).
package struct PHYOffer: Hashable, Sendable {
    /// On which it would send.
    package var send: HCI.PHYSet
    /// On which it would receive.
    package var receive: HCI.PHYSet
}

/// LL_PHY_UPDATE_IND: on which PHYs they will; nil where nothing changes (Vol 6, Part B, 2.4.2.24).
package struct PHYDecision: Hashable, Sendable {
    /// On which the Central sends.
    package var centralToPeripheral: PHY?
    /// On which the Peripheral sends.
    package var peripheralToCentral: PHY?
    /// The number of the event that is the first on the new PHYs.
    package var instant: UInt16
}
