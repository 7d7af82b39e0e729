// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A marker type for the number of bytes in a `FixedBytes`.
package protocol ByteCount: Sendable {
    static var count: Int { get }
}

/// A fixed number of bytes, given by the type, least significant byte first.
package struct FixedBytes<Count: ByteCount>: Hashable, HCIParameters, CustomStringConvertible {
    package let bytes: [UInt8]

    /// Creates bytes that are all zero.
    package init() {
        bytes = [UInt8](repeating: 0, count: Count.count)
    }

    /// Creates the bytes, or returns `nil` if their number is not `Count.count`.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Count.count else { return nil }
        self.bytes = Array(bytes)
    }

    /// Creates random bytes.
    package init(using generator: inout some RandomNumberGenerator) {
        bytes = (0..<Count.count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        bytes = Array(try reader.readBytes(Count.count))
    }

    package func encodeParameters(into writer: inout ByteWriter) {
        writer.write(contentsOf: bytes)
    }

    package var description: String { bytes.hexadecimal }
}

extension HCI {
    package enum Bytes16: ByteCount { package static let count = 16 }
    package enum Bytes32: ByteCount { package static let count = 32 }

    /// A 128-bit block of plaintext or ciphertext.
    package typealias Block128 = FixedBytes<Bytes16>

    /// One coordinate of a P-256 public key. It is not secret: peers exchange it unencrypted.
    package typealias Coordinate256 = FixedBytes<Bytes32>

    /// A 128-bit secret, such as a long-term key or an identity resolving key. Its description
    /// omits it.
    package struct Key128: Hashable, HCIParameters, CustomStringConvertible {
        private let block: Block128

        /// Creates a key of zeros, which means "no key" where a key is optional.
        package init() {
            block = Block128()
        }

        /// Creates a key, or returns `nil` if there are not 16 bytes.
        package init?(_ bytes: some Collection<UInt8>) {
            guard let block = Block128(bytes) else { return nil }
            self.block = block
        }

        /// Creates a new random key.
        package init(using generator: inout some RandomNumberGenerator) {
            block = Block128(using: &generator)
        }

        /// The bytes, least significant byte first.
        package var bytes: [UInt8] { block.bytes }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            block = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            block.encodeParameters(into: &writer)
        }

        package var description: String { "(secret)" }
    }

    /// A 256-bit shared secret. Its description omits it.
    package struct SharedSecret256: Hashable, HCIParameters, CustomStringConvertible {
        private let coordinate: Coordinate256

        /// Creates a secret, or returns `nil` if there are not 32 bytes.
        package init?(_ bytes: some Collection<UInt8>) {
            guard let coordinate = Coordinate256(bytes) else { return nil }
            self.coordinate = coordinate
        }

        /// The bytes, least significant byte first.
        package var bytes: [UInt8] { coordinate.bytes }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            coordinate = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            coordinate.encodeParameters(into: &writer)
        }

        package var description: String { "(secret)" }
    }

    /// A public key on the curve P-256 (Vol 3, Part H, 2.3.5.6.1).
    package struct P256PublicKey: Hashable, HCIParameters {
        package var x: Coordinate256
        package var y: Coordinate256

        package init(x: Coordinate256, y: Coordinate256) {
            self.x = x
            self.y = y
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            x = try reader.decode()
            y = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) { writer.encode(x, y) }
    }
}
