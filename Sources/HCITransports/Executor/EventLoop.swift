// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Told when its descriptor can be read or written.
protocol DescriptorHandler: AnyObject {
    /// A broken descriptor counts as both: the next call on it says what is wrong.
    func descriptorReady(readable: Bool, writable: Bool)

    /// The thread is about to end: nothing will be called any more. Who waits must be told.
    func loopEnded()
}

/// Called once at the end of a turn in which it asked for it.
protocol TurnEndHandler: AnyObject {
    func turnEnded()
}

/// What the adapter's thread waits for, and what it does between two waits.
///
/// Plain data of one thread: `AdapterExecutor` hands it out to that thread only.
final class EventLoop {
    /// The most that one read takes in.
    static let readLimit = 65_536

    /// Descriptors and their handlers, side by side, as `poll` wants the former.
    private var interests: [pollfd] = []
    private var handlers: [(any DescriptorHandler)?] = []
    private var hasVacancies = false

    private var armedTimers: [AdapterTimer] = []
    private var turnEndHandlers: [any TurnEndHandler] = []
    private var turnEndWork: [@Sendable () -> Void] = []

    /// Where every read of this thread goes first.
    private let readBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: readLimit,
        alignment: 16
    )

    deinit {
        readBuffer.deallocate()
    }

    // MARK: Descriptors

    /// Starts to tell `handler` that the descriptor can be read, and written if asked for.
    func watch(
        _ descriptor: Descriptor,
        readable: Bool,
        writable: Bool,
        _ handler: any DescriptorHandler
    ) {
        let events = (readable ? Int16(POLLIN) : 0) | (writable ? Int16(POLLOUT) : 0)
        if let index = index(of: descriptor) {
            interests[index].events = events
            handlers[index] = handler
        } else {
            interests.append(pollfd(fd: descriptor.number, events: events, revents: 0))
            handlers.append(handler)
        }
    }

    /// Forgets the descriptor. Its handler is not called again, not even in this turn.
    func unwatch(_ descriptor: Descriptor) {
        guard let index = index(of: descriptor) else { return }
        // The place stays until the turn ends: a dispatch may be walking over it.
        interests[index].fd = -1
        handlers[index] = nil
        hasVacancies = true
    }

    private func index(of descriptor: Descriptor) -> Int? {
        interests.firstIndex { $0.fd == descriptor.number }
    }

    /// Waits until a descriptor is ready or the time has come, and calls the handlers.
    ///
    /// - Parameter timeout: In milliseconds; 0 does not wait, -1 waits for ever.
    func poll(timeout: Int32) {
        removeVacancies()
        let count = interests.count
        let ready = interests.withUnsafeMutableBufferPointer { buffer in
            systemPoll(buffer.baseAddress, nfds_t(count), timeout)
        }
        guard ready > 0 else { return }
        for index in 0..<count {
            let events = Int32(interests[index].revents)
            guard events != 0, let handler = handlers[index] else { continue }
            let broken = events & (POLLERR | POLLHUP | POLLNVAL) != 0
            handler.descriptorReady(
                readable: broken || events & POLLIN != 0,
                writable: broken || events & POLLOUT != 0
            )
        }
    }

    private func removeVacancies() {
        guard hasVacancies else { return }
        hasVacancies = false
        interests.removeAll { $0.fd < 0 }
        handlers.removeAll { $0 == nil }
    }

    /// Reads once, up to `readLimit` bytes; empty at the end of the stream.
    ///
    /// The bytes are copied out of the thread's buffer into an array of their own size: packets may
    /// be slices of it for as long as anyone likes without keeping 64 KiB alive.
    func read(_ descriptor: Descriptor) throws(SystemError) -> [UInt8] {
        let count = systemRead(descriptor.number, readBuffer.baseAddress, readBuffer.count)
        guard count >= 0 else { throw .last }
        return [UInt8](readBuffer[..<count])
    }

    // MARK: Timers

    func arm(_ timer: AdapterTimer) {
        armedTimers.append(timer)
    }

    func disarm(_ timer: AdapterTimer) {
        armedTimers.removeAll { $0 === timer }
    }

    /// Fires every timer whose deadline has passed, and returns whether there was one.
    func fireTimers() -> Bool {
        guard !armedTimers.isEmpty else { return false }
        let now = SystemClock.monotonic
        guard armedTimers.contains(where: { $0.isDue(at: now) }) else { return false }
        let due = armedTimers.filter { $0.isDue(at: now) }.sorted { $0.isDue(before: $1) }
        for timer in due { timer.fire(at: now) }
        return true
    }

    /// How long `poll` may wait, in milliseconds, rounded up so that it does not wake too early.
    var millisecondsToNextTimer: Int32 {
        guard !armedTimers.isEmpty else { return -1 }
        let next = armedTimers.reduce(Instant(nanoseconds: .max)) { min($0, $1.deadline ?? $0) }
        let wait = (next - SystemClock.monotonic).nanoseconds
        guard wait > 0 else { return 0 }
        return Int32(clamping: (wait - 1) / 1_000_000 + 1)
    }

    // MARK: End of a turn

    /// Calls `handler` at the end of this turn. It must not ask again before it was called.
    func callAtTurnEnd(_ handler: any TurnEndHandler) {
        turnEndHandlers.append(handler)
    }

    func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
        turnEndWork.append(work)
    }

    /// Runs what was to run at the end: closures first, since they may send, then the writers.
    func endTurn() {
        if !turnEndWork.isEmpty {
            let work = turnEndWork
            turnEndWork.removeAll()
            for item in work { item() }
        }
        guard !turnEndHandlers.isEmpty else { return }
        var index = 0
        while index < turnEndHandlers.count {
            turnEndHandlers[index].turnEnded()
            index += 1
        }
        turnEndHandlers.removeAll(keepingCapacity: true)
    }

    /// Whether the end of the turn brought forth more for an end.
    var isTurnUnfinished: Bool { !turnEndHandlers.isEmpty || !turnEndWork.isEmpty }

    /// Whether it holds on to nothing.
    var isEmpty: Bool {
        interests.isEmpty && armedTimers.isEmpty && turnEndHandlers.isEmpty && turnEndWork.isEmpty
    }

    /// Tells everybody that the thread is about to end, and lets go of everything.
    func removeAll() {
        for handler in handlers { handler?.loopEnded() }
        // Held until the end, since what is freed may come back here from its `deinit`.
        let released = (handlers, armedTimers, turnEndHandlers, turnEndWork)
        interests = []
        handlers = []
        armedTimers = []
        turnEndHandlers = []
        turnEndWork = []
        withExtendedLifetime(released) {}
    }
}

/// The C function, where the method of the same name hides it.
private func systemPoll(
    _ interests: UnsafeMutablePointer<pollfd>?,
    _ count: nfds_t,
    _ timeout: Int32
) -> Int32 {
    poll(interests, count, timeout)
}

/// The same for the C function that reads from any kind of descriptor.
private func systemRead(_ number: Int32, _ place: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(number, place, count)
}
