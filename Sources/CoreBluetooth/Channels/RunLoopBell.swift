// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Calls its owner on the thread of a run loop whenever somebody, on whatever thread, rings it.
///
/// Foundation for Linux keeps `CFRunLoopSource` and `CFRunLoopWakeUp` to itself. What it has of
/// them under public names is `RunLoop._Source`, made for XCTest, which is signalled but wakes
/// nobody; and `Timer`, whose `fireDate` can be set from any thread, and wakes the run loop that
/// the timer is in. So a bell is a source that is signalled, and beside it a timer that never fires
/// but is moved. As with any source of events, the run loop runs as long as it has the bell, and
/// `RunLoop.run(mode:before:)` returns after the call, as it does on Apple's platforms.
///
/// - Note: Sendable though its parts are not marked so: the source's `signal` and the timer's
///   `fireDate` take Core Foundation's own locks, and everything else is done under `state`.
final class RunLoopBell: @unchecked Sendable {
    private struct State {
        /// One timer for each mode: a timer can leave a run loop, but not one of its modes.
        var timers: [RunLoop.Mode: MovableTimer] = [:]
        /// Whether it was rung and has not been heard.
        var isRung = false
    }

    let loop: RunLoop
    private let source = BellSource()
    private let state = Mutex(State())
    private let outsideWork: (any OutsideWork)?
    private let rung: () -> Void

    /// Makes a bell that calls `rung`, always on the run loop's thread.
    ///
    /// - Parameter outsideWork: what is told that there is work from the ring to the end of the call.
    init(
        in loop: RunLoop,
        outsideWork: (any OutsideWork)? = nil,
        rung: @escaping () -> Void
    ) {
        self.loop = loop
        self.outsideWork = outsideWork
        self.rung = rung
        source.bell = self
    }

    /// The modes in which the run loop hears the bell.
    var modes: Set<RunLoop.Mode> { state.withLock { Set($0.timers.keys) } }

    func hang(in mode: RunLoop.Mode) {
        state.withLock { state in
            guard state.timers[mode] == nil else { return }
            loop._add(source, forMode: mode)
            let timer = MovableTimer()
            loop.add(timer.timer, forMode: mode)
            state.timers[mode] = timer
        }
    }

    /// The run loop does not hear the bell in this mode any more; in none, what was rung is undone.
    func take(from mode: RunLoop.Mode) {
        let isUndone = state.withLock { state in
            guard let timer = state.timers.removeValue(forKey: mode) else { return false }
            loop._remove(source, for: mode)
            timer.timer.invalidate()
            guard state.timers.isEmpty, state.isRung else { return false }
            state.isRung = false
            return true
        }
        if isUndone { outsideWork?.endOutsideWork() }
        outliveCall(in: mode)
    }

    func takeFromAll() {
        for mode in modes { take(from: mode) }
    }

    /// Has the owner called soon, once for any number of rings until then.
    func ring() {
        state.withLock { state in
            guard !state.isRung, let timer = state.timers.first?.value else { return }
            state.isRung = true
            outsideWork?.beginOutsideWork()
            source.signal()
            // Whichever timer is moved wakes the run loop.
            timer.move()
        }
    }

    fileprivate func heard() {
        let isRung = state.withLock { state in
            defer { state.isRung = false }
            return state.isRung
        }
        guard isRung else { return }
        rung()
        outsideWork?.endOutsideWork()
    }

    /// A run loop does not retain a source that it is about to call: it gets a reference of its own
    /// here, which it lets go of on its thread, where no such call can be under way.
    private func outliveCall(in mode: RunLoop.Mode) {
        loop.perform(inModes: [mode]) { withExtendedLifetime(self) {} }
    }
}

/// A timer that wakes its run loop when it is moved, and does nothing else.
///
/// Unchecked: from other threads only its `fireDate` is set, under Core Foundation's own lock.
private struct MovableTimer: @unchecked Sendable {
    let timer = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) {
        _ in
    }

    func move() {
        timer.fireDate = .distantFuture
    }
}

private final class BellSource: RunLoop._Source {
    weak var bell: RunLoopBell?

    init() {
        super.init(order: 0)
    }

    override func perform() {
        bell?.heard()
    }
}
