// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

@testable import BluetoothSMP

/// A PDU and its bytes, written by hand from the figures of Vol 3, Part H, 3.5 and 3.6.
struct PDUVector: Sendable, CustomStringConvertible {
    var pdu: SMP.PDU
    var hexadecimal: String

    var bytes: [UInt8] { hexadecimal.bytes }
    var description: String { "\(pdu.code)" }

    static let all = [
        PDUVector(pdu: .pairingRequest(features), hexadecimal: "01" + "04010d100703"),
        PDUVector(pdu: .pairingResponse(features), hexadecimal: "02" + "04010d100703"),
        PDUVector(pdu: .pairingConfirm(value), hexadecimal: "03" + digits),
        PDUVector(pdu: .pairingRandom(value), hexadecimal: "04" + digits),
        PDUVector(pdu: .failed(.confirmValueFailed), hexadecimal: "0504"),
        PDUVector(pdu: .encryptionInformation(HCI.Key128(value)), hexadecimal: "06" + digits),
        PDUVector(
            pdu: .centralIdentification(diversifier: 0x1234, random: 0x0102_0304_0506_0708),
            hexadecimal: "07" + "3412" + "0807060504030201"
        ),
        PDUVector(pdu: .identityInformation(HCI.Key128(value)), hexadecimal: "08" + digits),
        PDUVector(
            pdu: .identityAddressInformation(
                DeviceAddress(value: 0xC0FF_EE01_0203, kind: .random)
            ),
            hexadecimal: "09" + "01" + "030201eeffc0"
        ),
        PDUVector(pdu: .signingInformation(HCI.Key128(value)), hexadecimal: "0a" + digits),
        PDUVector(
            pdu: .securityRequest([.bonding, .protection, .secureConnections]),
            hexadecimal: "0b0d"
        ),
        PDUVector(
            pdu: .publicKey(SMP.PublicKey(x: coordinate(0x10), y: coordinate(0x50))),
            hexadecimal: "0c" + coordinate(0x10).bytes.hexadecimal
                + coordinate(0x50).bytes.hexadecimal
        ),
        PDUVector(pdu: .dhKeyCheck(value), hexadecimal: "0d" + digits),
        PDUVector(pdu: .keypress(.entryCompleted), hexadecimal: "0e04"),
    ]

    static let features = SMP.PairingFeatures(
        ioCapability: .keyboardDisplay,
        hasOutOfBandData: true,
        requirements: [.bonding, .protection, .secureConnections],
        initiatorKeys: [.encryptionKey, .identityKey, .signingKey],
        responderKeys: [.encryptionKey, .identityKey]
    )
    static let digits = "000102030405060708090a0b0c0d0e0f"
    static let value = SMP.Value128(digits.bytes) ?? SMP.Value128()

    private static func coordinate(_ first: UInt8) -> HCI.Coordinate256 {
        HCI.Coordinate256((0..<32).map { first + $0 }) ?? HCI.Coordinate256()
    }
}

extension String {
    /// The bytes of the hexadecimal digits, or no bytes if the digits are invalid.
    var bytes: [UInt8] { Array(hexadecimal: self) ?? [] }
}
