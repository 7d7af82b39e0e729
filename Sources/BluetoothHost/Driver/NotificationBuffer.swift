// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// The values of a stream that its reader has not taken yet.
///
/// The host appends values on its thread, and wakes the readers once for all values of one input
/// (`wake`). A reader takes the values that have arrived without a suspension, on any thread. If
/// the reader keeps up, a value causes no allocation.
final class NotificationBuffer: Sendable {
    private typealias Waiter = UnsafeContinuation<Void, Never>

    private struct State {
        var values = NotificationQueue()
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
        case failed(any Error)
    }

    /// The result of appending a value.
    enum Outcome {
        case kept
        /// The value was kept, and `wake` must be called.
        case awaited
        /// The buffer is full.
        case dropped
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

    func append(_ value: ArraySlice<UInt8>) -> Outcome {
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
    func finish(throwing error: any Error) { end(with: .failed(error)) }

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

    private enum Step {
        case value([UInt8])
        case end
        case failure(any Error)
        case wait
    }

    /// Waits for the next value. See `NotificationStream.Iterator.next(isolation:)`.
    ///
    /// The method is inlined, because each call of an asynchronous function with an actor asks the
    /// runtime twice whether the task is on the right executor.
    @inline(__always)
    func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
        while true {
            if Task.isCancelled { close() }
            switch state.withLock({ $0.takeNext() }) {
            case .value(let value): return value
            case .end: return nil
            case .failure(let error): throw error
            case .wait: await wait(isolation: actor)
            }
        }
    }

    /// Waits until there may be a value, or the stream has ended.
    private func wait(isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation(isolation: actor) { waiter in
                let isWaiting = state.withLock { state in
                    guard state.values.isEmpty, state.end == nil else { return false }
                    state.waiters.append(waiter)
                    return true
                }
                if !isWaiting { waiter.resume() }
            }
        } onCancel: {
            close()
        }
    }
}
