// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A value whose layout the SIG defined, and that applications have no use for: decoded from the
/// octets of its characteristic or descriptor, and printable on one line. The others are Lanyard's.
///
/// What does not have the defined layout is refused, not guessed at. Descriptions are safe to
/// print: what came over the air is escaped in them.
protocol WellKnownValue: Equatable, Sendable, CustomStringConvertible {
    /// Decodes the value; whoever calls checks that nothing is left over.
    init(from reader: inout ByteReader) throws(MalformedBytes)
}

extension WellKnownValue {
    /// Decodes a value that is all of `bytes`.
    init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }
}
