// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

/// The number of a channel, unique for the lifetime of the host. In contrast, L2CAP uses the
/// identifier of an ended channel again.
package struct ChannelNumber: Hashable, Sendable {
    package let rawValue: UInt64
}

/// All open channels of all links, and the most recent channels that have ended.
///
/// After its end, a channel stays in the table with the SDUs that the application has not read. The
/// credits of the channel have limited their number.
struct ChannelTable: Sendable {
    /// The maximum number of ended channels in the table.
    static let pastLimit = 64

    /// The link of a channel, and its identifier on the link.
    struct Place: Hashable, Sendable {
        let link: LinkIdentifier
        let channel: ChannelIdentifier
    }

    /// One channel, open or ended.
    struct Entry: Sendable {
        let place: Place
        /// The request that awaits an SDU.
        var reader: RequestIdentifier?
        /// The requests that await the end.
        var watchers: [RequestIdentifier] = []
        /// The end of the channel, with its reason, or `nil` while the channel is open.
        var end: L2CAPChannel.End?
        /// The SDUs that arrived before the end.
        var unread: ArraySlice<[UInt8]> = []
        /// Whether the link is open.
        var isLinkOpen = true
    }

    /// The requests to close a channel that await the peer's confirmation.
    private var closers: [Place: [RequestIdentifier]] = [:]
    private var entries: [ChannelNumber: Entry] = [:]
    private var open: [Place: ChannelNumber] = [:]
    private var past: [ChannelNumber] = []
    private var lastNumber: UInt64 = 0

    subscript(number: ChannelNumber) -> Entry? {
        get { entries[number] }
        _modify { yield &entries[number] }
    }

    /// Returns the open channel at a place.
    func number(at place: Place) -> ChannelNumber? { open[place] }

    /// Returns the place of a channel, or `nil` if the channel has ended.
    func openPlace(_ number: ChannelNumber) -> Place? {
        entries[number].flatMap { $0.end == nil ? $0.place : nil }
    }

    /// Returns a channel's identifier on its link, or `nil` if the channel has ended.
    func openChannel(_ number: ChannelNumber) -> ChannelIdentifier? { openPlace(number)?.channel }

    /// Returns whether a channel is known and its link is open.
    func isLinkOpen(of number: ChannelNumber) -> Bool { entries[number]?.isLinkOpen == true }

    /// Returns the open channels of a link.
    func numbers(on link: LinkIdentifier) -> [ChannelNumber] {
        open.filter { $0.key.link == link }.map(\.value)
    }

    mutating func add(_ place: Place) -> ChannelNumber {
        lastNumber += 1
        let number = ChannelNumber(rawValue: lastNumber)
        entries[number] = Entry(place: place)
        open[place] = number
        return number
    }

    /// Ends a channel. Returns its state before the end.
    mutating func end(
        _ number: ChannelNumber,
        _ end: L2CAPChannel.End,
        unread: [[UInt8]]
    ) -> Entry? {
        guard let entry = entries[number], entry.end == nil else { return nil }
        open[entry.place] = nil
        entries[number]?.reader = nil
        entries[number]?.watchers = []
        entries[number]?.end = end
        entries[number]?.unread = unread[...]
        if past.count == Self.pastLimit { entries[past.removeFirst()] = nil }
        past.append(number)
        return entry
    }

    mutating func addCloser(_ request: RequestIdentifier, at place: Place) {
        closers[place, default: []].append(request)
    }

    /// Removes and returns the requests to close the channel at this place.
    mutating func takeClosers(at place: Place) -> [RequestIdentifier] {
        closers.removeValue(forKey: place) ?? []
    }

    /// Records the end of a link. Removes and returns the requests to close its channels.
    mutating func linkEnded(_ link: LinkIdentifier) -> [RequestIdentifier] {
        for number in entries.keys where entries[number]?.place.link == link {
            entries[number]?.isLinkOpen = false
        }
        return closers.keys.filter { $0.link == link }.flatMap { takeClosers(at: $0) }
    }

    /// Removes a request that was canceled.
    mutating func forgetWaiter(_ request: RequestIdentifier, of number: ChannelNumber) {
        if entries[number]?.reader == request { entries[number]?.reader = nil }
        entries[number]?.watchers.removeAll { $0 == request }
        guard let place = entries[number]?.place else { return }
        closers[place]?.removeAll { $0 == request }
    }
}
