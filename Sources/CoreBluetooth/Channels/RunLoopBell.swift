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
///   `fireDate` take Core Foundation's own locks, and everything else is done under `parts`.
final class RunLoopBell: @unchecked Sendable {
    let loop: RunLoop
    private let source: BellSource
    /// One timer for each mode: a timer can leave a run loop, but not one of its modes.
    private let timers = Mutex<[RunLoop.Mode: MovableTimer]>([:])

    /// Makes a bell that calls `rung`, always on the run loop's thread.
    init(in loop: RunLoop, rung: @escaping () -> Void) {
        self.loop = loop
        source = BellSource(rung: rung)
    }

    /// The modes in which the run loop hears the bell.
    var modes: Set<RunLoop.Mode> { timers.withLock { Set($0.keys) } }

    func hang(in mode: RunLoop.Mode) {
        timers.withLock { timers in
            guard timers[mode] == nil else { return }
            loop._add(source, forMode: mode)
            let timer = MovableTimer()
            loop.add(timer.timer, forMode: mode)
            timers[mode] = timer
        }
    }

    /// The run loop does not hear the bell in this mode any more.
    func take(from mode: RunLoop.Mode) {
        timers.withLock { timers in
            guard let timer = timers.removeValue(forKey: mode) else { return }
            loop._remove(source, for: mode)
            timer.timer.invalidate()
        }
        outliveCall()
    }

    func takeFromAll() {
        for mode in modes { take(from: mode) }
    }

    /// Has the owner called soon, once for any number of rings until then.
    func ring() {
        source.signal()
        // Whichever timer is moved wakes the run loop.
        timers.withLock { $0.first?.value.move() }
    }

    /// A run loop does not retain a source that it is about to call: it gets a reference of its own
    /// here, which it lets go of on its thread, where no such call can be under way.
    private func outliveCall() {
        loop.perform { withExtendedLifetime(self) {} }
    }
}

/// A timer that wakes its run loop when it is moved, and does nothing else.
private struct MovableTimer: @unchecked Sendable {
    let timer = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) {
        _ in
    }

    func move() {
        timer.fireDate = .distantFuture
    }
}

private final class BellSource: RunLoop._Source {
    private let rung: () -> Void

    init(rung: @escaping () -> Void) {
        self.rung = rung
        super.init(order: 0)
    }

    override func perform() {
        rung()
    }
}
