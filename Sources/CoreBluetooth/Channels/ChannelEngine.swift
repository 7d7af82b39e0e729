// SPDX-License-Identifier: Apache-2.0

/// Whoever has to know that something is done for it elsewhere: see `HostExecutor`.
protocol OutsideWork: Sendable {
    func beginOutsideWork()
    func endOutsideWork()
}

/// The host's side of one channel, as the streams see it. A run loop that has to tell a delegate
/// something works outside: where time is virtual, it stands still for that.
protocol ChannelEngine: OutsideWork {
    /// Performs `turn` on the adapter's thread, later and in the order of the calls.
    func enter(_ turn: @escaping @Sendable (any ChannelPort) -> Void)
}

/// What can be asked of a channel during a turn on the adapter's thread. The answers come on that
/// thread, perhaps before the call returns.
protocol ChannelPort {
    /// Asks for the next SDU; nil, or an error, after the last.
    func receive(then: @escaping @Sendable (Result<[UInt8]?, ChannelFailure>) -> Void)
    /// Sends one SDU; answered when it has left.
    func send(_ sdu: [UInt8], then: @escaping @Sendable (Result<Void, ChannelFailure>) -> Void)
    /// Closes the channel.
    func close()
    /// Answers when the channel has ended, once.
    func awaitEnd(then: @escaping @Sendable (ChannelEnd) -> Void)
}

/// Why a channel did not do what it was asked.
struct ChannelFailure: Error, Equatable {
    let end: ChannelEnd
}
