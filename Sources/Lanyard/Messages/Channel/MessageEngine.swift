// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Drives a channel: lets the values that decide know what happens, and does what they say.
///
/// Unchecked: all that changes is touched on the transport's queue only, which every entry checks. What
/// others may look at from elsewhere stands behind locks.
final class MessageEngine: @unchecked Sendable {
    typealias Ticket = MessageExchange.Ticket

    /// Who waits for the end of a message or request.
    struct Call {
        /// Whether a message that is in no envelope is the answer; nil where no answer is expected.
        var accepts: (@Sendable (Data) -> Bool)?
        let finish: @Sendable (Result<Data, MessageError>) -> Void
    }

    /// A frame on its way to the link.
    struct Frame {
        let ticket: Ticket?
        var rest: Data
        /// Whether some of it was sent already.
        var hasBegun = false
        /// Whether it holds a message of the application's.
        var isMessage = true
    }

    /// Work on a request of the other side.
    struct Work {
        /// Nil until it has begun.
        var task: Task<Void, Never>?
    }

    /// How long the other side has to answer a greeting, and how often it is greeted. As long does the side
    /// that is greeted wait for that before it asks for it, as often.
    static let greetingInterval = Duration.seconds(2)
    static let greetingLimit = 5
    /// How many frames of sealing's own wait at most; of more, the other side has to ask again.
    static let urgentLimit = 4

    let options: MessageChannelOptions
    let timekeeper: any Timekeeper
    let hub = Hub<MessageChannelEvent>()
    let transport: any MessageTransport
    private let mirror = Guarded(Mirror())

    /// What can be asked from anywhere.
    struct Mirror {
        var statistics = MessageStatistics()
        var isLinked = false
        var lastNumber = 0
    }

    // On the queue.
    var wire: MessageWire
    var exchange: MessageExchange
    var calls: [Ticket: Call] = [:]
    var readers: [MessageReader] = []
    /// What came while nobody read.
    var unread = WaitingLine<Data>()
    var services: [MessageService] = []
    /// The requests that are worked on, by numbers of ours.
    var work: [Int: Work] = [:]
    private var timer: (any TimekeeperTimer)?
    /// The frame that is being sent.
    private var frame: Frame?
    /// Whose frame was sent before that.
    private var lastSent: Ticket?
    /// Frames that go before all messages: those that sealing needs.
    private var urgent: [Frame] = []
    private var isPumping = false
    private var greetings = 0
    /// Whether all greetings were in vain: nothing can be sent over this link.
    private var isUnanswered = false
    private var nextGreeting: Duration?
    private(set) var isLinked = false
    /// Counts links, so that what belongs to one that is gone can be told.
    private(set) var link = 0
    private(set) var hasEnded = false

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

    /// Begins, on the queue.
    func start() {
        timer = timekeeper.makeTimer(on: transport.queue) { [weak self] in self?.wake() }
        transport.start { [weak self] in self?.receive($0) }
    }

    /// Does something on the queue, behind what is there.
    func perform(_ work: @escaping @Sendable (MessageEngine) -> Void) {
        timekeeper.perform(on: transport.queue) { work(self) }
    }

    // MARK: What the transport says

    private func receive(_ event: MessageTransportEvent) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        guard !hasEnded else { return }
        switch event {
        case .linked: linked()
        case .received(let chunk):
            for arrival in wire.receive(chunk) { take(arrival) }
            if wire.isReady { isUnanswered = false }
            pump()
        case .hasRoom: pump()
        case .refused(let error): refused(error)
        case .unlinked(let error): unlinked(error)
        case .ended(let error): end(error.map { "\($0)" })
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

    /// What was under way fails.
    private func loseLink(_ error: MessageError) {
        wire.link()
        (frame, lastSent, urgent, nextGreeting) = (nil, nil, [], nil)
        for work in work.values { work.task?.cancel() }
        work = [:]
        failCalls(error)
    }

    /// All fail, but those in line if they may wait for another link.
    private func failCalls(_ error: MessageError) {
        _ = exchange.linkLost(keepsLine: waitsForLinks && error == .disconnected)
        let waiting = exchange.waiting
        let failed = calls.filter { !waiting.contains($0.key) }.sorted { $0.key < $1.key }
        for (ticket, _) in failed { calls[ticket] = nil }
        for (_, call) in failed { call.finish(.failure(error)) }
        setTimer()
    }

    private var waitsForLinks: Bool { options.whenUnlinked == .wait }

    /// The chunk that was sent last did not arrive, so that the other side cannot make anything of
    /// the frame.
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

    /// Ends it for good.
    func end(_ reason: String?) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        guard !hasEnded else { return }
        hasEnded = true
        isLinked = false
        loseLink(.closed)
        transport.stop()
        report(.ended(reason: reason))
        for reader in readers { reader.end() }
        (readers, services, unread, timer) = ([], [], WaitingLine(), nil)
        hub.end()
    }

    // MARK: Calls

    /// Takes a message or a request up; how it ends is told once, at once or later.
    func begin(_ call: Call, _ ticket: Ticket, _ body: Data, timeout: Duration?) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        guard !hasEnded else { return call.finish(.failure(.closed)) }
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

    /// The application waits no longer.
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

    /// Sends as long as there is something, and room.
    func pump() {
        guard !isPumping, isLinked else { return }
        isPumping = true
        defer { isPumping = false }
        while isLinked, let frame = frame ?? nextFrame() {
            let chunk = frame.rest.prefix(max(transport.maximumChunk, 1))
            // Should it be refused while it is taken, this is the frame that is meant.
            self.frame = frame
            self.frame?.hasBegun = true
            guard transport.send(Data(chunk)) else {
                self.frame?.hasBegun = frame.hasBegun
                return
            }
            advance(by: chunk.count)
        }
    }

    private func advance(by count: Int) {
        // Sending may have had the transport say that the link is gone.
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
            guard let message = options.form.octets(of: outgoing.envelope) else { continue }
            do throws(MessageError) {
                return Frame(ticket: outgoing.ticket, rest: try wire.encode(message))
            } catch {
                if let ticket = outgoing.ticket { fail(ticket, error) }
                replaceUnsent(outgoing.envelope)
            }
        }
        return nil
    }

    /// An answer that cannot be sent, since it is too long, is a refusal.
    private func replaceUnsent(_ envelope: MessageEnvelope) {
        guard case .answer(let id, _) = envelope else { return }
        exchange.reply(.refuse(id: id, "the answer is too long"))
    }

    func sendUrgently(_ octets: Data) {
        guard !octets.isEmpty, urgent.count < Self.urgentLimit else { return }
        urgent.append(Frame(ticket: nil, rest: octets, isMessage: false))
    }

    // MARK: Time

    func setTimer() {
        let deadlines = [exchange.nextDeadline, nextGreeting].compactMap(\.self)
        timer?.set(to: deadlines.min())
    }

    private func wake() {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        for ticket in exchange.deadlinePassed(now: timekeeper.now) {
            finish(ticket, .failure(isLinked ? .timeout : .disconnected))
        }
        if let nextGreeting, nextGreeting <= timekeeper.now { greet() }
        pump()
        setTimer()
    }

    private static let unanswered = MessageError.sealing("the other side does not answer")

    /// Greets the other side, where sealing wants that, until it has answered or clearly will not. Then
    /// nothing waits any longer; if it does answer later, messages go again.
    private func greet() {
        nextGreeting = nil
        guard isLinked, !wire.isReady else { return }
        guard greetings < Self.greetingLimit else {
            isUnanswered = true
            return failCalls(Self.unanswered)
        }
        greetings += 1
        if let greeting = try? wire.greeting() { sendUrgently(greeting) }
        awaitGreeting()
    }

    /// Gives the other side its time.
    private func awaitGreeting() {
        guard !wire.isReady else { return }
        nextGreeting = timekeeper.now + Self.greetingInterval
        setTimer()
    }

    // MARK: Telling

    func report(_ event: MessageChannelEvent) {
        change {
            $0.statistics.count(event)
            $0.isLinked = isLinked
        }
        hub.send { event }
    }

    func change(_ body: (inout Mirror) -> Void) {
        mirror.change(body)
    }

    /// What can be asked from anywhere.
    var outlook: Mirror { mirror.change { $0 } }

    /// A number that was not given before, from anywhere.
    func newNumber() -> Int {
        mirror.change { mirror in
            mirror.lastNumber += 1
            return mirror.lastNumber
        }
    }
}
