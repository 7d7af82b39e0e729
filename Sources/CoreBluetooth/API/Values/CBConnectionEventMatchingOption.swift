// SPDX-License-Identifier: Apache-2.0

/// A key of `CBCentralManager.registerForConnectionEvents(options:)`: the peers whose connection
/// events the app requests.
public struct CBConnectionEventMatchingOption: Hashable, Equatable, RawRepresentable,
    Sendable
{
    /// The text of the key.
    public var rawValue: String

    /// Creates a key from its text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Peers with at least one of the services: `[CBUUID]`, at most four.
    public static let serviceUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs"
    )

    /// Peers with one of the identifiers: `[UUID]`.
    public static let peripheralUUIDs = CBConnectionEventMatchingOption(
        rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs"
    )
}
