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

    /// How many had to be dropped so far, since nobody took them in time.
    public var droppedCount: Int { mailbox.droppedCount }

    /// Waits for one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let mailbox: Mailbox<Element>

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
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }
}
