// SPDX-License-Identifier: Apache-2.0

/// Values that an accessory sends of itself, one after the other, from the moment that a client
/// subscribes.
public struct ValueStream: Sendable {
    /// The time between two values; zero for as fast as the link takes them.
    public var period: Duration
    /// How many values there are; nil for no end.
    public var limit: Int?
    /// The value of a number; they are counted from 0. It must depend on nothing else.
    public var value: @Sendable (Int) -> [UInt8]

    /// A stream of the values.
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
