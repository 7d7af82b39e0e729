// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI
import BluetoothTypes

/// A cipher that computes an identifier for every possible address. The identifier does not reveal
/// the address, and the same device has another identifier on another host.
///
/// An identifier is the address, encrypted with a secret of the host. The host therefore needs no
/// list of identifiers, which would grow with every received device. As long as the secret exists
/// in the host's store, each address has the same identifier, and each identifier can be decrypted
/// to its address.
///
/// An identifier must have the form of a random UUID (RFC 9562, 5.4), in which six bits are fixed.
/// The cipher is therefore a permutation of the blocks with these six bits: AES encrypts a block
/// repeatedly until the result has these bits, after 64 times on average. This method is known as
/// cycle walking (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002), and it can be
/// reversed.
package struct PeerCipher: Sendable {
    /// The maximum number of encryptions of a block. The probability that this number is not enough
    /// is less than 2 to the power of -180.
    private static let walkLimit = 8_192

    /// The key of the identifiers.
    package let secret: HCI.Key128

    private let cipher: AES128

    /// Creates the cipher of a host with this secret.
    package init(secret: HCI.Key128) {
        // A `Key128` always has the length of an AES key.
        guard let cipher = AES128(key: secret.bytes) else {
            preconditionFailure("the key has \(secret.bytes.count) bytes")
        }
        self.secret = secret
        self.cipher = cipher
    }

    /// Returns the identifier of the device with this address.
    package func identifier(of address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(bytes: walk(Self.block(of: address), cipher.encrypt))
    }

    /// Returns the address of an identifier, or `nil` if no address has this identifier.
    package func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        guard Self.isUUID(identifier.bytes) else { return nil }
        return Self.address(in: walk(identifier.bytes, cipher.decrypt))
    }

    private func walk(
        _ start: [UInt8],
        _ step: ([UInt8]) -> [UInt8]?
    ) -> [UInt8] {
        var block = start
        for _ in 0..<Self.walkLimit {
            block = step(block) ?? block
            if Self.isUUID(block) { break }
        }
        return block
    }

    /// Returns the block of an address: the six fixed bits of a UUID, the kind, the address, and
    /// zeros.
    private static func block(of address: DeviceAddress) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: AES128.blockLength)
        block[6] = 0x40
        block[8] = 0x80
        block[9] = address.kind.rawValue
        block.replaceSubrange(10..., with: address.littleEndianBytes.reversed())
        return block
    }

    private static func address(in block: [UInt8]) -> DeviceAddress? {
        guard let kind = DeviceAddress.Kind(rawValue: block[9]),
            let address = DeviceAddress(littleEndian: block[10...].reversed(), kind: kind),
            block == self.block(of: address)
        else { return nil }
        return address
    }

    /// Returns whether a block has the version and the variant of a random UUID.
    private static func isUUID(_ block: [UInt8]) -> Bool {
        block[6] & 0xF0 == 0x40 && block[8] & 0xC0 == 0x80
    }
}
