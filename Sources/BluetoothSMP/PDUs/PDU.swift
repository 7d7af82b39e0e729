// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SMP {
    /// A value of 128 bits that is no secret once it has been sent, least significant octet first: a
    /// confirm value, a random number, a check.
    package typealias Value128 = HCI.Block128

    /// A public key: two coordinates, least significant octet first.
    package typealias PublicKey = HCI.P256PublicKey

    /// Any PDU of the protocol (Vol 3, Part H, 3.5 and 3.6).
    package enum PDU: Hashable, Sendable {
        case pairingRequest(PairingFeatures)
        case pairingResponse(PairingFeatures)
        case pairingConfirm(Value128)
        case pairingRandom(Value128)
        case failed(Pairing.FailureReason)
        /// The long term key that the sender gives; legacy pairing only.
        case encryptionInformation(HCI.Key128)
        /// By what name the key of `encryptionInformation` is asked for.
        case centralIdentification(diversifier: UInt16, random: UInt64)
        /// What the sender's private addresses are made with.
        case identityInformation(HCI.Key128)
        /// Who the sender is.
        case identityAddressInformation(DeviceAddress)
        /// What the sender signs with.
        case signingInformation(HCI.Key128)
        /// A Peripheral wants the link protected.
        case securityRequest(AuthenticationRequirements)
        case publicKey(PublicKey)
        case dhKeyCheck(Value128)
        case keypress(Pairing.Keypress)
        /// A PDU that this code does not know, and that is to be ignored (Vol 3, Part H, 3.3).
        case unknown(Code)

        /// What the PDU is.
        package var code: Code {
            switch self {
            case .pairingRequest: .pairingRequest
            case .pairingResponse: .pairingResponse
            case .pairingConfirm: .pairingConfirm
            case .pairingRandom: .pairingRandom
            case .failed: .pairingFailed
            case .encryptionInformation: .encryptionInformation
            case .centralIdentification: .centralIdentification
            case .identityInformation: .identityInformation
            case .identityAddressInformation: .identityAddressInformation
            case .signingInformation: .signingInformation
            case .securityRequest: .securityRequest
            case .publicKey: .pairingPublicKey
            case .dhKeyCheck: .pairingDHKeyCheck
            case .keypress: .pairingKeypressNotification
            case .unknown(let code): code
            }
        }
    }
}
