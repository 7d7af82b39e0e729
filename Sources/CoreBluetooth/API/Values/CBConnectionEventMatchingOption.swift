// SPDX-License-Identifier: Apache-2.0

/// What the peers have in common whose connections an application wants to hear of; a key of
/// `CBCentralManager.registerForConnectionEvents(options:)`.
public struct CBConnectionEventMatchingOption: Hashable, Equatable, RawRepresentable,
    Sendable
{
    /// The text of the key.
    public var rawValue: String

    /// Makes a key of its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Peers with at least one of some services: `[CBUUID]`, four at most.
    public static let serviceUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs"
    )

    /// Peers with one of some identifiers: `[UUID]`.
    public static let peripheralUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs"
    )
}
