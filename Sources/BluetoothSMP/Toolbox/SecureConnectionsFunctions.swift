// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SMP.Toolbox {
    /// Returns the confirm value f4 (Vol 3, Part H, 2.2.6).
    ///
    /// - Parameters:
    ///   - u: The x-coordinate of the public key of the device that confirms.
    ///   - v: The x-coordinate of the other device's public key, or, for out-of-band data, `u`
    ///     again.
    ///   - x: The random number to confirm.
    ///   - z: 0, or, for passkey entry, 0x80 combined with one bit of the passkey.
    package static func f4(
        _ u: HCI.Coordinate256,
        _ v: HCI.Coordinate256,
        _ x: SMP.Value128,
        _ z: UInt8
    ) -> SMP.Value128 {
        authenticationCode(x.bigEndian, u.bigEndian + v.bigEndian + [z])
    }

    /// Returns the keys f5: the key for the checks of this pairing, and the long-term key before it
    /// is shortened (Vol 3, Part H, 2.2.7).
    ///
    /// - Parameters:
    ///   - w: The shared secret.
    ///   - n1: The random number of the initiator.
    ///   - n2: The random number of the responder.
    ///   - a1: The address of the initiator on the link.
    ///   - a2: The address of the responder on the link.
    package static func f5(
        _ w: HCI.SharedSecret256,
        _ n1: SMP.Value128,
        _ n2: SMP.Value128,
        _ a1: DeviceAddress,
        _ a2: DeviceAddress
    ) -> (checkKey: HCI.Key128, longTermKey: HCI.Key128) {
        let t = authenticationCode(salt, w.bytes.reversed()).bigEndian
        let message = name + n1.bigEndian + n2.bigEndian + a1.bytes + a2.bytes + length
        return (
            HCI.Key128(authenticationCode(t, [0] + message)),
            HCI.Key128(authenticationCode(t, [1] + message))
        )
    }

    /// Returns the check f6 (Vol 3, Part H, 2.2.8).
    ///
    /// - Parameters:
    ///   - w: The key for checks from `f5`.
    ///   - n1: The random number of the sender of the check.
    ///   - n2: The random number of the other device.
    ///   - r: The passkey, or the random number in the out-of-band data of the *other* device, or
    ///     zero.
    ///   - features: The features that the sender of the check has transmitted.
    ///   - a1: The address of the sender of the check.
    ///   - a2: The address of the other device.
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
            numbers + capabilities + a1.bytes + a2.bytes
        )
    }

    /// Returns the 32-bit number g2 for numeric comparison, of which the user sees `digits(of:)`
    /// (Vol 3, Part H, 2.2.9).
    ///
    /// - Parameters:
    ///   - u: The x-coordinate of the initiator's public key.
    ///   - v: The x-coordinate of the responder's public key.
    ///   - x: The random number of the initiator.
    ///   - y: The random number of the responder.
    package static func g2(
        _ u: HCI.Coordinate256,
        _ v: HCI.Coordinate256,
        _ x: SMP.Value128,
        _ y: SMP.Value128
    ) -> UInt32 {
        let code = authenticationCode(x.bigEndian, u.bigEndian + v.bigEndian + y.bigEndian)
        return code.bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns the six digits of a number from `g2`: 0 to 999,999 (Vol 3, Part H, 2.3.5.6.2).
    package static func digits(of number: UInt32) -> UInt32 { number % 1_000_000 }

    /// The key with which `f5` converts the shared secret to a key for AES-CMAC.
    private static let salt: [UInt8] = [
        0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83,
        0xBE,
    ]
    /// The keyID of `f5`: "btle".
    private static let name: [UInt8] = [0x62, 0x74, 0x6C, 0x65]
    /// The length of the output of `f5` in bits: 256.
    private static let length: [UInt8] = [0x01, 0x00]
}

extension DeviceAddress {
    /// The type and the address in the form for `f5` and `f6`, most significant byte first.
    fileprivate var bytes: [UInt8] { [kind.rawValue] + littleEndianBytes.reversed() }
}
