// SPDX-License-Identifier: Apache-2.0

/// The part that the streams of this module share: a descriptor that is read as soon as data
/// arrives, and written at the end of each turn of the event loop in which data was sent.
///
/// Subclasses read and write the data. The conformance is unchecked: only the executor's thread
/// accesses the mutable properties. Every entry point uses `executor.loop`, or checks the thread
/// itself, which traps on any other thread.
package class EventLoopStream: @unchecked Sendable {
    let executor: AdapterExecutor
    let name: String
    /// The descriptor, or `nil` once the stream is closed.
    final var descriptor: Descriptor?
    private final var isTurnEndAwaited = false
    private final var isWritableAwaited = false

    /// Creates a stream, which reads once it is started.
    init(_ descriptor: Descriptor?, name: String, executor: AdapterExecutor) {
        self.descriptor = descriptor
        self.name = name
        self.executor = executor
    }

    /// Starts to deliver received data.
    package final func start() {
        let loop = executor.loop
        guard let descriptor else { return }
        loop.watch(descriptor, readable: true, writable: false, self)
    }

    /// Writes as much pending data as possible, and closes the stream.
    package final func close() {
        precondition(executor.isCurrent, "closed outside of the adapter's thread")
        guard let descriptor else { return }
        _ = try? write(to: descriptor)
        end(nil)
    }

    /// Requests that the pending data is written at the end of the turn. Ends the stream if there
    /// is too much of it.
    final func writeAtTurnEnd(pendingByteCount: Int, limit: Int) {
        guard pendingByteCount <= limit else { return end(.outputOverflow(limit: limit)) }
        // While the descriptor is not writable, `poll` reports when to continue.
        guard !isTurnEndAwaited, !isWritableAwaited else { return }
        isTurnEndAwaited = true
        executor.loop.callAtTurnEnd(self)
    }

    final func end(_ error: TransportError?) {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        self.descriptor = nil
        // The method is not called directly, because the caller may be in the middle of sending.
        executor.perform { self.streamEnded(error) }
    }

    private final func fail(_ operation: String, _ error: SystemError) {
        end(transportError(operation, error))
    }

    // MARK: Methods of subclasses

    /// The maximum number of reads in one turn of the event loop.
    var readsPerTurnLimit: Int { 1 }

    /// Reads and delivers data once. Returns `false` if the stream has ended.
    func read(_ descriptor: Descriptor) throws(SystemError) -> Bool { false }

    /// Writes as much pending data as the descriptor accepts, and returns whether it accepted all
    /// of it.
    func write(to descriptor: Descriptor) throws(SystemError) -> Bool { true }

    /// Prepares the end of the stream after a write has failed.
    func writeFailed() {}

    /// Returns the error with which the stream ends after an operation has failed.
    func transportError(_ operation: String, _ error: SystemError) -> TransportError {
        error.transportError(operation, name: name)
    }

    /// Drops the pending data, and reports the end of the stream. Called exactly once, and last.
    func streamEnded(_ error: TransportError?) {}
}

extension EventLoopStream: DescriptorHandler {
    final func descriptorReady(readable: Bool, writable: Bool) {
        if writable, isWritableAwaited { flush() }
        guard readable else { return }
        // The receiver of the data may close the stream.
        var readsLeft = readsPerTurnLimit
        while readsLeft > 0, readOnce() { readsLeft -= 1 }
    }

    final func loopEnded() { close() }

    /// Reads and delivers data. Returns `false` if there was none or the stream has ended.
    final func readOnce() -> Bool {
        guard let descriptor else { return false }
        do throws(SystemError) {
            return try read(descriptor)
        } catch {
            if !error.isTemporary { fail("read from", error) }
            return false
        }
    }
}

extension EventLoopStream: TurnEndHandler {
    final func turnEnded() {
        isTurnEndAwaited = false
        flush()
    }

    private final func flush() {
        guard let descriptor else { return }
        do throws(SystemError) {
            let isWritten = try write(to: descriptor)
            guard isWritten == isWritableAwaited else { return }
            isWritableAwaited = !isWritten
            executor.loop.watch(descriptor, readable: true, writable: isWritableAwaited, self)
        } catch {
            writeFailed()
            fail("write to", error)
        }
    }
}
