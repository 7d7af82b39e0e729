// SPDX-License-Identifier: Apache-2.0

/// A receiver of the beginning and the end of work on other threads. See `HostExecutor`.
protocol OutsideWork: Sendable {
    func beginOutsideWork()
    func endOutsideWork()
}

/// The host's side of a channel. A run loop's work for a stream delegate is outside work: virtual
/// time stops while it lasts.
protocol ChannelEngine: OutsideWork {
    /// Performs `turn` on the adapter's thread, later and in the order of the calls.
    func enter(_ turn: @escaping @Sendable (any ChannelPort) -> Void)
}

/// The operations of a channel during a turn on the adapter's thread. The results come on that
/// thread, possibly before the call returns.
protocol ChannelPort {
    /// Requests the next SDU. The result is `nil` or an error after the last one.
    func receive(then: @escaping @Sendable (Result<[UInt8]?, ChannelFailure>) -> Void)
    /// Sends an SDU. The result comes when it was sent.
    func send(_ sdu: [UInt8], then: @escaping @Sendable (Result<Void, ChannelFailure>) -> Void)
    /// Closes the channel.
    func close()
    /// Requests the channel's end, which is reported once.
    func awaitEnd(then: @escaping @Sendable (ChannelEnd) -> Void)
}

/// The failure of an operation, with the reason for the channel's end.
struct ChannelFailure: Error, Equatable {
    let end: ChannelEnd
}
