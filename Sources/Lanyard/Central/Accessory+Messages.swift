// SPDX-License-Identifier: Apache-2.0

extension Accessory {
    /// Messages in both directions over a pair of characteristics.
    ///
    /// ```swift
    /// let messages = accessory.messages(writing: "4C41…1D01", listening: "4C41…1D02")
    /// let answer = try await messages.request(Ping(), expecting: Pong.self)
    /// ```
    ///
    /// Both characteristics are in the description; the one that is listened to has the role `subscribe`.
    /// The channel lives over losses of the link. Have one for a pair: several would each hear
    /// everything.
    ///
    /// - Parameter kind: how chunks are written. With response nothing is lost while the link lasts.
    public func messages(
        writing: BluetoothID,
        listening: BluetoothID,
        as kind: WriteKind = .automatic,
        options: MessageChannelOptions = MessageChannelOptions()
    ) -> MessageChannel {
        let transport = CharacteristicTransport(
            driver,
            mirror,
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
            keeping: life
        )
    }
}
