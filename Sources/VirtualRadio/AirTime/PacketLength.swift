// SPDX-License-Identifier: Apache-2.0

/// The lengths of the parts of a packet, in bytes (Vol 6, Part B, 2).
package enum PacketLength {
    /// The access address that precedes every PDU.
    package static let accessAddress = 4
    /// The header of every PDU.
    package static let header = 2
    /// The message integrity check at the end of the payload of an encrypted PDU.
    package static let mic = 4
    /// The CRC that follows every PDU.
    package static let crc = 3
    /// A device address.
    package static let address = 6
    /// The part of a connection request that follows the two addresses.
    package static let connectionParameters = 22
    /// The maximum length of the data of a legacy advertisement or scan response.
    package static let legacyDataLimit = 31
    /// The largest payload of a data PDU, without its MIC.
    package static let dataPayloadLimit = 251
    /// The largest payload of an advertising PDU.
    package static let advertisingPayloadLimit = 255
    /// The maximum length of the data of an extended advertisement, in all its PDUs together.
    package static let extendedDataLimit = 1650
}

/// The pauses between packets that the devices do not negotiate (Vol 6, Part B, 4.1).
package enum FrameSpace {
    /// T_IFS, the pause between a packet and the answer to it.
    package static let betweenFrames = Duration.microseconds(150)
    /// T_MAFS, the minimum pause between a packet and the auxiliary packet that it announces.
    package static let auxiliaryMinimum = Duration.microseconds(300)
}
