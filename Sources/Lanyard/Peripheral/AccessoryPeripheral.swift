// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// An accessory that this device implements: it publishes services, advertises them, and serves
/// centrals.
///
/// ```swift
/// let box = AccessoryPeripheral(
///     PublishedAccessory(
///         name: "Box",
///         services: [.messages("FFE0", inbox: "FFE1", outbox: "FFE2")]
///     )
/// )
/// for await channel in box.channels {
///     let echo = channel.answer(String.self) { "You said \($0)" }
///     …
/// }
/// ```
///
/// The peripheral starts as soon as Bluetooth is available, and starts again after Bluetooth was
/// switched off or restarted. It ends when the object is released.
public final class AccessoryPeripheral: Sendable {
    /// The configuration of a peripheral.
    public struct Configuration: Sendable {
        /// The identifier by which the system preserves the published services and the advertising
        /// when the app ends, and restores them at the next launch; `nil` for no restoration. Each
        /// peripheral of a process needs a different one. On iOS this requires
        /// `bluetooth-peripheral` in `UIBackgroundModes` of `Info.plist`; without this entry, there
        /// is no restoration.
        public var restoreIdentifier: String?
        /// The options of the message channels. For sealing, this device is the side that answers
        /// the greeting.
        public var messages = MessageChannelOptions()
        /// The time that the app has to compute a value that a central reads; 10 seconds by
        /// default. After 30 seconds without an answer, the central can send no further request on
        /// the link (Vol 3, Part F, 3.3.3).
        public var readTimeout = Duration.seconds(10)
        /// A check of values that are written together, after the general checks: it returns `nil`
        /// to accept all of them, or an error to refuse all. It runs on the peripheral's queue.
        public var validateWrites: (@Sendable ([BluetoothID: Data]) -> AttributeError?)?

        /// The Bluetooth of the system.
        package var system: any AccessorySystem = DefaultSystem.make()
        /// The clock.
        package var timekeeper: any Timekeeper = SystemTimekeeper()

        /// Creates the default configuration.
        public init() {}
    }

    /// The maximum number of message channels. A further subscription to an outbox gets no channel
    /// while the centrals of all channels are present.
    public static let channelLimit = 32

    /// The maximum number of values that ``send(_:of:to:)`` has not yet delivered.
    public static let sendLimit = 256

    private let driver: PeripheralDriver

    /// Creates a peripheral, which publishes the accessory as soon as Bluetooth is available.
    ///
    /// - Parameters:
    ///   - accessory: The name and the services of the accessory.
    ///   - configuration: The configuration of the peripheral.
    public init(_ accessory: PublishedAccessory, configuration: Configuration = Configuration()) {
        driver = PeripheralDriver(accessory, configuration)
        driver.perform { $0.start() }
    }

    deinit { close() }

    /// The events of the peripheral, from now on.
    public var events: Events<PeripheralEvent> { driver.events.events() }

    /// The message channels of the centrals that subscribe to an outbox, beginning with the current
    /// ones.
    ///
    /// A central that leaves and returns with the same identifier gets its former channel back, and
    /// the sequence does not report the channel again. This requires that the app still holds the
    /// channel and has not closed it, and that the channel was not removed to make room for another
    /// central (see ``channelLimit``).
    public var channels: Events<MessageChannel> {
        driver.channelHub.events { driver.channelsNow }
    }

    /// Returns the value of a characteristic; `nil` if it has none.
    ///
    /// - Parameter characteristic: The UUID of the characteristic.
    public func value(of characteristic: BluetoothID) -> Data? {
        driver.values.change { $0[characteristic] }
    }

    /// Changes the value of a characteristic and notifies its subscribers. If changes follow one
    /// another faster than the link can send, subscribers receive the latest.
    ///
    /// Returns at once. Does nothing if no published characteristic of the kind
    /// ``PublishedCharacteristic/Kind/value(_:isReadable:isWritable:isNotifying:)`` has this UUID.
    ///
    /// - Parameters:
    ///   - value: The new value. Bytes beyond 512 are cut off (Vol 3, Part F, 3.2.9).
    ///   - characteristic: The UUID of the characteristic.
    public func setValue(_ value: Data, of characteristic: BluetoothID) {
        driver.values.change { $0[characteristic] = value }
        driver.perform { $0.announce(characteristic) }
    }

    /// Sends a value to the subscribers of a characteristic, or to one of them, without storing it.
    ///
    /// ```swift
    /// try await peripheral.send(Data([1]), of: "2A46", to: central)
    /// ```
    ///
    /// Values are sent in the order of the calls, and none is left out. The call returns when all
    /// receivers have the value: a notification when it was sent, and an indication
    /// (``PublishedCharacteristic/isIndicated``) when each receiver has confirmed it. Apple's Core
    /// Bluetooth reports neither, so on Apple's platforms the call returns when the system has
    /// accepted the value.
    ///
    /// - Parameters:
    ///   - value: The value, at most 512 bytes and at most as long as each receiver's link permits.
    ///   - characteristic: The UUID of the characteristic.
    ///   - central: The identifier of the only receiver, as in ``PeripheralEvent``; `nil` for all
    ///     subscribers.
    /// - Throws: ``PeripheralError/unknownCharacteristic(_:)`` if no published characteristic sends
    ///   values under this UUID; ``PeripheralError/notSubscribed(_:)``;
    ///   ``PeripheralError/tooLong(length:maximum:)``; ``PeripheralError/tooManyUpdates(limit:)``
    ///   if ``sendLimit`` values wait; ``PeripheralError/notDelivered`` if a receiver leaves or
    ///   does not confirm the value; ``PeripheralError/closed``; ``PeripheralError/cancelled``.
    public func send(
        _ value: Data,
        of characteristic: BluetoothID,
        to central: UUID? = nil
    ) async throws(PeripheralError) {
        try await driver.send(value, of: characteristic, to: central)
    }

    /// Ends the advertising and the services, and closes the channels.
    public func close() {
        driver.perform { $0.end() }
    }
}
