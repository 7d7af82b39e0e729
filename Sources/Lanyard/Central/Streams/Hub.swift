// SPDX-License-Identifier: Apache-2.0

/// Tells everybody who listens, each through a mailbox of its own.
///
/// What is told is made within the lock, and put into the mailboxes there, so that all hear the same in the
/// same order, also who begins to listen meanwhile. Only those who wait are called, and closures, and that
/// outside of it.
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

        /// In the order in which they came.
        var orderedMailboxes: [Mailbox<Element>] {
            mailboxes.sorted { $0.key < $1.key }.compactMap { $0.value.mailbox }
        }
    }

    private struct WeakMailbox {
        weak var mailbox: Mailbox<Element>?
    }

    private let listeners = Guarded(Listeners())

    /// A new listener, who hears what there is already at once.
    func events(
        limit: Int = Events<Element>.bufferLimit,
        beginningWith first: () -> [Element] = { [] }
    ) -> Events<Element> {
        let (mailbox, hasEnded) = listeners.change { listeners in
            let number = listeners.nextNumber()
            let first = first()
            // What there is already takes at most half of the room.
            let mailbox = Mailbox<Element>(limit: max(limit, 2 * first.count))
            mailbox.onLeave { [weak self] in self?.remove(number) }
            for element in first { mailbox.put(element).deliver() }
            listeners.mailboxes[number] = WeakMailbox(mailbox: mailbox)
            return (mailbox, listeners.hasEnded)
        }
        if hasEnded { mailbox.end() }
        return Events(mailbox: mailbox)
    }

    /// Has a closure called with each, until the observation is cancelled or let go of.
    func observe(_ body: @escaping @Sendable (Element) -> Void) -> ObservationToken {
        let number = listeners.change { listeners in
            let number = listeners.nextNumber()
            if !listeners.hasEnded { listeners.closures[number] = body }
            return number
        }
        return ObservationToken { [weak self] in self?.remove(number) }
    }

    /// Tells everybody. False if somebody had to lose an older one for it.
    @discardableResult
    func send(_ make: () -> Element) -> Bool {
        // The mailboxes come out, too: who is the last to let go of one may not hold the lock.
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

    /// Tells everybody that no more comes.
    func end() {
        let (mailboxes, closures) = listeners.change { listeners in
            listeners.hasEnded = true
            defer { listeners.closures = [:] }
            return (listeners.orderedMailboxes, listeners.closures)
        }
        for mailbox in mailboxes { mailbox.end() }
        // The application's closures are let go of here, outside of the lock.
        withExtendedLifetime(closures) {}
    }

    private func remove(_ number: Int) {
        let removed = listeners.change { listeners in
            listeners.mailboxes[number] = nil
            return listeners.closures.removeValue(forKey: number)
        }
        withExtendedLifetime(removed) {}
    }
}
