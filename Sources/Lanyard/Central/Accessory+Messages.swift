// SPDX-License-Identifier: Apache-2.0

extension Accessory {
    /// Returns a channel for messages in both directions over a pair of characteristics.
    ///
    /// ```swift
    /// let messages = accessory.messages(writing: "4C41…1D01", listening: "4C41…1D02")
    /// let answer = try await messages.request(Ping(), expecting: Pong.self)
    /// ```
    ///
    /// The description declares both characteristics, and the listening one has the role
    /// `subscribe`. The channel survives losses of the link. Use one channel for each pair of
    /// characteristics: several channels would each receive every message.
    ///
    /// - Parameters:
    ///   - writing: The characteristic to which the channel writes.
    ///   - listening: The characteristic whose values the channel receives.
    ///   - kind: The kind of the writes. If they have a response, no chunk is lost while the link
    ///     lasts.
    ///   - options: The framing, limits and sealing of the channel.
    public func messages(
        writing: BluetoothID,
        listening: BluetoothID,
        as kind: WriteKind = .automatic,
        options: MessageChannelOptions = MessageChannelOptions()
    ) -> MessageChannel {
        let transport = CharacteristicTransport(
            driver,
            snapshot,
            writing: writing,
            as: kind,
            listening: listening
        )
        var options = options
        if driver.configuration.seed != nil { options.firstID = options.firstID ?? 1 }
        return MessageChannel(
            over: transport,
            options: options,
            timekeeper: driver.timekeeper,
            keeping: lifetime
        )
    }
}
