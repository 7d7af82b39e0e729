// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports
import JSONText
import Lanyard

/// An entry of the page's timeline before it is decoded.
enum LiveEntry: Sendable {
    case packet(Btsnoop.Record, adapter: Int)
    /// An event of a device.
    case event(device: String, FlightEvent.Lane, text: String, detail: String?, microseconds: Int64)
}

/// The entries that wait for the next update of the page.
struct LiveBacklog: Sendable {
    /// The minimum time between two advertising reports on the timeline, in microseconds. There can
    /// be hundreds or thousands of them per second, which would hide all other entries.
    static let reportPeriod: Int64 = 1_000_000
    /// The maximum number of entries in an update.
    static let entryLimit = 1_024

    private(set) var entries: [LiveEntry] = []
    /// The number of entries that are not shown.
    private(set) var leftOut = 0
    /// The time of the last advertising report, in microseconds since 1970.
    private var lastReport = Int64.min

    /// Removes the entries and resets `leftOut`. The time of the last advertising report stays.
    mutating func clear() {
        (entries, leftOut) = ([], 0)
    }

    mutating func add(_ entry: LiveEntry) {
        if case .packet(let record, _) = entry,
            HCI.LESubeventCode(h4: record.packet)?.reportsAdvertisements == true
        {
            let time = record.microsecondsSince1970
            let (elapsed, overflow) = time.subtractingReportingOverflow(lastReport)
            guard overflow || elapsed >= Self.reportPeriod || elapsed < 0 else {
                return leftOut += 1
            }
            lastReport = time
        }
        guard entries.count < Self.entryLimit else { return leftOut += 1 }
        entries.append(entry)
    }
}

/// The timeline of the page. It decodes entries to the JSON that the page's script takes.
struct LiveTimeline: Sendable {
    /// The maximum number of events that a page gets when it opens.
    static let historyLimit = 5_000
    /// The maximum number of connections per adapter whose packets are shown on the row of the
    /// device. Packets of further connections are shown on the row of the adapter.
    static let linkLimit = 64

    /// An adapter. The handles of different adapters are independent of each other.
    private struct Adapter: Sendable {
        let row: Int
        var decoder = TraceDecoder()
        /// The rows of connections.
        var links: [ConnectionHandle: Int] = [:]
    }

    /// The start of the timeline, in microseconds since 1970.
    let start: Int64
    /// The timeline that holds the names of the rows.
    private var rows = Timeline(title: "Live")
    private var adapters: [Adapter] = []
    private var history: [JSON] = []
    private var leftOut = 0

    init(adapters: [String], start: Int64) {
        self.start = start
        self.adapters = adapters.map { Adapter(row: rows.device($0)) }
    }

    /// Decodes entries, oldest first. Returns the update for pages that are open; `nil` if there is
    /// nothing to show.
    ///
    /// - Parameter name: Returns the name of the device with an address.
    mutating func take(_ backlog: LiveBacklog, name: (DeviceAddress) -> String) -> JSON? {
        leftOut += backlog.leftOut
        let events = backlog.entries.compactMap { decode($0, name) }.map(\.followed)
        guard !events.isEmpty || backlog.leftOut > 0 else { return nil }
        history += events
        if history.count > Self.historyLimit {
            history.removeFirst(history.count - Self.historyLimit)
        }
        return json(events)
    }

    /// The past events, for a page that opens.
    var past: JSON { json(history) }

    private func json(_ events: [JSON]) -> JSON {
        .object([
            .init("devices", .array(rows.devices.map { .string($0) })),
            .init("leftOut", .integer(leftOut)),
            .init("events", .array(events)),
        ])
    }

    // MARK: Decoding

    private mutating func decode(
        _ entry: LiveEntry,
        _ name: (DeviceAddress) -> String
    ) -> Timeline.Event? {
        switch entry {
        case .event(let device, let lane, let text, let detail, let microseconds):
            return Timeline.Event(
                microseconds: microseconds - start,
                device: rows.device(device),
                lane: lane,
                text: TerminalText.escape(text).shortened(to: Timeline.textLimit),
                detail: detail.map { TerminalText.escape($0).shortened(to: Timeline.textLimit) }
            )
        case .packet(let record, let number):
            guard adapters.indices.contains(number) else { return nil }
            let link = LinkChange(record)
            if case .made(let handle, let peer) = link { add(handle, name(peer), to: number) }
            defer { if case .ended(let handle) = link { adapters[number].links[handle] = nil } }
            guard let line = adapters[number].decoder.decode(record), !line.isAboutBuffers else {
                return nil
            }
            let row = line.connection.flatMap { adapters[number].links[$0] }
            var event = line.event(
                at: record.microsecondsSince1970 - start,
                device: row ?? adapters[number].row,
                bytes: record.packet
            )
            event.text = event.text.shortened(to: Timeline.textLimit)
            return event
        }
    }

    /// Records the row of a link's device.
    private mutating func add(_ handle: ConnectionHandle, _ name: String, to number: Int) {
        let links = adapters[number].links
        guard links.count < Self.linkLimit || links[handle] != nil else { return }
        adapters[number].links[handle] = rows.device(name)
    }
}

/// The beginning or the end of a link.
private enum LinkChange {
    case made(ConnectionHandle, DeviceAddress)
    case ended(ConnectionHandle)

    /// Creates the change that an event reports (Vol 4, Part E, 7.7.5 and 7.7.65); `nil` for other
    /// packets.
    init?(_ record: Btsnoop.Record) {
        guard record.packet.first == 0x04, [0x05, 0x3E].contains(record.packet.dropFirst().first),
            case .event(let code, let parameters)? = try? HCI.Packet(h4: record.packet),
            let event = try? HCI.Event(code: code, parameters: parameters)
        else { return nil }
        switch event {
        case .connectionComplete(let made):
            self.init(made.status, made.connectionHandle, made.peerAddress)
        case .enhancedConnectionComplete(let made):
            self.init(made.status, made.connectionHandle, made.peerAddress)
        case .enhancedConnectionCompleteV2(let made):
            let made = made.connection
            self.init(made.status, made.connectionHandle, made.peerAddress)
        case .disconnectionComplete(let ended) where ended.status == .success:
            self = .ended(ended.connectionHandle)
        default: return nil
        }
    }

    private init?(_ status: HCI.ErrorCode, _ handle: ConnectionHandle, _ peer: HCI.PeerAddress) {
        guard status == .success, let address = peer.deviceAddress else { return nil }
        self = .made(handle, address)
    }
}
