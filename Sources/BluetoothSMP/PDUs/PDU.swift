// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SMP {
    /// A 128-bit value that peers exchange, least significant byte first: a confirm value, a random
    /// number or a check. It is not secret once it is sent.
    package typealias Value128 = HCI.Block128

    /// A public key: two coordinates, least significant byte first.
    package typealias PublicKey = HCI.P256PublicKey

    /// Any PDU of the protocol (Vol 3, Part H, 3.5 and 3.6).
    package enum PDU: Hashable, Sendable {
        case pairingRequest(PairingFeatures)
        case pairingResponse(PairingFeatures)
        case pairingConfirm(Value128)
        case pairingRandom(Value128)
        case failed(Pairing.FailureReason)
        /// The sender's long-term key, in legacy pairing only.
        case encryptionInformation(HCI.Key128)
        /// The numbers by which a central requests the key of `encryptionInformation`.
        case centralIdentification(diversifier: UInt16, random: UInt64)
        /// The sender's identity resolving key, which resolves its private addresses.
        case identityInformation(HCI.Key128)
        /// The sender's identity address.
        case identityAddressInformation(DeviceAddress)
        /// The sender's signing key.
        case signingInformation(HCI.Key128)
        /// A peripheral's request to protect the link.
        case securityRequest(AuthenticationRequirements)
        case publicKey(PublicKey)
        case dhKeyCheck(Value128)
        case keypress(Pairing.Keypress)
        /// A PDU that this package does not know, which is ignored (Vol 3, Part H, 3.3).
        case unknown(Code)

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
