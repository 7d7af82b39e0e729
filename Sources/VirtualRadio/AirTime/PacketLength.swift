// SPDX-License-Identifier: Apache-2.0

/// The lengths, in octets, of what packets are made of (Vol 6, Part B, 2).
package enum PacketLength {
    /// The access address, in front of every PDU.
    package static let accessAddress = 4
    /// The header of every PDU.
    package static let header = 2
    /// The message integrity check at the end of the payload of an encrypted PDU.
    package static let mic = 4
    /// The CRC behind every PDU.
    package static let crc = 3
    /// A device address.
    package static let address = 6
    /// What is in a connection request beside the two addresses.
    package static let connectionParameters = 22
    /// The most data that a legacy advertisement or scan response carries.
    package static let legacyDataLimit = 31
    /// The longest payload of a PDU, without its MIC.
    package static let dataPayloadLimit = 251
    /// The longest payload of an advertising PDU.
    package static let advertisingPayloadLimit = 255
    /// The most data that an extended advertisement carries, in all its PDUs together.
    package static let extendedDataLimit = 1650
}
