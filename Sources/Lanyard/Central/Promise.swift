// SPDX-License-Identifier: Apache-2.0

/// The answer that a task waits for, given once: the first one counts.
final class Promise<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, AccessoryError>

    private enum Standing {
        case open
        case awaited(CheckedContinuation<Answer, Never>)
        case given(Answer)
        case taken
    }

    private let standing = Guarded(Standing.open)
    private let cancellation = Guarded<(@Sendable () -> Void)?>(nil)

    /// Has this called when the task that waits is cancelled before there is an answer.
    func onCancel(_ body: @escaping @Sendable () -> Void) {
        cancellation.change { $0 = body }
        // A cancellation that came before this has found nothing to call.
        if isOver { callOff() }
    }

    /// Whether there is an answer, so that nobody waits for another one.
    var isOver: Bool {
        standing.change { standing in
            switch standing {
            case .open, .awaited: false
            case .given, .taken: true
            }
        }
    }

    /// Calls what is to be called on a cancellation, once.
    private func callOff() {
        let body = cancellation.change { body in
            defer { body = nil }
            return body
        }
        body?()
    }

    /// Answers. False if there was an answer already.
    @discardableResult
    func give(_ answer: Answer) -> Bool {
        let (isFirst, waiting) = standing.change { standing in
            switch standing {
            case .open:
                standing = .given(answer)
                return (true, nil as CheckedContinuation<Answer, Never>?)
            case .awaited(let continuation):
                standing = .taken
                return (true, continuation)
            case .given, .taken: return (false, nil)
            }
        }
        waiting?.resume(returning: answer)
        return isFirst
    }

    /// Waits for the answer; `cancelled` at once when the task is.
    func wait() async throws(AccessoryError) -> Value {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { serve($0) }
        } onCancel: {
            guard give(.failure(.cancelled)) else { return }
            callOff()
        }
        return try answer.get()
    }

    private func serve(_ continuation: CheckedContinuation<Answer, Never>) {
        let given = standing.change { standing -> Answer? in
            guard case .given(let answer) = standing else {
                standing = .awaited(continuation)
                return nil
            }
            standing = .taken
            return answer
        }
        if let given { continuation.resume(returning: given) }
    }
}
