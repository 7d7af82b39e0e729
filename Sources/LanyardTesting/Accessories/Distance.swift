// SPDX-License-Identifier: Apache-2.0

/// How far an accessory is from the middle of the world, where the first phone is.
public struct Distance: Hashable, Sendable {
    /// In metres.
    public let metres: Double

    /// So many metres. Indoors a phone hears an accessory up to about fifty.
    public static func metres(_ metres: Double) -> Distance { Distance(metres: max(metres, 0)) }

    /// Next to it.
    public static let near = Distance(metres: 1)

    /// Where it can be heard by nobody in the middle any more.
    public static let outOfRange = Distance(metres: 1_000)
}

extension Distance: CustomStringConvertible {
    /// In words.
    public var description: String {
        self == .outOfRange ? "out of range" : "to \(metres) m"
    }
}
