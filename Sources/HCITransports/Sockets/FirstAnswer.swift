// SPDX-License-Identifier: Apache-2.0

/// A value that several callers may provide and one task awaits. Only the first value counts.
final class FirstAnswer<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Answer, Never>)
        case answered(Answer)
    }

    private let state = Lock(State.open)

    /// Provides an answer, unless there is one already.
    ///
    /// - Returns: Whether this is the first answer.
    @discardableResult
    func give(_ answer: Answer) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            let previous = state
            switch previous {
            case .answered: return (false, nil as CheckedContinuation<Answer, Never>?)
            case .open:
                state = .answered(answer)
                return (true, nil)
            case .awaited(let waiter):
                state = .answered(answer)
                return (true, waiter)
            }
        }
        waiter?.resume(returning: answer)
        return isFirst
    }

    /// The first answer, as soon as it exists. Only one task may request it.
    var value: Answer {
        get async {
            await withCheckedContinuation { continuation in
                let answer: Answer? = state.withLock { state in
                    if case .answered(let answer) = state { return answer }
                    state = .awaited(continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        }
    }
}
