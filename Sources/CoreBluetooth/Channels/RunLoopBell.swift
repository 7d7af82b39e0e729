// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation
import Synchronization

/// Has a stream's delegate called where the application wants it: on a run loop or a queue.
protocol StreamBell: AnyObject, Sendable {
    /// Requests a call. Can be called on any thread.
    func ring()
}

/// Calls a closure on the thread of a run loop after any thread has called `ring()`.
///
/// On Apple's platforms the source is a `CFRunLoopSource`.
/// Foundation for Linux does not export `CFRunLoopSource` and `CFRunLoopWakeUp`. It exports
/// `RunLoop._Source`, made for XCTest, which can be signaled but does not wake the run loop, and
/// `Timer`, whose `fireDate` can be set on any thread, which wakes the timer's run loop. A bell
/// therefore has a source, which it signals, and timers, whose fire dates it sets although they
/// never fire. As with any event source, the run loop runs while it has the bell, and
/// `RunLoop.run(mode:before:)` returns after the call, as on Apple's platforms.
///
/// - Note: Sendable though its parts are not marked so: the source's `signal` and the timers'
///   `fireDate` take Core Foundation's own locks, and everything else is done under `state`.
final class RunLoopBell: StreamBell, @unchecked Sendable {
    private struct State {
        /// One timer for each mode: a timer can be removed from a run loop, but not from one of its
        /// modes.
        var timers: [RunLoop.Mode: MovableTimer] = [:]
        /// Whether `ring()` was called and the closure was not called since.
        var isRung = false
    }

    let loop: RunLoop
    private let source = BellSource()
    private let state = Mutex(State())
    private let outsideWork: (any OutsideWork)?
    private let rung: () -> Void

    /// Makes a bell that calls `rung` on the run loop's thread.
    ///
    /// - Parameter outsideWork: Receives the beginning of the work when the bell is rung, and its
    ///   end after the call.
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

    /// The modes in which the run loop has the bell.
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

    /// Removes the bell from a mode. Removing it from the last mode cancels a pending call.
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

    /// Requests a call of the closure. Any number of requests before the call cause one call.
    func ring() {
        state.withLock { state in
            guard !state.isRung, let timer = state.timers.first?.value else { return }
            state.isRung = true
            outsideWork?.beginOutsideWork()
            source.signal()
            // Moving any of the timers wakes the run loop.
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

    /// A run loop does not retain a source that it is about to call. This block on the run loop's
    /// thread retains the bell until no such call can be in progress.
    private func outliveCall(in mode: RunLoop.Mode) {
        loop.perform(inModes: [mode]) { withExtendedLifetime(self) {} }
    }
}

/// A timer that only wakes its run loop, when its fire date is set.
///
/// Unchecked: other threads only set its `fireDate`, under Core Foundation's own lock.
private struct MovableTimer: @unchecked Sendable {
    let timer = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) {
        _ in
    }

    func move() {
        timer.fireDate = .distantFuture
    }
}

#if os(Linux)
    private final class BellSource: RunLoop._Source {
        weak var bell: RunLoopBell?

        init() {
            super.init(order: 0)
        }

        override func perform() {
            bell?.heard()
        }
    }
#else
    private final class BellSource {
        weak var bell: RunLoopBell?
        fileprivate private(set) var source: CFRunLoopSource?

        init() {
            var context = CFRunLoopSourceContext()
            context.info = Unmanaged.passUnretained(self).toOpaque()
            context.perform = { info in
                guard let info else { return }
                Unmanaged<BellSource>.fromOpaque(info).takeUnretainedValue().bell?.heard()
            }
            source = CFRunLoopSourceCreate(nil, 0, &context)
        }

        deinit {
            // The source must not call the released object.
            if let source { CFRunLoopSourceInvalidate(source) }
        }

        func signal() {
            if let source { CFRunLoopSourceSignal(source) }
        }
    }

    extension RunLoop {
        fileprivate func _add(_ source: BellSource, forMode mode: RunLoop.Mode) {
            CFRunLoopAddSource(
                getCFRunLoop(),
                source.source,
                CFRunLoopMode(mode.rawValue as CFString)
            )
        }

        fileprivate func _remove(_ source: BellSource, for mode: RunLoop.Mode) {
            CFRunLoopRemoveSource(
                getCFRunLoop(),
                source.source,
                CFRunLoopMode(mode.rawValue as CFString)
            )
        }
    }
#endif
