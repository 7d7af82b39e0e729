// SPDX-License-Identifier: Apache-2.0

/// A physical layer of the LE radio (Vol 6, Part A, 1), with the numbers that HCI events use (Vol
/// 4, Part E, 7.7.65.12).
public struct PHY: OpenCode {
    /// The number that HCI uses for the PHY.
    public let rawValue: UInt8

    /// Creates a PHY from any number, known or unknown.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// 1 Msym/s, uncoded. Every LE device supports it.
    public static let le1M = PHY(rawValue: 0x01)
    /// 2 Msym/s, uncoded.
    public static let le2M = PHY(rawValue: 0x02)
    /// 1 Msym/s with forward error correction, which gives a longer range at a lower rate.
    public static let leCoded = PHY(rawValue: 0x03)

    /// The names of the PHYs.
    public static let names: [UInt8: String] = [
        0x01: "LE 1M", 0x02: "LE 2M", 0x03: "LE Coded",
    ]
}
