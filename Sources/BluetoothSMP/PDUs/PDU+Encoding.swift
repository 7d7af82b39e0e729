// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SMP.PDU {
    /// The length of the longest PDU, Pairing Public Key, in bytes. It is the MTU of the channel
    /// for devices that support LE Secure Connections (Vol 3, Part H, 3.2).
    package static let lengthLimit = 65

    /// Encodes the PDU, code first. For an unknown PDU, the result is only the code.
    package func encode() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: Self.lengthLimit)
        writer.write(code.rawValue)
        encodeParameters(into: &writer)
        return writer.bytes
    }

    private func encodeParameters(into writer: inout ByteWriter) {
        switch self {
        case .pairingRequest(let features), .pairingResponse(let features):
            writer.write(contentsOf: features.bytes)
        case .pairingConfirm(let value), .pairingRandom(let value), .dhKeyCheck(let value):
            writer.write(contentsOf: value.bytes)
        case .failed(let reason): writer.write(reason.rawValue)
        case .encryptionInformation(let key), .identityInformation(let key),
            .signingInformation(let key):
            writer.write(contentsOf: key.bytes)
        case .centralIdentification(let diversifier, let random):
            writer.write(diversifier)
            writer.write(random)
        case .identityAddressInformation(let address):
            writer.write(address.kind.rawValue)
            writer.write(contentsOf: address.littleEndianBytes)
        case .securityRequest(let requirements): writer.write(requirements.rawValue)
        case .publicKey(let key): key.encodeParameters(into: &writer)
        case .keypress(let keypress): writer.write(keypress.rawValue)
        case .unknown: break
        }
    }
}
