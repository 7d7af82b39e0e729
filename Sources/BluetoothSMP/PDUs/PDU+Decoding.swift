// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SMP.PDU {
    /// Decodes a complete PDU, code first. A PDU with an unknown code decodes as `unknown` with any
    /// content.
    ///
    /// - Throws: ``MalformedBytes`` if there is no byte, or if a known PDU does not have exactly
    ///   the required length or contains an undefined keypress or address type. A refusal of such a
    ///   PDU has the reason Invalid Parameters.
    package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        guard let first = bytes.first else { throw .truncated(needed: 1, available: 0) }
        let code = SMP.Code(rawValue: first)
        guard SMP.Code.names[first] != nil else {
            self = .unknown(code)
            return
        }
        var reader = ByteReader(bytes.dropFirst())
        self = try Self(code, from: &reader)
        try reader.finish()
    }

    private init(_ code: SMP.Code, from reader: inout ByteReader) throws(MalformedBytes) {
        switch code {
        case .pairingRequest: self = .pairingRequest(try SMP.PairingFeatures(from: &reader))
        case .pairingResponse: self = .pairingResponse(try SMP.PairingFeatures(from: &reader))
        case .pairingConfirm: self = .pairingConfirm(try SMP.Value128(from: &reader))
        case .pairingRandom: self = .pairingRandom(try SMP.Value128(from: &reader))
        case .pairingFailed:
            self = .failed(Pairing.FailureReason(rawValue: try reader.readUInt8()))
        case .securityRequest:
            self = .securityRequest(
                SMP.AuthenticationRequirements(rawValue: try reader.readUInt8())
            )
        case .pairingPublicKey: self = .publicKey(try SMP.PublicKey(from: &reader))
        case .pairingDHKeyCheck: self = .dhKeyCheck(try SMP.Value128(from: &reader))
        case .pairingKeypressNotification: self = .keypress(try reader.readKeypress())
        default: try self.init(distributing: code, from: &reader)
        }
    }

    /// Decodes the PDUs of phase 3 (Vol 3, Part H, 3.6).
    private init(
        distributing code: SMP.Code,
        from reader: inout ByteReader
    ) throws(MalformedBytes) {
        switch code {
        case .encryptionInformation: self = .encryptionInformation(try HCI.Key128(from: &reader))
        case .centralIdentification:
            self = .centralIdentification(
                diversifier: try reader.readUInt16(),
                random: try reader.readUInt64()
            )
        case .identityInformation: self = .identityInformation(try HCI.Key128(from: &reader))
        case .identityAddressInformation:
            self = .identityAddressInformation(try reader.readIdentityAddress())
        case .signingInformation: self = .signingInformation(try HCI.Key128(from: &reader))
        default: self = .unknown(code)
        }
    }
}

extension ByteReader {
    fileprivate mutating func readKeypress() throws(MalformedBytes) -> Pairing.Keypress {
        guard let keypress = Pairing.Keypress(rawValue: try readUInt8()) else {
            throw .invalid(field: "keypress notification type")
        }
        return keypress
    }

    /// Reads an address (Vol 3, Part H, 3.6.5). Its type is the least significant byte here, but
    /// the most significant one in the functions f5 and f6.
    fileprivate mutating func readIdentityAddress() throws(MalformedBytes) -> DeviceAddress {
        guard let kind = DeviceAddress.Kind(rawValue: try readUInt8()),
            let address = DeviceAddress(littleEndian: try readBytes(6), kind: kind)
        else { throw .invalid(field: "identity address type") }
        return address
    }
}
