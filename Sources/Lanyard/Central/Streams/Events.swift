// SPDX-License-Identifier: Apache-2.0

/// A sequence of events for one task.
///
/// ```swift
/// for await change in accessory.changes { print(change) }
/// ```
///
/// The sequence collects events from its creation until its last copy is released. Events wait in a
/// buffer; when it is full, the oldest event is dropped and counted in ``droppedCount``. The
/// sequence ends when its source ends or the waiting task is canceled. Use it in one loop only: two
/// loops divide the events between them.
public struct Events<Element: Sendable>: AsyncSequence, Sendable {
    /// The maximum number of waiting events, unless the source of the events sets another one.
    public static var bufferLimit: Int { 256 }

    /// The sequence never fails.
    public typealias Failure = Never

    let mailbox: Mailbox<Element>
    /// The object that must exist as long as the sequence.
    private(set) var owner: (any AnyObject & Sendable)?

    init(mailbox: Mailbox<Element>) {
        self.mailbox = mailbox
    }

    /// Returns the same sequence, which keeps `owner` alive.
    func keeping(_ owner: any AnyObject & Sendable) -> Self {
        var events = self
        events.owner = owner
        return events
    }

    /// The number of events that were dropped so far because the loop was too slow.
    public var droppedCount: Int { mailbox.droppedCount }

    /// The iterator of the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        let mailbox: Mailbox<Element>
        let owner: (any AnyObject & Sendable)?

        /// Waits for the next event; `nil` at the end, and if the task is canceled while no event
        /// waits.
        public mutating func next() async -> Element? {
            await mailbox.next()
        }

        /// Waits for the next event, isolated to an actor; `nil` at the end, and if the task is
        /// canceled while no event waits.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Element? {
            await mailbox.next(isolation: actor)
        }
    }

    /// Creates the iterator for `for await`.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox, owner: owner) }
}

extension Events {
    /// Calls a closure with each event, in order and never concurrently. The next event waits until
    /// the closure has returned.
    ///
    /// ```swift
    /// observation = central.availabilityChanges.forEach { availability in print(availability) }
    /// ```
    ///
    /// The call is the sequence's only loop: create another sequence for another subscriber.
    ///
    /// - Parameter body: The closure, which runs in a task of its own on Swift's shared thread
    ///   pool, unless the closure is isolated to an actor.
    /// - Returns: A token. The observation ends when the token is canceled or released.
    public func forEach(
        _ body: @escaping @Sendable (Element) async -> Void
    ) -> ObservationToken {
        let loop = Task {
            for await element in self {
                // Events that still wait when the observation ends are dropped.
                guard !Task.isCancelled else { return }
                await body(element)
            }
        }
        return ObservationToken { loop.cancel() }
    }
}
