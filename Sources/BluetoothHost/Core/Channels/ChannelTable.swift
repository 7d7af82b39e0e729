// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP

/// Names one channel for as long as the host lives; channel identifiers are used again, these are
/// not.
package struct ChannelNumber: Hashable, Sendable {
    package let rawValue: UInt64
}

/// The channels that applications have, on all links, and the last of those that they had.
///
/// A channel that its peer has closed is kept with what nobody has read of it yet: what was sent
/// before the end arrives. How much that is, the credits of the channel have decided.
struct ChannelTable: Sendable {
    /// How many channels that have ended are remembered.
    static let pastLimit = 64

    /// Where a channel is.
    struct Place: Hashable, Sendable {
        let link: LinkIdentifier
        let channel: ChannelIdentifier
    }

    /// One channel, open or ended.
    struct Entry: Sendable {
        let place: Place
        /// Who waits for an SDU.
        var reader: RequestIdentifier?
        /// Who waits for the end.
        var watchers: [RequestIdentifier] = []
        /// Why it ended; nil while it is open.
        var end: L2CAPChannel.End?
        /// What had arrived before the end.
        var unread: ArraySlice<[UInt8]> = []
    }

    /// Who waits until the peer has confirmed the end of a channel.
    private var closers: [Place: [RequestIdentifier]] = [:]
    private var entries: [ChannelNumber: Entry] = [:]
    private var open: [Place: ChannelNumber] = [:]
    private var past: [ChannelNumber] = []
    private var lastNumber: UInt64 = 0

    subscript(number: ChannelNumber) -> Entry? {
        get { entries[number] }
        _modify { yield &entries[number] }
    }

    /// The open channel at a place.
    func number(at place: Place) -> ChannelNumber? { open[place] }

    /// The open channels of a link.
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

    /// A channel has ended. Returns it as it was.
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

    /// The end of the channel that was at this place is confirmed. Returns who waits for it.
    mutating func takeClosers(at place: Place) -> [RequestIdentifier] {
        closers.removeValue(forKey: place) ?? []
    }

    /// The link is gone. Returns who waits for ends on it.
    mutating func takeClosers(on link: LinkIdentifier) -> [RequestIdentifier] {
        closers.keys.filter { $0.link == link }.flatMap { takeClosers(at: $0) }
    }

    /// Nobody waits for this any more.
    mutating func forgetWaiter(_ request: RequestIdentifier, of number: ChannelNumber) {
        if entries[number]?.reader == request { entries[number]?.reader = nil }
        entries[number]?.watchers.removeAll { $0 == request }
        guard let place = entries[number]?.place else { return }
        closers[place]?.removeAll { $0 == request }
    }
}
