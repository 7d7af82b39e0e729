// SPDX-License-Identifier: Apache-2.0

/// A physical layer of the LE radio (Vol 6, Part A, 1), numbered as HCI events number it
/// (Vol 4, Part E, 7.7.65.12).
public struct PHY: OpenCode {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Makes the PHY of any number, known or not.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// 1 Msym/s, uncoded: every LE device has it.
    public static let le1M = PHY(rawValue: 0x01)
    /// 2 Msym/s, uncoded.
    public static let le2M = PHY(rawValue: 0x02)
    /// 1 Msym/s with forward error correction: longer range at a lower rate.
    public static let leCoded = PHY(rawValue: 0x03)

    /// The names of the PHYs.
    public static let names: [UInt8: String] = [
        0x01: "LE 1M", 0x02: "LE 2M", 0x03: "LE Coded",
    ]
}
