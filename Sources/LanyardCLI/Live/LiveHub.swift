// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import HCITransports
import JSONText
import Lanyard
import Synchronization

/// The state that the page shows, and its changes since the last update.
///
/// The host's thread and the tasks of the command add to it. Only the server's thread takes updates
/// from it, so the work of decoding does not delay the host.
final class LiveHub: Sendable {
    /// A change that is neither an advertisement nor an entry of the timeline.
    struct Message: Sendable {
        let type: String
        let members: [JSON.Member]

        var json: JSON { .object([.init("type", .string(type))] + members) }
    }

    /// The maximum number of messages in an update. Further messages are dropped, except states of
    /// links: a new state then replaces the earlier states of its link.
    static let messageLimit = 1_024
    /// The seconds of signal strength that a page gets when it opens.
    static let historySeconds = 60

    fileprivate struct State {
        var devices = DiscoveredDevices()
        var numbers: [DeviceAddress: Int] = [:]
        var lastNumber = 0
        /// The number of advertisements of each device.
        var counts: [DeviceAddress: Int] = [:]
        /// The last description of each device that was sent to the pages.
        var described: [DeviceAddress: JSON] = [:]
        var changed: Set<DeviceAddress> = []
        var backlog = LiveBacklog()
        var messages: [Message] = []
        /// The last state of each link, for pages that open.
        var links: [String: Message] = [:]
        var world: JSON?
        var hasNewWorld = false
    }

    private let now: @Sendable () -> Instant
    private let clock: @Sendable () -> Int64
    private let state = Mutex(State())
    private let timeline: Mutex<LiveTimeline>

    /// Creates an empty hub.
    ///
    /// - Parameters:
    ///   - adapters: The names of the adapters' rows on the timeline, in the order of their
    ///     numbers.
    ///   - now: Returns the current time, for the history of signals.
    ///   - clock: Returns the current time in microseconds since 1970, for the timeline.
    init(
        adapters: [String],
        now: @escaping @Sendable () -> Instant,
        clock: @escaping @Sendable () -> Int64 = { SystemClock.nanosecondsSince1970 / 1_000 }
    ) {
        self.now = now
        self.clock = clock
        timeline = Mutex(LiveTimeline(adapters: adapters, start: clock()))
    }

    // MARK: Input

    func receive(_ advertisement: Advertisement) {
        let now = now()
        state.withLock { state in
            state.devices.receive(advertisement, at: now)
            state.changed.insert(advertisement.address)
            state.counts[advertisement.address, default: 0] += 1
        }
    }

    /// Receives a packet of an adapter.
    ///
    /// - Parameter adapter: The number of the adapter that the packet passes.
    func receive(_ record: Btsnoop.Record, from adapter: Int) {
        state.withLock { $0.backlog.add(.packet(record, adapter: adapter)) }
    }

    /// Adds an event to the row of a device.
    func note(_ lane: FlightEvent.Lane, _ text: String, _ detail: String? = nil, of device: String)
    {
        let time = clock()
        state.withLock { state in
            state.backlog.add(
                .event(device: device, lane, text: text, detail: detail, microseconds: time)
            )
        }
    }

    func send(_ type: String, _ members: JSON.Member...) {
        state.withLock { $0.send(Message(type: type, members: members)) }
    }

    /// Reports the state of the link to a device. A page that opens later also gets the state,
    /// unless there is no link.
    func sendLink(_ device: String, isOver: Bool, _ members: [JSON.Member]) {
        let members = [JSON.Member("device", .string(device))] + members
        state.withLock { state in
            let message = Message(type: "link", members: members)
            state.links[device] = isOver ? nil : message
            state.sendLink(message)
        }
    }

    func set(world: JSON) {
        state.withLock { state in
            guard state.world != world else { return }
            (state.world, state.hasNewWorld) = (world, true)
        }
    }

    /// Returns the name of a device as pages show it: its advertised name, or its address.
    func name(of address: DeviceAddress) -> String {
        state.withLock { $0.devices[address]?.name } ?? address.description
    }

    // MARK: Output

    /// Takes the changes since the last update; `nil` if there are none.
    func takeUpdate() -> String? {
        let (changes, backlog) = state.withLock { $0.takeUpdate() }
        var members = changes
        let events = timeline.withLock { $0.take(backlog) { name(of: $0) } }
        if let events { members.append(.init("timeline", events)) }
        return members.isEmpty ? nil : JSON.object(members).compact
    }

    /// The whole state, for a page that opens.
    var present: String {
        let now = now()
        var members = state.withLock { $0.present(at: now) }
        members.append(.init("timeline", timeline.withLock { $0.past }))
        return JSON.object([.init("reset", .bool(true))] + members).compact
    }
}

extension LiveHub.State {
    mutating func send(_ message: LiveHub.Message) {
        if messages.count < LiveHub.messageLimit { messages.append(message) }
    }

    /// Sends the state of a link. Beyond the limit, the state replaces an earlier one of that link.
    mutating func sendLink(_ message: LiveHub.Message) {
        if messages.count >= LiveHub.messageLimit {
            messages.removeAll {
                $0.type == message.type && $0.members.first == message.members.first
            }
        }
        messages.append(message)
    }

    mutating func takeUpdate() -> ([JSON.Member], LiveBacklog) {
        var members: [JSON.Member] = []
        let changed = changed
        let descriptions = changed.compactMap { describe($0) }
        if !descriptions.isEmpty { members.append(.init("devices", .array(descriptions))) }
        let signals = changed.compactMap { signal(of: $0) }
        if !signals.isEmpty { members.append(.init("signals", .array(signals))) }
        if !messages.isEmpty { members.append(.init("messages", .array(messages.map(\.json)))) }
        if hasNewWorld, let world { members.append(.init("world", world)) }
        defer {
            self.changed = []
            (messages, hasNewWorld) = ([], false)
            backlog.clear()
            forgetOld()
        }
        return (members, backlog)
    }

    func present(at now: Instant) -> [JSON.Member] {
        let known = numbers.keys.filter { described[$0] != nil }
        let levels = known.compactMap { address -> JSON? in
            guard let number = numbers[address], let device = devices[address] else { return nil }
            let levels = device.history.levels(seconds: LiveHub.historySeconds, until: now)
            return .array([.integer(number), .array(levels.map { .integer(orNull: $0) })])
        }
        return [
            .init("devices", .array(known.compactMap { described[$0] })),
            .init("signals", .array(known.compactMap { signal(of: $0) })),
            .init("levels", .array(levels)),
            .init("messages", .array(links.values.map(\.json))),
            .init("world", world ?? .null),
        ]
    }

    /// Returns the description of a device if pages do not have it.
    private mutating func describe(_ address: DeviceAddress) -> JSON? {
        guard let device = devices[address] else { return nil }
        if numbers[address] == nil {
            lastNumber += 1
            numbers[address] = lastNumber
        }
        let json = JSON.object([
            .init("number", .integer(numbers[address] ?? 0)),
            .init("device", .string(AddressText.describe(address))),
            .init("name", .string(orNull: device.name)),
            .init("summary", .string(device.summary)),
            .init("connectable", .bool(device.isConnectable)),
        ])
        guard described[address] != json else { return nil }
        described[address] = json
        return json
    }

    /// Returns the number of the device, its strength in dBm, and the number of its advertisements.
    private func signal(of address: DeviceAddress) -> JSON? {
        guard let number = numbers[address], let device = devices[address] else { return nil }
        return .array([
            .integer(number), .integer(orNull: device.rssi), .integer(counts[address] ?? 0),
        ])
    }

    /// Removes the state of devices that newer devices have replaced, if there is much of it.
    private mutating func forgetOld() {
        guard numbers.count > 2 * DiscoveredDevices.deviceLimit else { return }
        numbers = numbers.filter { devices[$0.key] != nil }
        counts = counts.filter { devices[$0.key] != nil }
        described = described.filter { devices[$0.key] != nil }
    }
}
