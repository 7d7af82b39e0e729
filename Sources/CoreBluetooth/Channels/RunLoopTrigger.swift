// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation
import HCITransports

/// A trigger that calls a closure on the thread of a run loop after any thread has called `fire()`.
///
/// On Apple's platforms the source is a `CFRunLoopSource`. Foundation for Linux exports neither
/// `CFRunLoopSource` nor `CFRunLoopWakeUp`. It exports `RunLoop._Source`, made for XCTest, which
/// can be signaled but does not wake the run loop. Any thread can set the `fireDate` of a `Timer`,
/// and this wakes the timer's run loop. A trigger therefore has a source and timers. It signals the
/// source, and then sets the fire date of a timer that never fires.
///
/// As with any event source, a run loop keeps running while it has the trigger.
/// `RunLoop.run(mode:before:)` returns after the call of the closure, as on Apple's platforms.
///
/// The conformance is unchecked: the source's `signal` and the timers' `fireDate` take Core
/// Foundation's own locks, and the other variables are accessed under `state`.
final class RunLoopTrigger: StreamTrigger, @unchecked Sendable {
    private struct State {
        /// One timer for each mode: a timer can be removed from a run loop, but not from one of its
        /// modes.
        var timers: [RunLoop.Mode: MovableTimer] = [:]
        /// Whether `fire()` was called and the closure was not called since.
        var isPending = false
    }

    let loop: RunLoop
    private let source = TriggerSource()
    private let state = Lock(State())
    private let outsideWork: (any OutsideWork)?
    private let handler: () -> Void

    /// Creates a trigger that calls `handler` on the run loop's thread.
    ///
    /// - Parameter outsideWork: Receives the beginning of the work when the trigger fires, and its
    ///   end after the call or its cancellation.
    init(
        in loop: RunLoop,
        outsideWork: (any OutsideWork)? = nil,
        handler: @escaping () -> Void
    ) {
        self.loop = loop
        self.outsideWork = outsideWork
        self.handler = handler
        source.trigger = self
    }

    /// The modes in which the run loop has the trigger.
    var modes: Set<RunLoop.Mode> { state.withLock { Set($0.timers.keys) } }

    func add(in mode: RunLoop.Mode) {
        state.withLock { state in
            guard state.timers[mode] == nil else { return }
            loop._add(source, forMode: mode)
            let timer = MovableTimer()
            loop.add(timer.timer, forMode: mode)
            state.timers[mode] = timer
        }
    }

    /// Removes the trigger from a mode. Removing it from the last mode cancels a pending call.
    func take(from mode: RunLoop.Mode) {
        let isUndone = state.withLock { state in
            guard let timer = state.timers.removeValue(forKey: mode) else { return false }
            loop._remove(source, for: mode)
            timer.timer.invalidate()
            guard state.timers.isEmpty, state.isPending else { return false }
            state.isPending = false
            return true
        }
        if isUndone { outsideWork?.endOutsideWork() }
        retainDuringCall(in: mode)
    }

    func takeFromAll() {
        for mode in modes { take(from: mode) }
    }

    /// Requests a call of the closure. Any number of requests before the call cause one call.
    func fire() {
        state.withLock { state in
            guard !state.isPending, let timer = state.timers.first?.value else { return }
            state.isPending = true
            outsideWork?.beginOutsideWork()
            source.signal()
            // Moving any of the timers wakes the run loop.
            timer.move()
        }
    }

    fileprivate func callHandler() {
        let isPending = state.withLock { state in
            defer { state.isPending = false }
            return state.isPending
        }
        guard isPending else { return }
        handler()
        outsideWork?.endOutsideWork()
    }

    /// Retains the trigger until no call of its source can be in progress, with a block on the run
    /// loop's thread. A run loop does not retain a source that it is about to call.
    private func retainDuringCall(in mode: RunLoop.Mode) {
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
    private final class TriggerSource: RunLoop._Source {
        weak var trigger: RunLoopTrigger?

        init() {
            super.init(order: 0)
        }

        override func perform() {
            trigger?.callHandler()
        }
    }
#else
    private final class TriggerSource {
        weak var trigger: RunLoopTrigger?
        fileprivate private(set) var source: CFRunLoopSource?

        init() {
            var context = CFRunLoopSourceContext()
            context.info = Unmanaged.passUnretained(self).toOpaque()
            context.perform = { info in
                guard let info else { return }
                Unmanaged<TriggerSource>.fromOpaque(info).takeUnretainedValue().trigger?
                    .callHandler()
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
        fileprivate func _add(_ source: TriggerSource, forMode mode: RunLoop.Mode) {
            CFRunLoopAddSource(
                getCFRunLoop(),
                source.source,
                CFRunLoopMode(mode.rawValue as CFString)
            )
        }

        fileprivate func _remove(_ source: TriggerSource, for mode: RunLoop.Mode) {
            CFRunLoopRemoveSource(
                getCFRunLoop(),
                source.source,
                CFRunLoopMode(mode.rawValue as CFString)
            )
        }
    }
#endif
