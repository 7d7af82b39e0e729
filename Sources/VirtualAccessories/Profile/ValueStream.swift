// SPDX-License-Identifier: Apache-2.0

/// The values that an accessory sends one after the other from the moment when a client subscribes.
public struct ValueStream: Sendable {
    /// The time between two values; zero for as fast as the link takes them.
    public var period: Duration
    /// The number of values; `nil` for no end.
    public var limit: Int?
    /// Returns the value of a number, counted from 0. The result must depend on nothing else.
    public var value: @Sendable (Int) -> [UInt8]

    /// Creates a stream of the values.
    public init(
        every period: Duration,
        limit: Int? = nil,
        value: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.period = max(period, .zero)
        self.limit = limit
        self.value = value
    }
}
