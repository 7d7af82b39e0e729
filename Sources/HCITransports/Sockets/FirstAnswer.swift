// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A result that several callers may provide, and of which the first is used by one task.
final class FirstAnswer<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Answer, Never>)
        case answered(Answer)
    }

    private let state = Mutex(State.open)

    /// Provides an answer, unless there is one already.
    func give(_ answer: Answer) {
        let waiter: CheckedContinuation<Answer, Never>? = state.withLock { state in
            switch state {
            case .answered: return nil
            case .open:
                state = .answered(answer)
                return nil
            case .awaited(let waiter):
                state = .answered(answer)
                return waiter
            }
        }
        waiter?.resume(returning: answer)
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
