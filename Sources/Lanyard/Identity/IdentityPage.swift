// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the book knows of one accessory.
struct IdentityPage {
    /// A link to it.
    struct Link {
        let since: Duration
        var lastHeard: Duration
        /// Whether it was said that it is to be closed.
        var isClosing = false

        init(since: Duration) {
            self.since = since
            lastHeard = since
        }
    }

    /// One of the identifiers that the system has for it.
    struct Entry {
        let identifier: UUID
        var lastMet: Duration
        var link: Link?
    }

    /// The order in which accessories became known.
    let number: Int
    /// In the order in which they became known.
    private(set) var entries: [Entry] = []
    /// Whether it is remembered.
    var isKept = false

    init(number: Int) {
        self.number = number
    }

    /// Whether it stays in mind, however many come.
    var isHeld: Bool { isKept || entries.contains { $0.link != nil } }

    var lastMet: Duration { entries.map(\.lastMet).max() ?? .zero }

    var freshest: [Entry] {
        entries.enumerated()
            .sorted { ($1.element.lastMet, $1.offset) < ($0.element.lastMet, $0.offset) }
            .map(\.element)
    }

    /// Those with a link that is to stay.
    var links: [Entry] {
        entries.filter { $0.link.map { !$0.isClosing } ?? false }
    }

    func entry(_ identifier: UUID) -> Entry? {
        entries.first { $0.identifier == identifier }
    }

    /// Which of several links is to stay: the oldest that lives, or else the newest.
    func bestLink(heardSince instant: Duration) -> UUID? {
        let byAge = links.sorted { ($0.link?.since ?? .zero) < ($1.link?.since ?? .zero) }
        let living = byAge.first { ($0.link?.lastHeard ?? .zero) >= instant }
        return (living ?? byAge.last)?.identifier
    }

    mutating func meet(_ identifier: UUID, now: Duration) {
        if entry(identifier) == nil {
            entries.append(Entry(identifier: identifier, lastMet: now))
        } else {
            change(identifier) { $0.lastMet = now }
        }
    }

    mutating func change(_ identifier: UUID, _ body: (inout Entry) -> Void) {
        guard let index = entries.firstIndex(where: { $0.identifier == identifier }) else { return }
        body(&entries[index])
    }

    mutating func remove(_ identifier: UUID) {
        entries.removeAll { $0.identifier == identifier }
    }

    mutating func absorb(_ other: IdentityPage) {
        isKept = isKept || other.isKept
        for entry in other.entries where self.entry(entry.identifier) == nil {
            entries.append(entry)
        }
    }

    /// Removes those that were not met for longest until there are few enough, and says which.
    mutating func trim(to limit: Int) -> [UUID] {
        var removed: [UUID] = []
        while entries.count > limit,
            let oldest = entries.filter({ $0.link == nil }).min(by: { $0.lastMet < $1.lastMet })
        {
            remove(oldest.identifier)
            removed.append(oldest.identifier)
        }
        return removed
    }
}
