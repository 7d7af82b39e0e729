// SPDX-License-Identifier: Apache-2.0

/// What one listener has not taken yet.
///
/// Elements and continuations leave the lock before anything is done with them: what is let go of within
/// it could call back.
final class Mailbox<Element: Sendable>: Sendable {
    private struct Contents {
        var elements: [Element] = []
        var waiters: [Waiter] = []
        var hasEnded = false
        var droppedCount = 0
        var lastWaiter = 0
    }

    fileprivate struct Waiter: Sendable {
        let number: Int
        let resume: CheckedContinuation<Element?, Never>
    }

    /// Whether somebody waits, and for what; or what there is at once.
    private enum Arrival {
        case element(Element?)
        case waiting
    }

    private let limit: Int
    private let contents = Guarded(Contents())
    private let left = Guarded<(@Sendable () -> Void)?>(nil)

    init(limit: Int) {
        self.limit = limit
    }

    deinit { left.change { $0 }?() }

    /// Has this called when nobody has the mailbox any more.
    func onLeave(_ body: @escaping @Sendable () -> Void) {
        left.change { $0 = body }
    }

    var droppedCount: Int { contents.change { $0.droppedCount } }

    /// What is left to do outside of all locks after one was put in: to call who waits, and to let go of
    /// the one that had to go for it.
    struct Delivery: Sendable {
        fileprivate var waiter: Waiter?
        fileprivate let element: Element
        fileprivate var dropped: Element?

        var hasDropped: Bool { dropped != nil }

        func deliver() {
            waiter?.resume.resume(returning: element)
        }
    }

    /// Puts one in, or gives it to who waits.
    func put(_ element: Element) -> Delivery {
        contents.change { contents in
            var delivery = Delivery(element: element)
            guard !contents.hasEnded else { return delivery }
            guard contents.waiters.isEmpty else {
                delivery.waiter = contents.waiters.removeFirst()
                return delivery
            }
            contents.elements.append(element)
            guard contents.elements.count > limit else { return delivery }
            contents.droppedCount += 1
            delivery.dropped = contents.elements.removeFirst()
            return delivery
        }
    }

    /// No more comes. What is there can still be taken.
    func end() {
        let waiters = contents.change { contents in
            contents.hasEnded = true
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume.resume(returning: nil) }
    }

    /// The next; nil at the end, and at once when the task is cancelled.
    func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
        let number = contents.change { contents in
            contents.lastWaiter += 1
            return contents.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait(Waiter(number: number, resume: $0)) }
        } onCancel: {
            leave(number)
        }
    }

    private func wait(_ waiter: Waiter) {
        // A cancellation before this finds no waiter; one after it does.
        let isCancelled = Task.isCancelled
        let arrival = contents.change { contents -> Arrival in
            guard contents.elements.isEmpty else {
                return .element(contents.elements.removeFirst())
            }
            guard !contents.hasEnded, !isCancelled else { return .element(nil) }
            contents.waiters.append(waiter)
            return .waiting
        }
        if case .element(let element) = arrival { waiter.resume.resume(returning: element) }
        if Task.isCancelled { leave(waiter.number) }
    }

    private func leave(_ number: Int) {
        let waiter = contents.change { contents -> Waiter? in
            guard let index = contents.waiters.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            return contents.waiters.remove(at: index)
        }
        waiter?.resume.resume(returning: nil)
    }
}
