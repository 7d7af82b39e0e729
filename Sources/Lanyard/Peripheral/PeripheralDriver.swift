// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The driver of an accessory that this device implements. It publishes the services on the
/// system's server (`SystemServer`) when Bluetooth is available, and passes the actions of centrals
/// to values and channels.
///
/// Unchecked: all mutable state is used on the queue only, which is also the server's queue. State
/// that other threads read is behind locks.
final class PeripheralDriver: @unchecked Sendable {
    /// A central that has subscribed to an outbox.
    struct Subscriber {
        let transport: CentralTransport
        /// The channel, retained while the central is subscribed, so that the app can request it
        /// later.
        var keptChannel: MessageChannel?
        /// The channel. After the central has left, only the app retains it.
        weak var channel: MessageChannel?
    }

    /// The key of a channel: a central and an outbox.
    struct SubscriberKey: Hashable {
        let central: UUID
        let outbox: BluetoothID
    }

    let accessory: PublishedAccessory
    let configuration: AccessoryPeripheral.Configuration
    let queue = DispatchQueue(label: "lanyard.peripheral")
    let events = Hub<PeripheralEvent>()
    let channelHub = Hub<MessageChannel>()
    let values: Locked<PeripheralValues>
    private let present = Locked<[SubscriberKey: WeakChannel]>([:])

    private struct WeakChannel {
        weak var channel: MessageChannel?
    }

    // State of the queue.
    /// The server of the system; `nil` before the start and after the end.
    var server: (any SystemServer)?
    /// Whether the services were passed to the server, or restored.
    var isPublished = false
    /// The services whose publication is not yet confirmed. Several services can have one UUID.
    var unpublished: [BluetoothID] = []
    var isRestored = false
    var subscribers: [SubscriberKey: Subscriber] = [:]
    /// The characteristics whose changed values were not yet sent to subscribers, because the
    /// system had no room.
    var unannounced: [BluetoothID] = []
    /// The values that wait for room, in order.
    var sendings: [Sending] = []
    /// The tasks that wait for the delivery of values.
    var deliveries: [Int: Delivery] = [:]
    /// The values that are being computed for readings.
    var computations: [Int: Computation] = [:]
    var computationTimer: (any TimekeeperTimer)?
    /// The values that centrals read in parts, oldest first.
    var longReads: [LongRead] = []
    private let lastNumber = Locked(0)

    init(_ accessory: PublishedAccessory, _ configuration: AccessoryPeripheral.Configuration) {
        self.accessory = accessory
        self.configuration = configuration
        values = Locked(PeripheralValues(accessory.services))
    }

    /// Performs work on the queue, after the work that already waits.
    func perform(_ work: @escaping @Sendable (PeripheralDriver) -> Void) {
        configuration.timekeeper.perform(on: queue) { work(self) }
    }

    func start() {
        let identifier = configuration.restoreIdentifier
        let server = configuration.system.makeServer(
            restoring: RestorationPermit.permitted(identifier, for: .peripheral),
            on: queue
        )
        self.server = server
        server.begin { [weak self] in self?.receive($0) }
    }

    func end() {
        server?.end()
        server = nil
        failSendings(.closed)
        endComputations()
        for subscriber in subscribers.values { subscriber.transport.ended() }
        subscribers = [:]
        channelHub.end()
        events.end()
    }

    /// Returns a new number, on any thread.
    func newNumber() -> Int {
        lastNumber.change { number in
            number += 1
            return number
        }
    }

    func report(_ event: PeripheralEvent) {
        events.send { event }
    }

    // MARK: Values

    /// Notifies the subscribers of a changed value.
    func announce(_ identifier: BluetoothID) {
        guard case .value(_, _, _, true) = characteristic(identifier)?.kind else { return }
        if !unannounced.contains(identifier) { unannounced.append(identifier) }
        announceAll()
    }

    /// Sends as many notifications as there is room for; the others follow when there is room
    /// again.
    private func announceAll() {
        while let identifier = unannounced.first {
            guard isPublished, let server, let value = values.change({ $0[identifier] }) else {
                unannounced.removeFirst()
                continue
            }
            guard server.send(value, of: identifier, to: nil, delivered: nil) else { return }
            unannounced.removeFirst()
        }
    }

    /// Returns the description of a published characteristic.
    func characteristic(_ identifier: BluetoothID) -> PublishedCharacteristic? {
        accessory.services.lazy.flatMap(\.characteristics).first { $0.identifier == identifier }
    }

    func hasRoom() {
        announceAll()
        sendWaiting()
        for subscriber in orderedSubscribers { subscriber.transport.hasRoom() }
    }

    // MARK: Channels

    private var orderedSubscribers: [Subscriber] {
        subscribers.sorted {
            ($0.key.central.uuidString, $0.key.outbox.text)
                < ($1.key.central.uuidString, $1.key.outbox.text)
        }.map(\.value)
    }

    /// The channels of the current centrals.
    var channelsNow: [MessageChannel] {
        present.change { $0.values.compactMap(\.channel) }.filter(\.isLinked)
    }

    /// Handles a subscription to an outbox. The central gets its former channel if that still
    /// exists, otherwise a new one.
    func assignChannel(_ central: SystemSubscriber, _ outbox: BluetoothID) {
        let key = SubscriberKey(central: central.identifier, outbox: outbox)
        if let subscriber = subscribers[key], subscriber.channel != nil,
            !subscriber.transport.isStopped
        {
            subscribers[key]?.keptChannel = subscriber.channel
            subscriber.transport.subscribed(central)
            return
        }
        makeRoomForSubscriber()
        guard subscribers.count < AccessoryPeripheral.channelLimit else {
            return report(.failed("the limit of message channels is reached"))
        }
        let transport = CentralTransport(on: queue) { [weak self] chunk in
            let receivers = [central.identifier]
            return self?.server?.send(chunk, of: outbox, to: receivers, delivered: nil)
                ?? false
        }
        transport.subscribed(central)
        // The channel must receive at once, because the first chunk of the central may already be
        // next in the queue.
        let channel = MessageChannel(
            onQueueOf: transport,
            options: configuration.messages,
            as: .peripheral,
            timekeeper: configuration.timekeeper
        )
        subscribers[key] = Subscriber(
            transport: transport,
            keptChannel: channel,
            channel: channel
        )
        present.change { $0[key] = WeakChannel(channel: channel) }
        channelHub.send { channel }
    }

    func leave(_ key: SubscriberKey) {
        subscribers[key]?.transport.unsubscribed()
        subscribers[key]?.keptChannel = nil
        if subscribers[key]?.channel == nil { drop(key) }
    }

    /// Removes absent centrals whose channels the app has released and, if that is not enough,
    /// another absent central.
    private func makeRoomForSubscriber() {
        for (key, subscriber) in subscribers where subscriber.channel == nil { drop(key) }
        guard subscribers.count >= AccessoryPeripheral.channelLimit,
            let gone = subscribers.first(where: { !$0.value.transport.isLinked })
        else { return }
        gone.value.transport.ended()
        drop(gone.key)
    }

    private func drop(_ key: SubscriberKey) {
        subscribers[key] = nil
        present.change { $0[key] = nil }
    }
}
