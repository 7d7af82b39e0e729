// SPDX-License-Identifier: Apache-2.0

/// A property of an ``AccessoryProfile`` that declares a pair of characteristics for messages: an
/// app writes to one and receives the values of the other.
///
/// ```swift
/// let messages = MessagePair(writing: "2A56", listening: "2A58")
/// ```
///
/// ``TypedAccessory`` makes the channel: `box.messages.channel()`.
public struct MessagePair: Hashable, Sendable, CharacteristicUseProvider {
    /// The characteristic to which the app writes.
    public let writing: BluetoothID
    /// The characteristic whose values the app receives.
    public let listening: BluetoothID
    let service: BluetoothID?

    /// Declares a pair of characteristics, both required.
    ///
    /// - Parameters:
    ///   - writing: The characteristic to which the app writes.
    ///   - listening: The characteristic whose values the app receives.
    ///   - service: The UUID of their service; `nil` for the main service of the profile.
    public init(
        writing: BluetoothID,
        listening: BluetoothID,
        in service: BluetoothID? = nil
    ) {
        self.writing = writing
        self.listening = listening
        self.service = service
    }

    func uses(in service: BluetoothID) -> [CharacteristicUse] {
        let service = self.service ?? service
        return [
            CharacteristicUse(
                path: CharacteristicPath(service, writing),
                role: .write,
                isRequired: true
            ),
            CharacteristicUse(
                path: CharacteristicPath(service, listening),
                role: .subscribe,
                isRequired: true
            ),
        ]
    }
}

/// The message characteristics of one accessory, as its profile declares them.
public struct AccessoryMessages: Sendable {
    let accessory: Accessory
    let pair: MessagePair

    /// Returns a channel for messages in both directions. Use one channel for each pair: several
    /// channels would each receive every message.
    ///
    /// - Parameters:
    ///   - kind: The kind of the writes. Writes with response lose no part of a message while the
    ///     link lasts.
    ///   - options: The framing, limits and sealing of the channel.
    public func channel(
        as kind: WriteKind = .automatic,
        options: MessageChannelOptions = MessageChannelOptions()
    ) -> MessageChannel {
        accessory.messages(
            writing: pair.writing,
            listening: pair.listening,
            as: kind,
            options: options
        )
    }
}
