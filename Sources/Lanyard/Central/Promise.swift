// SPDX-License-Identifier: Apache-2.0

/// The result that one task waits for. Only the first result counts.
final class Promise<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, AccessoryError>

    private enum State {
        case open
        case awaited(CheckedContinuation<Answer, Never>)
        case completed(Answer)
        case taken
    }

    private let state = Locked(State.open)
    private let cancellation = Locked<(@Sendable () -> Void)?>(nil)

    /// Sets a closure that runs if the waiting task is canceled before there is a result, or at
    /// once if there is a result already.
    func onCancel(_ body: @escaping @Sendable () -> Void) {
        cancellation.change { $0 = body }
        // If the task was canceled before this call, there was no closure to call.
        if isOver { callCancellation() }
    }

    /// Whether there is a result, so that no further one is needed.
    var isOver: Bool {
        state.change { state in
            switch state {
            case .open, .awaited: false
            case .completed, .taken: true
            }
        }
    }

    /// Calls the cancellation closure at most once.
    private func callCancellation() {
        let body = cancellation.change { body in
            defer { body = nil }
            return body
        }
        body?()
    }

    /// Sets the result. Returns `false` if there already was one.
    @discardableResult
    func complete(_ answer: Answer) -> Bool {
        let (isFirst, waiting) = state.change { state in
            switch state {
            case .open:
                state = .completed(answer)
                return (true, nil as CheckedContinuation<Answer, Never>?)
            case .awaited(let continuation):
                state = .taken
                return (true, continuation)
            case .completed, .taken: return (false, nil)
            }
        }
        waiting?.resume(returning: answer)
        return isFirst
    }

    /// Waits for the result; throws `cancelled` at once when the task is canceled.
    func wait() async throws(AccessoryError) -> Value {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { serve($0) }
        } onCancel: {
            guard complete(.failure(.cancelled)) else { return }
            callCancellation()
        }
        return try answer.get()
    }

    private func serve(_ continuation: CheckedContinuation<Answer, Never>) {
        let completed = state.change { state -> Answer? in
            guard case .completed(let answer) = state else {
                state = .awaited(continuation)
                return nil
            }
            state = .taken
            return answer
        }
        if let completed { continuation.resume(returning: completed) }
    }
}
