// SPDX-License-Identifier: Apache-2.0

/// The elements that one subscriber has not yet taken.
///
/// Elements and continuations are used and released outside the lock, because that can call this
/// type again.
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

    /// The outcome of a call to `next()`: an element at once, or a wait.
    private enum Arrival {
        case element(Element?)
        case waiting
    }

    private let limit: Int
    private let contents = Locked(Contents())
    private let releaseHandler = Locked<(@Sendable () -> Void)?>(nil)

    init(limit: Int) {
        self.limit = limit
    }

    deinit { releaseHandler.change { $0 }?() }

    /// Sets a closure that runs when the mailbox is released.
    func onRelease(_ body: @escaping @Sendable () -> Void) {
        releaseHandler.change { $0 = body }
    }

    var droppedCount: Int { contents.change { $0.droppedCount } }

    /// The work that remains outside all locks after `put(_:)`: resuming a waiting task, and
    /// releasing a dropped element.
    struct Delivery: Sendable {
        fileprivate var waiter: Waiter?
        fileprivate let element: Element
        fileprivate var dropped: Element?

        var hasDropped: Bool { dropped != nil }

        func deliver() {
            waiter?.resume.resume(returning: element)
        }
    }

    /// Assigns an element to a waiting task. If no task waits, adds it to the elements, and drops
    /// the oldest one beyond the limit.
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

    /// Ends the mailbox. Elements that it already contains can still be taken.
    func end() {
        let waiters = contents.change { contents in
            contents.hasEnded = true
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume.resume(returning: nil) }
    }

    /// Waits for the next element; `nil` at the end, and at once if the task is canceled while no
    /// element waits.
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
        // A cancellation before the waiter was added does not find it. Therefore the task's state
        // is read here, and again after the waiter was added.
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
