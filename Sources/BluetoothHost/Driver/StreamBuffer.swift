// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// The order in which a `StreamBuffer` holds elements. `Input` is the type of an element when it
/// arrives.
protocol StreamQueue<Input, Element>: Sendable {
    associatedtype Input
    associatedtype Element: Sendable

    init()

    var count: Int { get }

    mutating func append(_ element: Input)

    mutating func takeFirst() -> Element?
}

/// The values of a stream that its reader has not taken yet.
///
/// The host appends values on its thread, and wakes the readers once for all values of one input
/// (`wake`). A reader takes the values that have arrived without a suspension, on any thread. If
/// the reader keeps up, a value causes no allocation.
///
/// The streams of the API that have a buffer are not generic. The compiler therefore knows all
/// types here, which the streams of the standard library look up for each value.
final class StreamBuffer<Queue: StreamQueue, Failure: Error>: StreamSource {
    typealias Element = Queue.Element
    private typealias Waiter = UnsafeContinuation<Void, Never>

    private struct State {
        var values = Queue()
        /// The end of the stream; `nil` while it is open.
        var end: End?
        /// The readers that wait for a value. Each is resumed exactly once, when it leaves the
        /// array.
        var waiters: [Waiter] = []
        /// Whether a value has arrived for the waiters, which `wake` has not resumed yet.
        var isWakeDue = false
        var onEnd: (@Sendable () -> Void)?

        /// Removes and returns the next value, or the end of the stream.
        mutating func takeNext() -> Step {
            if let value = values.takeFirst() { return .value(value) }
            guard let end else { return .wait }
            self.end = .finished
            return switch end {
            case .finished: .end
            case .failed(let error): .failure(error)
            }
        }
    }

    private enum End {
        case finished
        /// The error that one reader gets, after which the stream is finished.
        case failed(Failure)
    }

    private let limit: Int
    private let state: Lock<State>

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of values.
    ///   - onEnd: The closure to call once when the stream ends, for any reason.
    init(limit: Int, onEnd: @escaping @Sendable () -> Void) {
        self.limit = limit
        state = Lock(State(onEnd: onEnd))
    }

    // MARK: The host

    func append(_ value: Queue.Input) -> StreamOutcome {
        state.withLock { state in
            guard state.end == nil else { return .kept }
            guard state.values.count < limit else { return .dropped }
            state.values.append(value)
            guard !state.waiters.isEmpty, !state.isWakeDue else { return .kept }
            state.isWakeDue = true
            return .awaited
        }
    }

    /// Resumes the readers that wait.
    func wake() {
        let count = state.withLock { state in
            state.isWakeDue = false
            return state.waiters.count
        }
        for _ in 0..<count { resumeWaiter() }
    }

    /// Ends the stream with an error after the values that have arrived.
    func finish(throwing error: Failure) { end(with: .failed(error)) }

    func close() { end(with: .finished) }

    private func end(with end: End) {
        let (count, onEnd) = state.withLock { state in
            if state.end == nil { state.end = end }
            return (state.waiters.count, state.onEnd.take())
        }
        for _ in 0..<count { resumeWaiter() }
        onEnd?()
    }

    /// Resumes one reader after the lock is released, because the reader takes the lock at once.
    private func resumeWaiter() {
        state.withLock { $0.waiters.popLast() }?.resume()
    }

    // MARK: The reader

    func takeNext() throws(Failure) -> Queue.Element?? {
        switch state.withLock({ $0.takeNext() }) {
        case .value(let value): return value
        case .end: return .some(nil)
        case .failure(let error): throw error
        case .wait: return nil
        }
    }

    func resume(_ waiter: UnsafeContinuation<Void, Never>) {
        let isWaiting = state.withLock { state in
            guard state.values.count == 0, state.end == nil else { return false }
            state.waiters.append(waiter)
            return true
        }
        if !isWaiting { waiter.resume() }
    }

    private enum Step {
        case value(Queue.Element)
        case end
        case failure(Failure)
        case wait
    }
}

/// The result of appending a value to a `StreamBuffer`.
enum StreamOutcome {
    case kept
    /// The value was kept, and `wake` must be called.
    case awaited
    /// The buffer is full.
    case dropped
}

/// The reading end of a stream with a `StreamBuffer`.
///
/// The streams of the API read through a type that is not generic, and `next(isolation:)` is
/// inlined into the loop of the application, because each call of an asynchronous function asks the
/// runtime twice whether the task is on the right executor.
@usableFromInline
protocol StreamSource: AnyObject, Sendable {
    associatedtype Element: Sendable
    associatedtype Failure: Error

    /// Returns the next value, `.some(nil)` at the end of the stream, or `nil` if the reader must
    /// wait.
    func takeNext() throws(Failure) -> Element??

    /// Resumes a reader when there may be a value, or the stream has ended.
    func resume(_ waiter: UnsafeContinuation<Void, Never>)

    /// Ends the stream.
    func close()
}

extension StreamSource {
    /// Waits for the next value on the caller's actor. Ends the stream if the task is canceled.
    @inlinable
    @inline(__always)
    func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
        // While the task waits, the handler below ends the stream.
        if Task.isCancelled { close() }
        while true {
            if let next = try takeNext() { return next }
            await withTaskCancellationHandler {
                await withUnsafeContinuation(isolation: actor) { resume($0) }
            } onCancel: {
                close()
            }
        }
    }
}
