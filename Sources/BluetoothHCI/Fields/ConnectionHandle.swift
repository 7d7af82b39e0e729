// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The controller's 12-bit identifier of a link (Vol 4, Part E, 5.3.1).
///
/// The controller chooses it when it creates the link and may reuse it after the disconnection.
package struct ConnectionHandle: Hashable, Sendable, CustomStringConvertible {
    /// The largest handle that a link can have. The rest of the 12-bit range is reserved.
    package static let maximum = ConnectionHandle(rawValue: 0x0EFF)

    package let rawValue: UInt16

    /// Creates a handle from the low 12 bits of `rawValue`. The other bits are reserved and
    /// ignored.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue & 0x0FFF
    }

    /// The operator is inlined, because the host searches its links for every packet.
    @inlinable
    package static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }

    package var description: String { "0x" + rawValue.hexadecimal(digits: 4) }
}

extension ConnectionHandle: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(rawValue: try reader.readUInt16())
    }

    package func encodeParameters(into writer: inout ByteWriter) { writer.write(rawValue) }
}
