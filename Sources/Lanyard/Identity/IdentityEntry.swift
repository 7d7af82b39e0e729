// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The registry's entry for one accessory.
struct IdentityEntry {
    /// A link to the accessory.
    struct Link {
        let since: Duration
        var lastReceived: Duration
        /// Whether closing the link was already requested.
        var isClosing = false

        init(since: Duration) {
            self.since = since
            lastReceived = since
        }
    }

    /// One of the system's identifiers for the accessory.
    struct Entry {
        let identifier: UUID
        var lastSeen: Duration
        var link: Link?
    }

    /// The position of the accessory in the order of first discovery.
    let number: Int
    /// The identifiers in the order of first discovery.
    private(set) var entries: [Entry] = []
    /// Whether the accessory is remembered.
    var isRemembered = false

    init(number: Int) {
        self.number = number
    }

    /// Whether the entry stays even if the registry is full.
    var isHeld: Bool { isRemembered || entries.contains { $0.link != nil } }

    var lastSeen: Duration { entries.map(\.lastSeen).max() ?? .zero }

    var freshest: [Entry] {
        entries.enumerated()
            .sorted { ($1.element.lastSeen, $1.offset) < ($0.element.lastSeen, $0.offset) }
            .map(\.element)
    }

    /// The identifiers with a link whose closing was not requested.
    var links: [Entry] {
        entries.filter { $0.link.map { !$0.isClosing } ?? false }
    }

    func entry(_ identifier: UUID) -> Entry? {
        entries.first { $0.identifier == identifier }
    }

    /// Returns the identifier whose link to keep: the oldest link that was made or received data
    /// since `instant`, otherwise the newest link.
    func bestLink(receivedSince instant: Duration) -> UUID? {
        let byAge = links.sorted { ($0.link?.since ?? .zero) < ($1.link?.since ?? .zero) }
        let recent = byAge.first { ($0.link?.lastReceived ?? .zero) >= instant }
        return (recent ?? byAge.last)?.identifier
    }

    mutating func noteSeen(_ identifier: UUID, now: Duration) {
        if entry(identifier) == nil {
            entries.append(Entry(identifier: identifier, lastSeen: now))
        } else {
            change(identifier) { $0.lastSeen = now }
        }
    }

    mutating func change(_ identifier: UUID, _ body: (inout Entry) -> Void) {
        guard let index = entries.firstIndex(where: { $0.identifier == identifier }) else { return }
        body(&entries[index])
    }

    mutating func remove(_ identifier: UUID) {
        entries.removeAll { $0.identifier == identifier }
    }

    mutating func absorb(_ other: IdentityEntry) {
        isRemembered = isRemembered || other.isRemembered
        for entry in other.entries where self.entry(entry.identifier) == nil {
            entries.append(entry)
        }
    }

    /// Removes and returns the least recently seen identifiers without a link, until at most
    /// `limit` identifiers remain.
    mutating func trim(to limit: Int) -> [UUID] {
        var removed: [UUID] = []
        while entries.count > limit,
            let oldest = entries.filter({ $0.link == nil }).min(by: { $0.lastSeen < $1.lastSeen })
        {
            remove(oldest.identifier)
            removed.append(oldest.identifier)
        }
        return removed
    }
}
