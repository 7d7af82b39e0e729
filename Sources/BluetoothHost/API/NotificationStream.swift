// SPDX-License-Identifier: Apache-2.0

/// The values of one characteristic that a peer notifies or indicates, in the order of their
/// arrival.
///
/// ``Link/subscribe(to:kind:)`` returns it. Each value goes to one reader: several loops over the
/// stream, or over copies of it, share the values. The stream ends when it and its copies and
/// iterators are released, or when a task that reads it is canceled. When the last stream of a
/// characteristic ends, the host unsubscribes. A canceled task still gets the values that have
/// arrived, and then `nil`.
public struct NotificationStream: AsyncSequence, Sendable {
    /// The bytes of a value.
    public typealias Element = [UInt8]
    /// The reason why the link ended, or ``HostError/notificationsOverflowed``.
    public typealias Failure = any Error

    private let reader: NotificationReader

    init(_ buffer: NotificationBuffer) {
        reader = NotificationReader(buffer)
    }

    /// Returns an iterator over the values that no iterator has returned yet.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// An iterator over the values.
    public struct Iterator: AsyncIteratorProtocol {
        /// The bytes of a value.
        public typealias Element = [UInt8]
        /// The errors of the stream.
        public typealias Failure = any Error

        @usableFromInline
        let reader: NotificationReader

        /// Waits for the next value.
        ///
        /// - Returns: The value; `nil` if the stream has ended because a waiting task was canceled.
        /// - Throws: The reason why the link ended, once after the last value: for example
        ///   ``HostError/disconnected(_:)``, or ``HostError/adapter(_:)`` after a reset of the
        ///   controller. ``HostError/notificationsOverflowed``, once, if the reader was too slow.
        @inlinable
        public mutating func next() async throws -> [UInt8]? {
            try await reader.next(isolation: nil)
        }

        /// Waits for the next value on the caller's actor.
        ///
        /// - Parameter actor: The caller's actor, which runs other work while the method waits.
        /// - Returns: The value; `nil` if the stream has ended because a waiting task was canceled.
        /// - Throws: The reason why the link ended, once after the last value: for example
        ///   ``HostError/disconnected(_:)``, or ``HostError/adapter(_:)`` after a reset of the
        ///   controller. ``HostError/notificationsOverflowed``, once, if the reader was too slow.
        @inlinable
        @inline(__always)
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> [UInt8]? {
            try await reader.next(isolation: actor)
        }
    }
}

/// The reading end of the stream. It ends the stream when the last copy and the last iterator are
/// released.
@usableFromInline
final class NotificationReader: StreamSource {
    private let buffer: NotificationBuffer

    init(_ buffer: NotificationBuffer) {
        self.buffer = buffer
    }

    deinit { buffer.close() }

    @usableFromInline
    func takeNext() throws -> [UInt8]?? { try buffer.takeNext() }

    @usableFromInline
    func resume(_ waiter: UnsafeContinuation<Void, Never>) { buffer.resume(waiter) }

    @usableFromInline
    func close() { buffer.close() }
}
