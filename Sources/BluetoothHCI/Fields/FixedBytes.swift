// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The number of octets in a `FixedBytes`.
package protocol ByteCount: Sendable {
    static var count: Int { get }
}

/// Exactly as many octets as its type says, least significant first.
package struct FixedBytes<Count: ByteCount>: Hashable, HCIParameters, CustomStringConvertible {
    package let bytes: [UInt8]

    /// All octets zero.
    package init() {
        bytes = [UInt8](repeating: 0, count: Count.count)
    }

    /// Nil unless there are exactly as many octets as the type says.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Count.count else { return nil }
        self.bytes = Array(bytes)
    }

    /// Octets drawn at random.
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
    package enum Octets16: ByteCount { package static let count = 16 }
    package enum Octets32: ByteCount { package static let count = 32 }

    /// A block of plain or encrypted data.
    package typealias Block128 = FixedBytes<Octets16>

    /// One coordinate of a P-256 public key. Public: it is sent over the air in clear.
    package typealias Coordinate256 = FixedBytes<Octets32>

    /// A secret of 128 bits: a long term key, an identity resolving key. It never prints.
    package struct Key128: Hashable, HCIParameters, CustomStringConvertible {
        private let block: Block128

        /// All octets zero, which stands for no key where there may be none.
        package init() {
            block = Block128()
        }

        /// Nil unless there are 16 octets.
        package init?(_ bytes: some Collection<UInt8>) {
            guard let block = Block128(bytes) else { return nil }
            self.block = block
        }

        /// A new key.
        package init(using generator: inout some RandomNumberGenerator) {
            block = Block128(using: &generator)
        }

        /// The octets, least significant first.
        package var bytes: [UInt8] { block.bytes }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            block = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            block.encodeParameters(into: &writer)
        }

        package var description: String { "(secret)" }
    }

    /// A shared secret of 256 bits. It never prints.
    package struct SharedSecret256: Hashable, HCIParameters, CustomStringConvertible {
        private let coordinate: Coordinate256

        /// Nil unless there are 32 octets.
        package init?(_ bytes: some Collection<UInt8>) {
            guard let coordinate = Coordinate256(bytes) else { return nil }
            self.coordinate = coordinate
        }

        /// The octets, least significant first.
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
