// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// How a packet is put on the air: a PHY, and for LE Coded one of its two codings (Vol 6, Part A, 1).
package enum Modulation: Hashable, Sendable, CaseIterable {
    /// 1 Msym/s, a bit each.
    case le1M
    /// 2 Msym/s, a bit each.
    case le2M
    /// 1 Msym/s, two symbols for each bit: 500 kb/s.
    case codedS2
    /// 1 Msym/s, eight symbols for each bit: 125 kb/s.
    case codedS8

    /// The PHY as HCI counts them.
    package var phy: PHY {
        switch self {
        case .le1M: .le1M
        case .le2M: .le2M
        case .codedS2, .codedS8: .leCoded
        }
    }

    /// How long one bit is on the air, in nanoseconds.
    private var bitNanoseconds: Int64 {
        switch self {
        case .le1M: 1_000
        case .le2M: 500
        case .codedS2: 2_000
        case .codedS8: 8_000
        }
    }

    /// How long everything before and after PDU and CRC takes, in nanoseconds. Uncoded: preamble
    /// and access address (Vol 6, Part B, 2.1). Coded: preamble, and access address, coding
    /// indicator and first termination, which always have eight symbols for a bit; and the second
    /// termination, three bits (Vol 6, Part B, 2.2).
    private var overheadNanoseconds: Int64 {
        switch self {
        case .le1M: (1 + 4) * 8 * bitNanoseconds
        case .le2M: (2 + 4) * 8 * bitNanoseconds
        case .codedS2, .codedS8: 80_000 + (32 + 2 + 3) * 8_000 + 3 * bitNanoseconds
        }
    }

    /// How long a packet is on the air, whose PDU (header, payload and MIC) has `pduLength` octets.
    package func airTime(pduLength: Int) -> Duration {
        .nanoseconds(airNanoseconds(pduLength: pduLength))
    }

    /// The same in nanoseconds, for those who ask for every packet.
    package func airNanoseconds(pduLength: Int) -> Int64 {
        overheadNanoseconds + Int64(pduLength + PacketLength.crc) * 8 * bitNanoseconds
    }
}
