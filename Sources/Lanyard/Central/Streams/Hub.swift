// SPDX-License-Identifier: Apache-2.0

/// A hub that delivers elements to its subscribers: to each sequence through a mailbox of its own,
/// and to closures.
///
/// The hub creates an element and puts it into the mailboxes within its lock. All sequences
/// therefore have the same elements in the same order, and a subscriber that arrives meanwhile
/// misses none. Outside the lock, the hub resumes waiting tasks and calls closures.
final class Hub<Element: Sendable>: Sendable {
    private struct Listeners {
        var mailboxes: [Int: WeakMailbox] = [:]
        var closures: [Int: @Sendable (Element) -> Void] = [:]
        var last = 0
        var hasEnded = false

        mutating func nextNumber() -> Int {
            last += 1
            return last
        }

        /// The mailboxes in the order of their subscriptions.
        var orderedMailboxes: [Mailbox<Element>] {
            mailboxes.sorted { $0.key < $1.key }.compactMap { $0.value.mailbox }
        }
    }

    private struct WeakMailbox {
        weak var mailbox: Mailbox<Element>?
    }

    private let listeners = Locked(Listeners())

    /// Creates a sequence for a new subscriber, which begins with the given elements.
    func events(
        limit: Int = Events<Element>.bufferLimit,
        beginningWith first: () -> [Element] = { [] }
    ) -> Events<Element> {
        let (mailbox, hasEnded) = listeners.change { listeners in
            let number = listeners.nextNumber()
            let first = first()
            // The first elements take at most half of the buffer.
            let mailbox = Mailbox<Element>(limit: max(limit, 2 * first.count))
            mailbox.onRelease { [weak self] in self?.remove(number) }
            for element in first { mailbox.put(element).deliver() }
            listeners.mailboxes[number] = WeakMailbox(mailbox: mailbox)
            return (mailbox, listeners.hasEnded)
        }
        if hasEnded { mailbox.end() }
        return Events(mailbox: mailbox)
    }

    /// Calls a closure with each element until the token is canceled or released.
    func observe(_ body: @escaping @Sendable (Element) -> Void) -> ObservationToken {
        let number = listeners.change { listeners in
            let number = listeners.nextNumber()
            if !listeners.hasEnded { listeners.closures[number] = body }
            return number
        }
        return ObservationToken { [weak self] in self?.remove(number) }
    }

    /// Delivers an element to all subscribers. Returns `false` if a subscriber lost an older one.
    @discardableResult
    func send(_ make: () -> Element) -> Bool {
        // The mailboxes are retained until the lock is free, because the release of a mailbox takes
        // the lock again.
        let (element, mailboxes, deliveries, closures) = listeners.change { listeners in
            let element = make()
            let mailboxes = listeners.orderedMailboxes
            let closures = listeners.closures.sorted { $0.key < $1.key }.map(\.value)
            return (element, mailboxes, mailboxes.map { $0.put(element) }, closures)
        }
        defer { withExtendedLifetime(mailboxes) {} }
        for closure in closures { closure(element) }
        for delivery in deliveries { delivery.deliver() }
        return !deliveries.contains { $0.hasDropped }
    }

    /// Calls a closure within the lock, unless there are subscribers. A subscriber that arrives
    /// meanwhile waits for the end of the call.
    ///
    /// - Returns: Whether the closure was called.
    func performWithoutSubscribers(_ body: () -> Void) -> Bool {
        listeners.change { listeners in
            guard listeners.mailboxes.isEmpty, listeners.closures.isEmpty else { return false }
            body()
            return true
        }
    }

    /// Ends the sequences of all subscribers.
    func end() {
        let (mailboxes, closures) = listeners.change { listeners in
            listeners.hasEnded = true
            defer { listeners.closures = [:] }
            return (listeners.orderedMailboxes, listeners.closures)
        }
        for mailbox in mailboxes { mailbox.end() }
        // The app's closures are released here, outside the lock.
        withExtendedLifetime(closures) {}
    }

    /// Ends the sequences of the current subscribers. Later subscribers get new sequences.
    func endSequences() {
        for mailbox in listeners.change({ $0.orderedMailboxes }) { mailbox.end() }
    }

    private func remove(_ number: Int) {
        let removed = listeners.change { listeners in
            listeners.mailboxes[number] = nil
            return listeners.closures.removeValue(forKey: number)
        }
        withExtendedLifetime(removed) {}
    }
}
