// SPDX-License-Identifier: Apache-2.0

// A host of a fleet: it takes leases of the accessories in its range, publishes their states and
// values, and executes commands for them (docs/FLEET.md). The core takes events of the broker, of
// the accessories and of time, and returns actions. The driver writes the records among them to the
// journal before it performs the other actions.

import Foundation
import JSONText
import Lanyard

enum FleetAction: Hashable, Sendable {
    /// Write a record to the disk, before all other actions.
    case persist(JournalRecord)
    /// Send a message. If it has a number, report the broker's acknowledgment with that number.
    case publish(FleetMessage, number: UInt64?)
    /// Connect to the accessory, and keep it connected.
    case take(String)
    /// End the link to the accessory, and all requests to it.
    case release(String)
    /// Execute a command, and report its result.
    case perform(AcceptedCommand.Key, FleetCommand.Operation)
    /// Stop executing a command.
    case cancel(AcceptedCommand.Key)
    /// Write a line to the log.
    case log(String)
    /// Count an occurrence.
    case measure(FleetMeasurement)
}

/// A command that the host has accepted and must answer.
struct AcceptedCommand: Hashable, Sendable {
    /// The accessory and the id of the command, which the sender chose.
    struct Key: Hashable, Sendable {
        var accessory: String
        var id: String
    }

    var key: Key
    /// The topic of the answer.
    var topic: String
    var correlation: [UInt8]?
}

/// The protocol core of a host of a fleet.
struct FleetCore {
    /// The maximum number of commands under way.
    static let commandLimit = 64
    /// The number of answered commands whose ids the host remembers.
    static let answeredLimit = 1_024
    /// The time in seconds after which a host gives up an accessory that is not ready, unless a
    /// command disconnected the accessory.
    static let absenceLimit = 60.0
    /// The time in seconds for which a host that gave up an accessory does not claim it.
    static let restTime = 30.0

    /// An accessory of the description, as the core knows it.
    struct Tracked {
        let accessory: FleetAccessory
        var lease: Lease
        var state = AccessoryState.idle
        /// The time from which `absenceLimit` counts: when the accessory ceased to be ready, or
        /// later, when this host got the lease or began to execute `connect` or `disconnect`.
        var absentSince = 0.0
        /// The time before which the host does not claim the accessory.
        var restUntil = 0.0
        /// Whether this host receives advertisements of the accessory.
        var isPresent = false
        /// Whether a command has disconnected the accessory.
        var isDisconnectedByCommand = false
        /// Whether the host no longer claims the accessory: after `forget`, or during shutdown.
        var isForgotten = false
        /// The characteristics whose values are published.
        var enabled: Set<CharacteristicPath>
    }

    let topics: FleetTopics
    /// The first level of the discovery topics of Home Assistant; `nil` for no discovery.
    let discoveryPrefix: String?
    private(set) var tracked: [String: Tracked] = [:]
    let order: [String]
    var outbox: Outbox
    /// The commands under way, with their deadlines.
    var commands: [AcceptedCommand.Key: (command: AcceptedCommand, deadline: Double)] = [:]
    /// The ids of answered commands, oldest first.
    var answered: [AcceptedCommand.Key] = []
    /// The time at which the broker was connected; `nil` without a connection.
    private(set) var connectedSince: Double?
    /// The radios of the host, as they were last reported.
    var radios: [FleetRadio] = []
    /// The number of links that had moved to another radio at the last report.
    var moveCount = 0
    var actions: [FleetAction] = []

    init(
        topics: FleetTopics,
        description: FleetDescription,
        discoveryPrefix: String? = "homeassistant",
        messageLimit: Int = Outbox.messageLimit
    ) {
        self.topics = topics
        self.discoveryPrefix = discoveryPrefix
        order = description.accessories.map(\.id)
        outbox = Outbox(messageLimit: messageLimit)
        for accessory in description.accessories {
            let enabled = accessory.characteristics.filter { $0.roles.contains(.subscribe) }
            tracked[accessory.id] = Tracked(
                accessory: accessory,
                lease: Lease(host: topics.host),
                enabled: Set(enabled.map(\.path))
            )
        }
    }

    /// Returns the actions since the last call.
    mutating func takeActions() -> [FleetAction] {
        for (number, message) in connectedSince == nil ? [] : outbox.takeSendable() {
            actions.append(.publish(message, number: number))
        }
        defer { actions = [] }
        return actions
    }

    /// Changes an accessory in place.
    mutating func update<Result>(_ id: String, _ body: (inout Tracked) -> Result) -> Result? {
        guard tracked[id] != nil else { return nil }
        return tracked[id].map { value in
            var value = value
            defer { tracked[id] = value }
            return body(&value)
        }
    }

    /// Puts a message into the outbox, and into the journal.
    mutating func enqueue(_ message: FleetMessage) {
        let (number, dropped) = outbox.append(message)
        actions.append(.persist(.message(number, message)))
        for number in dropped { actions.append(.persist(.finished(number))) }
        if !dropped.isEmpty { measure(.dropped(dropped.count)) }
        if !dropped.isEmpty, outbox.droppedCount.isMultiple(of: 1_000) || outbox.droppedCount == 1 {
            actions.append(.log("The queue is full. Dropped events: \(outbox.droppedCount)."))
        }
    }

    // MARK: The broker

    /// The topics to subscribe to when the broker is connected.
    var subscriptions: [String] {
        order.flatMap { [topics.lease($0), topics.commands($0)] }
    }

    mutating func brokerConnected(now: ClockReading) {
        connectedSince = now.seconds
        measure(.brokerConnected)
        publishHostStatus()
        publishRadios()
        for id in order {
            let result = update(id) { $0.lease.brokerConnected(now: now.seconds) }
            perform(result ?? [], on: id, now: now)
        }
    }

    mutating func brokerDisconnected() { connectedSince = nil }

    /// Receives the broker's acknowledgment of a message.
    mutating func acknowledged(_ number: UInt64) {
        guard outbox.acknowledge(number) else { return }
        actions.append(.persist(.finished(number)))
    }

    mutating func received(_ message: ReceivedMessage, now: ClockReading) {
        switch topics.received(message.topic) {
        case .command(let id): receiveCommand(message, for: id, now: now)
        case .lease(let id):
            if !message.payload.isEmpty, LeaseClaim(parsing: message.payload) == nil {
                actions.append(.log("A malformed lease of \(Self.printable(id)) was ignored."))
                return
            }
            let claim = LeaseClaim(parsing: message.payload)
            let result = update(id) { tracked in
                claim.map { tracked.lease.receive($0, now: now.seconds) }
                    ?? tracked.lease.receiveRelease()
            }
            perform(result ?? [], on: id, now: now)
        case nil: actions.append(.log("A message of an unknown topic was ignored."))
        }
    }

    // MARK: Time

    mutating func tick(now: ClockReading) {
        expireCommands(now: now)
        guard let connectedSince, now.seconds >= connectedSince + Lease.settlingTime else { return }
        for id in order {
            guard let tracked = tracked[id] else { continue }
            let mayClaim =
                tracked.isPresent && !tracked.isForgotten && now.seconds >= tracked.restUntil
            let result = update(id) { tracked in
                tracked.lease.tick(now: now.seconds)
                    + (mayClaim ? tracked.lease.claim(now: now.seconds) : [])
            }
            perform(result ?? [], on: id, now: now)
            if tracked.lease.isHeld, tracked.state != .ready, !tracked.isDisconnectedByCommand,
                now.seconds >= tracked.absentSince + Self.absenceLimit
            {
                release(id, now: now)
            }
        }
    }

    // MARK: Leases

    private mutating func perform(_ leaseActions: [Lease.Action], on id: String, now: ClockReading)
    {
        for action in leaseActions {
            switch action {
            case .publish(let claim):
                guard connectedSince != nil else { continue }
                let message = FleetMessage(
                    topic: topics.lease(id),
                    payload: claim.payload,
                    isRetained: true
                )
                actions.append(.publish(message, number: nil))
            case .gained:
                _ = update(id) { tracked in
                    tracked.absentSince = now.seconds
                    tracked.isDisconnectedByCommand = false
                }
                actions.append(.log("This host holds the lease of \(id)."))
                publishDiscovery(of: id)
                actions.append(.take(id))
            case .lost:
                actions.append(.log("Another host holds the lease of \(id)."))
                end(id, now: now)
            }
        }
    }

    /// Gives up the lease of an accessory.
    mutating func release(_ id: String, now: ClockReading) {
        let wasHeld = update(id) { tracked in
            tracked.restUntil = now.seconds + Self.restTime
            return tracked.lease.release()
        }
        guard wasHeld == true else { return }
        if tracked[id]?.state == .ready {
            let offline = FleetMessage(
                topic: topics.availability(id),
                payload: "offline",
                isRetained: true
            )
            enqueue(offline)
        }
        // Without the broker, the lease expires.
        if connectedSince != nil {
            let message = FleetMessage(topic: topics.lease(id), payload: "", isRetained: true)
            actions.append(.publish(message, number: nil))
        }
        actions.append(.log("This host gives up the lease of \(id)."))
        end(id, now: now)
    }

    private mutating func end(_ id: String, now: ClockReading) {
        for key in commands.keys where key.accessory == id { finish(key, .failure(.released), now) }
        _ = update(id) { $0.state = .idle }
        actions.append(.release(id))
    }

    /// Gives up all leases, and takes no new ones.
    mutating func shutDown(now: ClockReading) {
        for id in order {
            release(id, now: now)
            _ = update(id) { $0.isForgotten = true }
        }
    }

    /// Publishes that the radios and the host are offline, after everything else.
    mutating func publishEnd() {
        radiosReported(
            radios.map { FleetRadio(name: $0.name, isUsable: false, linkCount: 0) },
            moveCount: moveCount
        )
        let offline = FleetMessage(
            topic: topics.hostStatus,
            payload: Self.offline,
            isRetained: true
        )
        if connectedSince != nil { actions.append(.publish(offline, number: nil)) }
    }

    /// Returns the first 64 characters of a text of another party, in quotes, with unprintable
    /// characters escaped.
    static func printable(_ text: String) -> String {
        JSON.string(String(text.prefix(64))).compact
    }
}
