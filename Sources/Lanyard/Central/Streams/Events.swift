// SPDX-License-Identifier: Apache-2.0

/// What happens, one after the other, for a task to wait for.
///
/// ```swift
/// for await change in accessory.changes { print(change) }
/// ```
///
/// It listens from the moment on at which it was asked for, until nobody has it any more. What came
/// meanwhile waits, up to a limit: then the oldest is dropped, and counted in `droppedCount`. It ends when
/// its source does, or the task that waits is cancelled. Meant for one loop: two share what comes.
public struct Events<Element: Sendable>: AsyncSequence, Sendable {
    /// How many wait at most.
    public static var bufferLimit: Int { 256 }

    /// It never fails.
    public typealias Failure = Never

    let mailbox: Mailbox<Element>
    /// What has to last as long as somebody listens.
    private(set) var owner: (any AnyObject & Sendable)?

    init(mailbox: Mailbox<Element>) {
        self.mailbox = mailbox
    }

    /// The same, which something lasts for.
    func keeping(_ owner: any AnyObject & Sendable) -> Self {
        var events = self
        events.owner = owner
        return events
    }

    /// How many had to be dropped so far, since nobody took them in time.
    public var droppedCount: Int { mailbox.droppedCount }

    /// Waits for one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let mailbox: Mailbox<Element>
        let owner: (any AnyObject & Sendable)?

        /// The next; nil at the end, and when the task is cancelled.
        public mutating func next() async -> Element? {
            await mailbox.next()
        }

        /// The same, from within an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Element? {
            await mailbox.next(isolation: actor)
        }
    }

    /// For `for await`.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox, owner: owner) }
}

extension Events {
    /// The same for those who like closures: it is called with one after the other, in order and never
    /// two at a time, until the observation is cancelled or let go of. What it awaits, the next one waits
    /// for.
    ///
    /// ```swift
    /// observation = central.availabilityChanges.forEach { availability in print(availability) }
    /// ```
    ///
    /// This is the one loop that the events are meant for: have another for whoever else listens.
    public func forEach(
        _ body: @escaping @Sendable (Element) async -> Void
    ) -> ObservationToken {
        let loop = Task {
            for await element in self {
                // What waits still when the observation ends is for nobody.
                guard !Task.isCancelled else { return }
                await body(element)
            }
        }
        return ObservationToken { loop.cancel() }
    }
}
