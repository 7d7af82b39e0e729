// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The driver of a channel, which passes events to a `MessageWire` and a `MessageExchange`, and
/// performs the resulting actions.
///
/// Unchecked: all mutable state is used on the transport's queue only. State that other threads
/// read is behind locks.
final class MessageEngine: @unchecked Sendable {
    typealias Ticket = MessageExchange.Ticket

    /// A call that waits for the end of a message or request.
    struct Call {
        /// A closure that returns whether a message without an envelope is the answer; `nil` if the
        /// call expects no answer.
        var accepts: (@Sendable (Data) -> Bool)?
        let finish: @Sendable (Result<Data, MessageError>) -> Void
    }

    /// A frame that is being sent.
    struct Frame {
        let ticket: Ticket?
        var rest: Data
        /// Whether a part of the frame was sent already.
        var hasBegun = false
        /// Whether the frame contains a message of the app.
        var isMessage = true
    }

    /// The processing of a request of the other side.
    struct Work {
        /// The task; `nil` until it has started.
        var task: Task<Void, Never>?
    }

    /// The time after which a greeting is repeated. A greeting is a frame with which the sealing
    /// begins a session. The side that waits for a greeting requests one after the same time.
    static let greetingInterval = Duration.seconds(2)
    /// The maximum number of greetings, or of requests for a greeting, without an answer.
    static let greetingLimit = 5
    /// The maximum number of frames of the sealing that wait to be sent. A further frame is
    /// dropped, and the other side must request it again.
    static let urgentLimit = 4

    let options: MessageChannelOptions
    let timekeeper: any Timekeeper
    let hub = Hub<MessageChannelEvent>()
    let transport: any MessageTransport
    private let state = Locked(Snapshot())

    /// The state that any thread can read.
    struct Snapshot {
        var statistics = MessageStatistics()
        var isLinked = false
        var lastNumber = 0
    }

    // State of the queue.
    var wire: MessageWire
    var exchange: MessageExchange
    var calls: [Ticket: Call] = [:]
    var readers: [MessageReader] = []
    /// The messages that arrived without a reader.
    var unread = FIFOQueue<Data>()
    var services: [MessageService] = []
    /// The requests that are being processed, by internal numbers.
    var work: [Int: Work] = [:]
    private var timer: (any TimekeeperTimer)?
    /// The frame that is being sent.
    private var frame: Frame?
    /// The ticket of the frame that was sent last.
    private var lastSent: Ticket?
    /// The frames of the sealing, which are sent before all messages.
    private var urgent: [Frame] = []
    /// The call that waits for new keys.
    var rotation: Rotation?
    private var isPumping = false
    private var greetings = 0
    /// Whether all greetings on this link had no answer so far. Until one arrives, no message can
    /// be sent.
    private var isUnanswered = false
    private var nextGreeting: Duration?
    private(set) var isLinked = false
    /// The number of the current link. Work with another number belongs to an earlier link.
    private(set) var link = 0
    private(set) var hasEnded = false
    /// The error of calls after the end.
    private var closing = MessageError.closed

    init(
        over transport: any MessageTransport,
        options: MessageChannelOptions,
        role: SealingRole,
        timekeeper: any Timekeeper
    ) {
        self.transport = transport
        self.options = options
        self.timekeeper = timekeeper
        wire = MessageWire(options, as: role)
        exchange = MessageExchange(
            limits: options.limits,
            firstID: options.firstID ?? .random(in: 1..<10_000)
        )
    }

    /// Starts the channel, on the queue.
    func start() {
        timer = timekeeper.makeTimer(on: transport.queue) { [weak self] in self?.wake() }
        transport.start { [weak self] in self?.receive($0) }
    }

    /// Performs work on the queue, after the work that already waits.
    func perform(_ work: @escaping @Sendable (MessageEngine) -> Void) {
        timekeeper.perform(on: transport.queue) { work(self) }
    }

    // MARK: Events of the transport

    private func receive(_ event: MessageTransportEvent) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        guard !hasEnded else { return }
        switch event {
        case .linked: linked()
        case .received(let chunk):
            let sessions = wire.sessionCount
            for arrival in wire.receive(chunk) { take(arrival) }
            keysChanged(since: sessions)
            if wire.isReady { isUnanswered = false }
            pump()
        case .hasRoom: pump()
        case .refused(let error): refused(error)
        case .unlinked(let error): unlinked(error)
        case .ended(let error):
            if let error = error as? AccessoryError, case .unknownCharacteristic = error {
                closing = .notSent("\(error)")
            }
            end(error.map { "\($0)" })
        }
    }

    private func linked() {
        if isLinked { unlinked(nil) }
        isLinked = true
        link += 1
        wire.link()
        (greetings, isUnanswered) = (0, false)
        report(.linked)
        switch wire.role {
        case .central: greet()
        case .peripheral: awaitGreeting()
        }
        pump()
    }

    private func unlinked(_ error: (any Error)?) {
        guard isLinked else { return }
        (isLinked, isUnanswered) = (false, false)
        loseLink(.disconnected)
        report(.unlinked(reason: error.map { "\($0)" }))
    }

    /// Fails everything that is in progress.
    private func loseLink(_ error: MessageError) {
        endRotation(error)
        wire.link()
        (frame, lastSent, urgent, nextGreeting) = (nil, nil, [], nil)
        for work in work.values { work.task?.cancel() }
        work = [:]
        failCalls(error)
    }

    /// Fails all calls, except those that may wait for the next link.
    private func failCalls(_ error: MessageError) {
        _ = exchange.linkLost(keepsQueue: waitsForLinks && error == .disconnected)
        let waiting = exchange.waiting
        let failed = calls.filter { !waiting.contains($0.key) }.sorted { $0.key < $1.key }
        for (ticket, _) in failed { calls[ticket] = nil }
        for (_, call) in failed { call.finish(.failure(error)) }
        setTimer()
    }

    private var waitsForLinks: Bool { options.whenUnlinked == .wait }

    /// Handles the refusal of the last chunk. The chunk did not arrive, so the other side cannot
    /// read its frame.
    private func refused(_ error: any Error) {
        let ticket: Ticket?
        if let frame, frame.hasBegun {
            ticket = frame.ticket
            self.frame = nil
        } else {
            ticket = lastSent
        }
        if let ticket { fail(ticket, .notSent("\(error)")) }
        pump()
    }

    /// Closes the channel permanently.
    func end(_ reason: String?) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        guard !hasEnded else { return }
        hasEnded = true
        isLinked = false
        loseLink(closing)
        transport.stop()
        report(.ended(reason: reason))
        for reader in readers { reader.end() }
        (readers, services, unread, timer) = ([], [], FIFOQueue(), nil)
        hub.end()
    }

    // MARK: Calls

    /// Starts a message or request. The call receives its result exactly once, at once or later.
    func begin(_ call: Call, _ ticket: Ticket, _ body: Data, timeout: Duration?) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        guard !hasEnded else { return call.finish(.failure(closing)) }
        guard isLinked || waitsForLinks else { return call.finish(.failure(.disconnected)) }
        guard !isUnanswered else { return call.finish(.failure(Self.unanswered)) }
        do throws(MessageError) {
            if let timeout {
                try exchange.ask(body, for: ticket, until: timekeeper.now + timeout)
            } else {
                try exchange.tell(body, for: ticket)
            }
            calls[ticket] = call
        } catch {
            return call.finish(.failure(error))
        }
        pump()
        setTimer()
    }

    /// Cancels a call whose task was canceled.
    func cancel(_ ticket: Ticket) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        fail(ticket, .cancelled)
        pump()
    }

    func fail(_ ticket: Ticket, _ error: MessageError) {
        exchange.withdraw(ticket)
        finish(ticket, .failure(error))
    }

    func finish(_ ticket: Ticket, _ result: Result<Data, MessageError>) {
        calls.removeValue(forKey: ticket)?.finish(result)
    }

    // MARK: Sending

    /// Sends frames as long as there are any and the transport has room.
    func pump() {
        guard !isPumping, isLinked else { return }
        isPumping = true
        defer { isPumping = false }
        while isLinked, let frame = frame ?? nextFrame() {
            // If the transport refuses the chunk during `send`, the refusal concerns this frame.
            self.frame = frame
            let chunk = frame.rest.prefix(max(transport.maximumChunk, 0))
            guard !chunk.isEmpty else { return }
            self.frame?.hasBegun = true
            guard transport.send(Data(chunk)) else {
                self.frame?.hasBegun = frame.hasBegun
                return
            }
            advance(by: chunk.count)
        }
    }

    private func advance(by count: Int) {
        // The transport may have reported the end of the link during `send`.
        guard var frame else { return }
        frame.rest = frame.rest.dropFirst(count)
        self.frame = frame.rest.isEmpty ? nil : frame
        guard frame.rest.isEmpty else { return }
        lastSent = frame.ticket
        guard frame.isMessage else { return }
        change { $0.statistics.sent += 1 }
        guard let ticket = frame.ticket, calls[ticket]?.accepts == nil else { return }
        finish(ticket, .success(Data()))
    }

    private func nextFrame() -> Frame? {
        if !urgent.isEmpty { return urgent.removeFirst() }
        guard wire.isReady else { return nil }
        while let outgoing = exchange.next() {
            guard let message = options.form.bytes(of: outgoing.envelope) else { continue }
            do throws(MessageError) {
                return Frame(ticket: outgoing.ticket, rest: try wire.encode(message))
            } catch {
                if let ticket = outgoing.ticket { fail(ticket, error) }
                replaceUnsent(outgoing.envelope, error)
            }
        }
        return nil
    }

    /// Replaces an answer that cannot be sent with a refusal.
    private func replaceUnsent(_ envelope: MessageEnvelope, _ error: MessageError) {
        guard case .answer(let id, _) = envelope else { return }
        let isTooLong = if case .tooLarge = error { true } else { false }
        let reason = isTooLong ? "the answer is too long" : "the answer cannot be encoded"
        exchange.reply(.refuse(id: id, reason))
    }

    func sendUrgently(_ bytes: Data) {
        guard !bytes.isEmpty, urgent.count < Self.urgentLimit else { return }
        urgent.append(Frame(ticket: nil, rest: bytes, isMessage: false))
    }

    // MARK: Time

    func setTimer() {
        let deadlines = [exchange.nextDeadline, nextGreeting].compactMap(\.self)
        timer?.set(to: deadlines.min())
    }

    private func wake() {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        for ticket in exchange.deadlinePassed(now: timekeeper.now) {
            finish(ticket, .failure(overdue))
        }
        if let nextGreeting, nextGreeting <= timekeeper.now { greet() }
        pump()
        setTimer()
    }

    /// The error of a request whose time is over. Without a session of the sealing, the request was
    /// not sent on this link.
    private var overdue: MessageError {
        guard isLinked else { return .disconnected }
        return !wire.isReady && greetings > 1 ? Self.unanswered : .timeout
    }

    private static let unanswered = MessageError.sealing("the other side does not answer")

    /// Sends a greeting if the sealing needs one, and repeats it until the other side answers or
    /// the limit is reached. At the limit, a rotation fails. If there is no session yet, all calls
    /// fail. If the other side answers later, messages are sent again.
    private func greet() {
        nextGreeting = nil
        guard isLinked, !wire.isReady || wire.isRotating else { return }
        guard greetings < Self.greetingLimit else {
            guard !wire.isReady else { return endRotation(Self.unanswered) }
            isUnanswered = true
            return failCalls(Self.unanswered)
        }
        greetings += 1
        if let greeting = try? wire.greeting() { sendUrgently(greeting) }
        awaitGreeting()
    }

    /// Schedules the next greeting if the sealing still waits for an answer.
    private func awaitGreeting() {
        guard !wire.isReady || wire.isRotating else { return }
        nextGreeting = timekeeper.now + Self.greetingInterval
        setTimer()
    }

    /// Sends a greeting, or the request for one, and repeats it from now on.
    func restartGreetings() {
        greetings = 0
        greet()
    }

    // MARK: Reports

    func report(_ event: MessageChannelEvent) {
        change {
            $0.statistics.count(event)
            $0.isLinked = isLinked
        }
        hub.send { event }
    }

    func change(_ body: (inout Snapshot) -> Void) {
        state.change(body)
    }

    /// The state that any thread can read.
    var snapshot: Snapshot { state.change { $0 } }

    /// Returns a new number, on any thread.
    func newNumber() -> Int {
        state.change { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }
}
