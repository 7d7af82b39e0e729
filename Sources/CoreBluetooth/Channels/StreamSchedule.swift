// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The run loops of a stream, on which its delegate receives events.
///
/// Each call of a run loop reports one event, so that the run loop's other sources are served
/// between events.
///
/// - Note: Sendable though a stream and its delegate are not: they are only called on the run loops
///   that the application chose, as Foundation documents for streams. The variables are accessed
///   under `lock`.
final class StreamSchedule: @unchecked Sendable {
    private let pipe: ChannelPipe
    private let side: ChannelBuffers.Side
    private let lock = NSLock()
    private weak var stream: Stream?
    private weak var recipient: (any StreamDelegate)?
    /// One bell for each run loop.
    private var bells: [RunLoopBell] = []

    init(pipe: ChannelPipe, side: ChannelBuffers.Side) {
        self.pipe = pipe
        self.side = side
    }

    deinit {
        for bell in bells { takeDown(bell) }
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

    func schedule(_ stream: Stream, in loop: RunLoop, mode: RunLoop.Mode) {
        let (bell, isNew) = lock.withLock {
            self.stream = stream
            if let bell = bells.first(where: { $0.loop === loop }) { return (bell, false) }
            let bell = RunLoopBell(in: loop, outsideWork: pipe.engine) { [weak self] in
                self?.tell()
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

    /// Removes the stream from all run loops. A closed stream reports no events, and keeps no run
    /// loop running.
    func end() {
        let bells = lock.withLock {
            defer { self.bells = [] }
            return self.bells
        }
        for bell in bells { takeDown(bell) }
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
    private func tell() {
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
