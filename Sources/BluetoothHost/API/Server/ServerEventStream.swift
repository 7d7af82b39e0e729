// SPDX-License-Identifier: Apache-2.0

/// The events of a host's server, from ``BluetoothHost/BluetoothHost/serverEvents()``.
///
/// Each event goes to one reader: several loops over the stream, or over copies of it, share the
/// events. The stream ends when the host is shut down, when it and its copies and iterators are
/// released, or when a task that reads it is canceled. A canceled task still gets the events that
/// have happened, and then `nil`.
public struct ServerEventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerEvent
    /// The stream has no errors.
    public typealias Failure = Never

    private let reader: ServerEventReader

    init(_ buffer: ServerEventBuffer) {
        reader = ServerEventReader(buffer)
    }

    /// Returns an iterator over the events that no iterator has returned yet.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        /// An event.
        public typealias Element = ServerEvent
        /// The stream has no errors.
        public typealias Failure = Never

        @usableFromInline
        let reader: ServerEventReader

        /// Waits for the next event.
        ///
        /// - Returns: The event; `nil` if the stream has ended.
        @inlinable
        public mutating func next() async -> ServerEvent? {
            await reader.next(isolation: nil)
        }

        /// Waits for the next event on the caller's actor.
        ///
        /// - Parameter actor: The caller's actor, which runs other work while the method waits.
        /// - Returns: The event; `nil` if the stream has ended.
        @inlinable
        @inline(__always)
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ServerEvent? {
            await reader.next(isolation: actor)
        }
    }
}

/// The reading end of the stream. It ends the stream when the last copy and the last iterator are
/// released.
@usableFromInline
final class ServerEventReader: StreamSource {
    private let buffer: ServerEventBuffer

    init(_ buffer: ServerEventBuffer) {
        self.buffer = buffer
    }

    deinit { buffer.close() }

    @usableFromInline
    func takeNext() -> ServerEvent?? { buffer.takeNext() }

    @usableFromInline
    func resume(_ waiter: UnsafeContinuation<Void, Never>) { buffer.resume(waiter) }

    @usableFromInline
    func close() { buffer.close() }
}
