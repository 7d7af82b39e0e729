// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The modulation and coding of a packet: a PHY, and for LE Coded one of its two codings (Vol 6,
/// Part A, 1).
package enum Modulation: Hashable, Sendable, CaseIterable {
    /// 1 Msym/s, one symbol for each bit.
    case le1M
    /// 2 Msym/s, one symbol for each bit.
    case le2M
    /// 1 Msym/s, two symbols for each bit: 500 kb/s.
    case codedS2
    /// 1 Msym/s, eight symbols for each bit: 125 kb/s.
    case codedS8

    /// The PHY as HCI numbers it.
    package var phy: PHY {
        switch self {
        case .le1M: .le1M
        case .le2M: .le2M
        case .codedS2, .codedS8: .leCoded
        }
    }

    /// The air time of one bit, in nanoseconds.
    private var bitNanoseconds: Int64 {
        switch self {
        case .le1M: 1_000
        case .le2M: 500
        case .codedS2: 2_000
        case .codedS8: 8_000
        }
    }

    /// The air time of the parts of a packet other than the PDU and the CRC, in nanoseconds.
    ///
    /// Without coding, they are the preamble and the access address (Vol 6, Part B, 2.1). With
    /// coding, they are a preamble of 80 µs; the access address, the coding indicator and a
    /// termination of three bits, with eight symbols for each bit; and a second termination of
    /// three bits with the coding of the PDU (Vol 6, Part B, 2.2).
    private var overheadNanoseconds: Int64 {
        switch self {
        case .le1M: (1 + 4) * 8 * bitNanoseconds
        case .le2M: (2 + 4) * 8 * bitNanoseconds
        case .codedS2, .codedS8: 80_000 + (32 + 2 + 3) * 8_000 + 3 * bitNanoseconds
        }
    }

    /// Returns the air time of a packet whose PDU (header, payload and MIC) has `pduLength` bytes.
    package func airTime(pduLength: Int) -> Duration {
        .nanoseconds(airNanoseconds(pduLength: pduLength))
    }

    /// Returns the air time in nanoseconds. It is faster than `airTime(pduLength:)`, for callers
    /// that need it for every packet.
    package func airNanoseconds(pduLength: Int) -> Int64 {
        overheadNanoseconds + Int64(pduLength + PacketLength.crc) * 8 * bitNanoseconds
    }
}
