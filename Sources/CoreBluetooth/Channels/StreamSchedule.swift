// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Dispatch
import Foundation

/// The run loops or the dispatch queue on which a stream's delegate receives events.
///
/// Each call by a run loop, and each block on the queue, reports at most one event, so that the
/// other sources of the run loop and the other blocks are served between events.
///
/// The conformance is unchecked: a stream and its delegate are not Sendable, but are called only on
/// the run loops or the queue that the app chose, as Foundation documents for streams. The
/// variables are accessed under `lock`.
final class StreamSchedule: @unchecked Sendable {
    private let pipe: ChannelPipe
    private let side: ChannelBuffers.Side
    private let lock = NSLock()
    private weak var stream: Stream?
    private weak var recipient: (any StreamDelegate)?
    /// One trigger for each run loop.
    private var triggers: [RunLoopTrigger] = []
    /// The trigger of the dispatch queue; `nil` while the stream has no queue.
    private var queueTrigger: QueueTrigger?

    init(pipe: ChannelPipe, side: ChannelBuffers.Side) {
        self.pipe = pipe
        self.side = side
    }

    deinit {
        for trigger in triggers { takeDown(trigger) }
        if let queueTrigger { takeDown(queueTrigger) }
    }

    /// The delegate. Held weakly, like any stream's delegate.
    var delegate: (any StreamDelegate)? {
        get { lock.withLock { recipient } }
        set {
            lock.withLock { recipient = newValue }
            // Reports events that were due while there was no delegate.
            pipe.change { _ in }
        }
    }

    /// Reports events in a run loop, and no longer on a queue.
    func schedule(_ stream: Stream, in loop: RunLoop, mode: RunLoop.Mode) {
        replaceQueue(by: nil)
        let (trigger, isNew) = lock.withLock {
            self.stream = stream
            if let trigger = triggers.first(where: { $0.loop === loop }) { return (trigger, false) }
            let trigger = RunLoopTrigger(in: loop, outsideWork: pipe.engine) { [weak self] in
                self?.reportNextEvent()
            }
            triggers.append(trigger)
            return (trigger, true)
        }
        trigger.add(in: mode)
        if isNew { pipe.addTrigger(trigger, for: side) } else { trigger.fire() }
    }

    func remove(from loop: RunLoop, mode: RunLoop.Mode) {
        let trigger = lock.withLock { triggers.first { $0.loop === loop } }
        guard let trigger else { return }
        trigger.take(from: mode)
        guard trigger.modes.isEmpty else { return }
        lock.withLock { triggers.removeAll { $0 === trigger } }
        takeDown(trigger)
    }

    /// Reports events on a queue, and no longer in run loops. `nil` ends the events.
    func setQueue(_ queue: DispatchQueue?, of stream: Stream) {
        end()
        guard let queue else { return }
        lock.withLock { self.stream = stream }
        let trigger = QueueTrigger(on: queue, outsideWork: pipe.engine) { [weak self] in
            self?.reportNextEvent()
        }
        replaceQueue(by: trigger)
        pipe.addTrigger(trigger, for: side)
    }

    /// Removes the stream from its run loops and its queue. A closed stream reports no events, and
    /// keeps no run loop running.
    func end() {
        let triggers = lock.withLock {
            defer { self.triggers = [] }
            return self.triggers
        }
        for trigger in triggers { takeDown(trigger) }
        replaceQueue(by: nil)
    }

    private func replaceQueue(by trigger: QueueTrigger?) {
        let former = lock.withLock {
            defer { queueTrigger = trigger }
            return queueTrigger
        }
        if let former { takeDown(former) }
    }

    private func takeDown(_ trigger: QueueTrigger) {
        pipe.takeDown(trigger, for: side)
        trigger.end()
    }

    private func takeDown(_ trigger: RunLoopTrigger) {
        pipe.takeDown(trigger, for: side)
        trigger.takeFromAll()
    }

    private var addressee: (stream: Stream, delegate: any StreamDelegate)? {
        lock.lock()
        defer { lock.unlock() }
        guard let stream, let recipient else { return nil }
        return (stream, recipient)
    }

    /// Reports the next event. If another one is due, the change fires the trigger again.
    private func reportNextEvent() {
        guard let (stream, delegate) = addressee else { return }
        let side = side
        guard let event = pipe.change({ $0.nextEvent(of: side) }) else { return }
        delegate.stream(stream, handle: Stream.Event(event))
    }
}

extension Stream.Event {
    fileprivate init(_ event: ChannelBuffers.Event) {
        self =
            switch event {
            case .openCompleted: .openCompleted
            case .hasBytesAvailable: .hasBytesAvailable
            case .hasSpaceAvailable: .hasSpaceAvailable
            case .errorOccurred: .errorOccurred
            case .endEncountered: .endEncountered
            }
    }
}
