// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI
import BluetoothTypes

/// Gives every address that can be on the air an identifier that is no address: to whom it is shown
/// it says nothing, and on another host the same device has another one.
///
/// An identifier is the address, encrypted with a secret of the host: so there is no list of them that
/// grows with every device that passes by, and no moment at which one is forgotten. As long as the
/// secret lasts, which is kept in the host's store, each address has its identifier, and each
/// identifier leads to its address again.
///
/// An identifier has to look like a random UUID (RFC 9562, 5.4), six bits of which are given. The
/// cipher is therefore one of the blocks with these six bits: a block of AES is encrypted again and
/// again until what comes out has them too, which takes 64 times on average. That walk is a
/// permutation of those blocks ("cycle walking": Black and Rogaway, Ciphers with Arbitrary Finite
/// Domains, 2002), and can be gone backwards.
package struct PeerCipher: Sendable {
    /// How often a block is encrypted at most. That so many steps are not enough has a probability of
    /// less than 2 to the power of -180.
    private static let walkLimit = 8_192

    private let cipher: AES128

    /// Makes the cipher of a host with this secret.
    package init(secret: HCI.Key128) {
        // A key of the length that the type says.
        guard let cipher = AES128(key: secret.bytes) else {
            preconditionFailure("a key of \(secret.bytes.count) octets")
        }
        self.cipher = cipher
    }

    /// What the device with this address is known by.
    package func identifier(of address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(octets: walk(Self.block(of: address), cipher.encrypt))
    }

    /// The address behind an identifier; nil if `identifier(of:)` has never made it.
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

    /// An address as a block that has the six bits of a UUID, and is zero wherever else it can be.
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

    /// Whether a block has the version and the variant of a random UUID.
    private static func isUUID(_ block: [UInt8]) -> Bool {
        block[6] & 0xF0 == 0x40 && block[8] & 0xC0 == 0x80
    }
}
