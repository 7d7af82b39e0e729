// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

extension MessageChannel {
    /// Creates a message channel over an L2CAP channel, for code that uses Core Bluetooth directly.
    /// The message channel opens and owns the L2CAP channel, and ends with it.
    ///
    /// - Parameters:
    ///   - channel: The channel that the delegate of a `CBPeripheral` or `CBPeripheralManager`
    ///     received.
    ///   - options: The framing, limits and sealing.
    ///   - role: The side of the link.
    public convenience init(
        over channel: sending CBL2CAPChannel,
        options: MessageChannelOptions = MessageChannelOptions(framing: .lengthPrefixed()),
        as role: SealingRole
    ) {
        self.init(over: channel, options: options, as: role, timekeeper: SystemTimekeeper())
    }

    /// Creates a message channel with a given clock.
    package convenience init(
        over channel: sending CBL2CAPChannel,
        options: MessageChannelOptions,
        as role: SealingRole,
        timekeeper: any Timekeeper
    ) {
        let queue = DispatchQueue(label: "lanyard.messages")
        let streams = ChannelStreams(channel, on: queue, timekeeper: timekeeper)
        let transport = StreamTransport(streams, on: queue)
        self.init(over: transport, options: options, as: role, timekeeper: timekeeper)
    }
}
