// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The receiver of a descriptor's events.
protocol DescriptorHandler: AnyObject {
    /// Handles a descriptor that can be read or written. A descriptor with an error or a hang-up
    /// counts as readable and writable.
    func descriptorReady(readable: Bool, writable: Bool)

    /// Ends all operations that wait for an event, because the thread is about to end and no
    /// further event follows.
    func loopEnded()
}

/// An object that requests a call at the end of a turn of the executor (`AdapterExecutor`).
protocol TurnEndHandler: AnyObject {
    func turnEnded()
}

/// The event loop of an executor's thread. It waits for descriptors and timers, calls their
/// handlers, and runs the work at the end of each turn.
///
/// The event loop is not synchronized. `AdapterExecutor` permits access from its own thread only.
final class EventLoop {
    /// The maximum number of bytes in one read.
    static let readLimit = 65_536

    /// The maximum number of bytes that a read stores in an array that the next read uses again.
    static let reusedLength = 512

    /// The descriptors in the form that `poll` requires, and their handlers at the same indices.
    /// Accesses to the first array never overlap, because an access runs no other code than `poll`.
    @exclusivity(unchecked)
    private var interests: [pollfd] = []
    private var handlers: [(any DescriptorHandler)?] = []
    private var hasFreeSlots = false

    private let clock: @Sendable () -> Instant
    // Accesses to this array, to `turnEndHandlers` and to `turnEndWork` never overlap, because an
    // access only reads or moves elements, and releases none for the last time.
    @exclusivity(unchecked)
    private var armedTimers: [AdapterTimer] = []
    /// The soonest deadline of the timers. It is stored, because every turn needs it.
    private var nextDeadline: Instant?
    @exclusivity(unchecked)
    private var turnEndHandlers: [any TurnEndHandler] = []
    /// An empty array with the storage of the handlers of the last turn.
    private var calledHandlers: [any TurnEndHandler] = []
    @exclusivity(unchecked)
    private var turnEndWork: [@Sendable () -> Void] = []
    /// Whether there is work for the end of the turn. After `endTurn()`, this is work that was
    /// requested while `endTurn()` ran.
    private(set) var isTurnUnfinished = false

    /// The buffer for every read of this thread.
    private let readBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: readLimit,
        alignment: 16
    )

    init(clock: @escaping @Sendable () -> Instant) {
        self.clock = clock
    }

    deinit {
        readBuffer.deallocate()
    }

    // MARK: Descriptors

    /// Starts to call `handler` whenever the descriptor can be read or written, depending on the
    /// flags. Replaces an earlier request for the descriptor.
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

    /// Removes the descriptor. Its handler receives no further call, not even in this turn.
    func unwatch(_ descriptor: Descriptor) {
        guard let index = index(of: descriptor) else { return }
        // The element stays until the next poll, because a dispatch may be iterating over the
        // array.
        interests[index].fd = -1
        handlers[index] = nil
        hasFreeSlots = true
    }

    private func index(of descriptor: Descriptor) -> Int? {
        interests.firstIndex { $0.fd == descriptor.number }
    }

    /// Waits until a descriptor is ready or the timeout has passed, and calls the handlers.
    ///
    /// - Parameter timeout: The timeout in milliseconds. 0 does not wait, and -1 waits without
    ///   limit.
    func poll(timeout: Int32) {
        removeFreeSlots()
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

    private func removeFreeSlots() {
        guard hasFreeSlots else { return }
        hasFreeSlots = false
        interests.removeAll { $0.fd < 0 }
        handlers.removeAll { $0 == nil }
    }

    /// Reads once, up to `readLimit` bytes. The result is empty at the end of the stream.
    ///
    /// The bytes are copied from the thread's buffer to an array of their own size, so that a
    /// packet, which may be a slice of the array, does not keep 64 KiB in memory.
    func read(_ descriptor: Descriptor) throws(SystemError) -> [UInt8] {
        let count = systemRead(descriptor.number, readBuffer.baseAddress, readBuffer.count)
        guard count >= 0 else { throw .last }
        return [UInt8](readBuffer[..<count])
    }

    /// Reads once, up to `readLimit` bytes, into an array whose storage is used again if nothing
    /// else refers to it. The array is empty at the end of the stream. A read of more than
    /// `reusedLength` bytes gets an array of its own size.
    func read(_ descriptor: Descriptor, into bytes: inout [UInt8]) throws(SystemError) {
        let count = systemRead(descriptor.number, readBuffer.baseAddress, readBuffer.count)
        guard count >= 0 else { throw .last }
        if count <= Self.reusedLength {
            bytes.removeAll(keepingCapacity: true)
            bytes.reserveCapacity(Self.reusedLength)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: readBuffer[..<count]))
        } else {
            bytes = [UInt8](readBuffer[..<count])
        }
    }

    // MARK: Timers

    func arm(_ timer: AdapterTimer) {
        armedTimers.append(timer)
    }

    func disarm(_ timer: AdapterTimer) {
        armedTimers.removeAll { $0 === timer }
    }

    /// Finds the soonest deadline. A timer calls this when its deadline has changed.
    func deadlineChanged() {
        nextDeadline = armedTimers.reduce(nil) { earliest($0, $1.deadline) }
    }

    /// Fires every timer whose deadline has passed, and returns whether there was one.
    func fireTimers() -> Bool {
        guard let nextDeadline else { return false }
        let now = clock()
        guard nextDeadline <= now else { return false }
        let due = armedTimers.filter { $0.isDue(at: now) }.sorted { $0.isDue(before: $1) }
        for timer in due { timer.fire(at: now) }
        return true
    }

    /// The maximum wait for `poll` in milliseconds, rounded up so that it does not end too early;
    /// -1 if no timer has a deadline.
    var millisecondsToNextTimer: Int32 {
        guard let nextDeadline else { return -1 }
        let (wait, isOverflow) = nextDeadline.nanoseconds
            .subtractingReportingOverflow(clock().nanoseconds)
        guard !isOverflow else { return nextDeadline < .zero ? 0 : .max }
        guard wait > 0 else { return 0 }
        return Int32(clamping: (wait - 1) / 1_000_000 + 1)
    }

    // MARK: End of a turn

    /// Calls `handler` at the end of this turn. The handler must not request another call before
    /// this one has happened.
    func callAtTurnEnd(_ handler: any TurnEndHandler) {
        turnEndHandlers.append(handler)
        isTurnUnfinished = true
    }

    func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
        turnEndWork.append(work)
        isTurnUnfinished = true
    }

    /// Runs the work for the end of the turn: first the closures, which may send data, then the
    /// handlers, which write it, in the order of their requests.
    func endTurn() {
        guard isTurnUnfinished else { return }
        if !turnEndWork.isEmpty {
            let work = turnEndWork
            turnEndWork.removeAll()
            for item in work { item() }
        }
        while !turnEndHandlers.isEmpty {
            // The storage of the two arrays is used again. The handlers are released from the local
            // array, because a `deinit` may call the event loop again.
            var handlers = calledHandlers
            calledHandlers = []
            swap(&handlers, &turnEndHandlers)
            for handler in handlers { handler.turnEnded() }
            handlers.removeAll(keepingCapacity: true)
            calledHandlers = handlers
        }
        isTurnUnfinished = !turnEndWork.isEmpty
    }

    /// Whether the event loop has no descriptors, timers, handlers or work.
    var isEmpty: Bool {
        interests.isEmpty && armedTimers.isEmpty && turnEndHandlers.isEmpty && turnEndWork.isEmpty
    }

    /// Informs all handlers that the thread is about to end, and removes everything.
    func removeAll() {
        for handler in handlers { handler?.loopEnded() }
        // The references are kept until the end of the method, because a `deinit` may call the
        // event loop again.
        let released = (handlers, armedTimers, turnEndHandlers, turnEndWork)
        interests = []
        handlers = []
        armedTimers = []
        turnEndHandlers = []
        turnEndWork = []
        isTurnUnfinished = false
        deadlineChanged()
        withExtendedLifetime(released) {}
    }
}

/// Calls the C function, which the method of the same name hides.
private func systemPoll(
    _ interests: UnsafeMutablePointer<pollfd>?,
    _ count: nfds_t,
    _ timeout: Int32
) -> Int32 {
    poll(interests, count, timeout)
}

/// Calls the C function, which the method of the same name hides.
private func systemRead(_ number: Int32, _ place: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(number, place, count)
}
