// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// This device as an accessory: it publishes services, advertises them, and serves the centrals that come.
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
/// It begins as soon as there is Bluetooth, and does so again whenever Bluetooth was switched off or started
/// anew; nothing has to wait for that. It ends when nobody has it.
public final class AccessoryPeripheral: Sendable {
    /// How a peripheral works.
    public struct Configuration: Sendable {
        /// By what the system keeps what is published and advertised when the application ends, and gives it
        /// back at the next launch; nil for not at all. Another for every peripheral of a process. On iOS
        /// only if `UIBackgroundModes` in `Info.plist` has `bluetooth-peripheral`: without, nothing is kept.
        public var restoreIdentifier: String?
        /// How the channels speak. They are this device's end of the link: the one that does not greet.
        public var messages = MessageChannelOptions()
        /// Judges writes that come together, after what has to hold for all of them: nil accepts them, an
        /// error refuses them. Called on a queue of the peripheral's.
        public var judge: (@Sendable ([BluetoothID: Data]) -> CBATTError.Code?)?

        #if os(Linux)
            /// Which Bluetooth controller to use; nil for the default one.
            public var adapter: CBAdapter?
        #endif

        /// What tells the time.
        package var timekeeper: any Timekeeper = SystemTimekeeper()

        /// The usual one.
        public init() {}

        #if os(Linux)
            /// One on this adapter, whose time is given.
            package init(adapter: CBAdapter, timekeeper: any Timekeeper) {
                self.adapter = adapter
                self.timekeeper = timekeeper
            }
        #endif
    }

    /// How many centrals have a channel at once. One more has none as long as all of these are there.
    public static let channelLimit = 32

    private let driver: PeripheralDriver

    /// Begins to be this accessory.
    public init(_ accessory: PublishedAccessory, configuration: Configuration = Configuration()) {
        driver = PeripheralDriver(accessory, configuration)
        driver.perform { $0.start() }
    }

    deinit { close() }

    /// What happens, from now on.
    public var events: Events<PeripheralEvent> { driver.events.events() }

    /// A channel for each central that subscribes to an outbox, those that are there first. A central
    /// that leaves and returns has the channel that it had, if its identifier is the same and somebody
    /// keeps the channel.
    public var channels: Events<MessageChannel> {
        driver.channelHub.events { driver.channelsNow }
    }

    /// The value of a characteristic; nil if it has none.
    public func value(of characteristic: BluetoothID) -> Data? {
        driver.values.change { $0[characteristic] }
    }

    /// Changes a value. Centrals that listen to it are told; of changes that follow one another faster
    /// than the link goes they are told the last.
    public func setValue(_ value: Data, of characteristic: BluetoothID) {
        driver.values.change { $0[characteristic] = value }
        driver.perform { $0.announce(characteristic) }
    }

    /// Ends it: nothing is advertised or served any more, and its channels are closed.
    public func close() {
        driver.perform { $0.end() }
    }
}
