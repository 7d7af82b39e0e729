// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SMP.Toolbox {
    /// The confirm value f4 (Vol 3, Part H, 2.2.6).
    ///
    /// - Parameters:
    ///   - u: the x-coordinate of whoever confirms.
    ///   - v: the x-coordinate of the other side; of the same one for data out of band.
    ///   - x: the random number that is confirmed.
    ///   - z: 0, or with a passkey 0x80 and one of its bits.
    package static func f4(
        _ u: HCI.Coordinate256,
        _ v: HCI.Coordinate256,
        _ x: SMP.Value128,
        _ z: UInt8
    ) -> SMP.Value128 {
        authenticationCode(x.bigEndian, u.bigEndian + v.bigEndian + [z])
    }

    /// The keys f5: the one for the checks of this pairing, and the long term key, not shortened yet
    /// (Vol 3, Part H, 2.2.7).
    ///
    /// - Parameters:
    ///   - w: the shared secret.
    ///   - n1: the random number of the initiator.
    ///   - n2: the random number of the responder.
    ///   - a1: the address that the initiator uses on the link.
    ///   - a2: the address that the responder uses on the link.
    package static func f5(
        _ w: HCI.SharedSecret256,
        _ n1: SMP.Value128,
        _ n2: SMP.Value128,
        _ a1: DeviceAddress,
        _ a2: DeviceAddress
    ) -> (checkKey: HCI.Key128, longTermKey: HCI.Key128) {
        let t = authenticationCode(salt, w.bytes.reversed()).bigEndian
        let message = name + n1.bigEndian + n2.bigEndian + a1.octets + a2.octets + length
        return (
            HCI.Key128(authenticationCode(t, [0] + message)),
            HCI.Key128(authenticationCode(t, [1] + message))
        )
    }

    /// The check f6 (Vol 3, Part H, 2.2.8).
    ///
    /// - Parameters:
    ///   - w: the key for checks that `f5` made.
    ///   - n1: the random number of whoever sends the check.
    ///   - n2: the random number of the other side.
    ///   - r: the passkey, or what was handed over by the *other* side out of band, or zero.
    ///   - features: what whoever sends the check has told of itself, as it travelled.
    ///   - a1: the address of whoever sends the check.
    ///   - a2: the address of the other side.
    package static func f6(
        _ w: HCI.Key128,
        _ n1: SMP.Value128,
        _ n2: SMP.Value128,
        _ r: SMP.Value128,
        _ features: SMP.PairingFeatures,
        _ a1: DeviceAddress,
        _ a2: DeviceAddress
    ) -> SMP.Value128 {
        let capabilities: [UInt8] = features.bytes.prefix(3).reversed()
        let numbers = n1.bigEndian + n2.bigEndian + r.bigEndian
        return authenticationCode(
            w.bytes.reversed(),
            numbers + capabilities + a1.octets + a2.octets
        )
    }

    /// The number g2 to be compared, of 32 bits; a person is shown `digits(of:)` it
    /// (Vol 3, Part H, 2.2.9).
    ///
    /// - Parameters:
    ///   - u: the x-coordinate of the initiator.
    ///   - v: the x-coordinate of the responder.
    ///   - x: the random number of the initiator.
    ///   - y: the random number of the responder.
    package static func g2(
        _ u: HCI.Coordinate256,
        _ v: HCI.Coordinate256,
        _ x: SMP.Value128,
        _ y: SMP.Value128
    ) -> UInt32 {
        let code = authenticationCode(x.bigEndian, u.bigEndian + v.bigEndian + y.bigEndian)
        return code.bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The six digits of a number that `g2` made: 0 to 999,999 (Vol 3, Part H, 2.3.5.6.2).
    package static func digits(of number: UInt32) -> UInt32 { number % 1_000_000 }

    /// The key with which `f5` turns the shared secret into a key for AES-CMAC.
    private static let salt: [UInt8] = [
        0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83,
        0xBE,
    ]
    /// The keyID of `f5`: "btle".
    private static let name: [UInt8] = [0x62, 0x74, 0x6C, 0x65]
    /// The length of what `f5` makes, in bits: 256.
    private static let length: [UInt8] = [0x01, 0x00]
}

extension DeviceAddress {
    /// Type and address as `f5` and `f6` take them, most significant octet first.
    fileprivate var octets: [UInt8] { [kind.rawValue] + littleEndianBytes.reversed() }
}
