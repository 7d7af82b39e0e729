// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The run loops of a stream, or its dispatch queue, on which its delegate receives events.
///
/// Each call of a run loop or block of the queue reports one event, so that the other sources of
/// the run loop and the other blocks are served between events.
///
/// - Note: Sendable though a stream and its delegate are not: they are only called on the run loops
///   or the queue that the application chose, as Foundation documents for streams. The variables
///   are accessed under `lock`.
final class StreamSchedule: @unchecked Sendable {
    private let pipe: ChannelPipe
    private let side: ChannelBuffers.Side
    private let lock = NSLock()
    private weak var stream: Stream?
    private weak var recipient: (any StreamDelegate)?
    /// One bell for each run loop.
    private var bells: [RunLoopBell] = []
    /// The bell of the dispatch queue. `nil` while the stream has run loops or nothing.
    private var queueBell: QueueBell?

    init(pipe: ChannelPipe, side: ChannelBuffers.Side) {
        self.pipe = pipe
        self.side = side
    }

    deinit {
        for bell in bells { takeDown(bell) }
        if let queueBell { takeDown(queueBell) }
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
        let (bell, isNew) = lock.withLock {
            self.stream = stream
            if let bell = bells.first(where: { $0.loop === loop }) { return (bell, false) }
            let bell = RunLoopBell(in: loop, outsideWork: pipe.engine) { [weak self] in
                self?.reportNextEvent()
            }
            bells.append(bell)
            return (bell, true)
        }
        bell.hang(in: mode)
        if isNew { pipe.hang(bell, for: side) } else { bell.ring() }
    }

    func remove(from loop: RunLoop, mode: RunLoop.Mode) {
        let bell = lock.withLock { bells.first { $0.loop === loop } }
        guard let bell else { return }
        bell.take(from: mode)
        guard bell.modes.isEmpty else { return }
        lock.withLock { bells.removeAll { $0 === bell } }
        takeDown(bell)
    }

    /// Reports events on a queue, and no longer in run loops. `nil` ends the events.
    func setQueue(_ queue: DispatchQueue?, of stream: Stream) {
        end()
        guard let queue else { return }
        lock.withLock { self.stream = stream }
        let bell = QueueBell(on: queue, outsideWork: pipe.engine) { [weak self] in
            self?.reportNextEvent()
        }
        replaceQueue(by: bell)
        pipe.hang(bell, for: side)
    }

    /// Removes the stream from its run loops and its queue. A closed stream reports no events, and
    /// keeps no run loop running.
    func end() {
        let bells = lock.withLock {
            defer { self.bells = [] }
            return self.bells
        }
        for bell in bells { takeDown(bell) }
        replaceQueue(by: nil)
    }

    private func replaceQueue(by bell: QueueBell?) {
        let former = lock.withLock {
            defer { queueBell = bell }
            return queueBell
        }
        if let former { takeDown(former) }
    }

    private func takeDown(_ bell: QueueBell) {
        pipe.takeDown(bell, for: side)
        bell.end()
    }

    private func takeDown(_ bell: RunLoopBell) {
        pipe.takeDown(bell, for: side)
        bell.takeFromAll()
    }

    private var addressee: (stream: Stream, delegate: any StreamDelegate)? {
        lock.lock()
        defer { lock.unlock() }
        guard let stream, let recipient else { return nil }
        return (stream, recipient)
    }

    /// Reports the next event. If another one is due, the change rings the bell again.
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
