// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Messages in both directions, as values that are `Codable`.
///
/// ```swift
/// let channel = accessory.messages(writing: "4C41…1D01", listening: "4C41…1D02")
/// try await channel.send(Blink(times: 3))
/// let volume = try await channel.request(Get("volume"), expecting: Setting.self)
/// for await reading in channel.messages(of: Reading.self) { print(reading) }
/// ```
///
/// A channel outlives its links: what is under way when one is lost fails with
/// `MessageError.disconnected`, and the channel goes on with the next. What is wanted while there is none
/// fails, too, or waits, as `MessageChannelOptions.whenUnlinked` says. It lives as long as somebody has it,
/// or reads its messages.
///
/// All its methods can be called from anywhere. Messages and requests are sent in the order of the calls;
/// answers come in the order in which the other side has them.
public final class MessageChannel: Sendable {
    let engine: MessageEngine
    /// What has to last as long as the channel.
    private let owner: (any AnyObject & Sendable)?

    /// A channel over the transport, which it starts.
    ///
    /// - Parameter role: which end of the link this is; of account only if messages are sealed.
    public convenience init(
        over transport: any MessageTransport,
        options: MessageChannelOptions = MessageChannelOptions(),
        as role: SealingRole = .central
    ) {
        self.init(over: transport, options: options, as: role, timekeeper: SystemTimekeeper())
    }

    /// The same by another time than the system's.
    package init(
        over transport: any MessageTransport,
        options: MessageChannelOptions = MessageChannelOptions(),
        as role: SealingRole = .central,
        timekeeper: any Timekeeper,
        keeping owner: (any AnyObject & Sendable)? = nil
    ) {
        self.owner = owner
        engine = MessageEngine(
            over: transport,
            options: options,
            role: role,
            timekeeper: timekeeper
        )
        engine.perform { $0.start() }
    }

    /// One that hears from this moment on, made on the queue of its transport.
    init(
        onQueueOf transport: any MessageTransport,
        options: MessageChannelOptions,
        as role: SealingRole,
        timekeeper: any Timekeeper
    ) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        owner = nil
        engine = MessageEngine(
            over: transport,
            options: options,
            role: role,
            timekeeper: timekeeper
        )
        engine.start()
    }

    deinit { close() }

    /// Whether there is a link now, so that messages go. It may be gone the moment after.
    public var isLinked: Bool { engine.outlook.isLinked }

    /// What happens beside messages, from now on.
    public var events: Events<MessageChannelEvent> { engine.hub.events() }

    /// What was counted so far.
    public var statistics: MessageStatistics { engine.outlook.statistics }

    /// Ends it for good: what is under way fails with `MessageError.closed`, and its sequences end.
    public func close() {
        engine.perform { $0.end(nil) }
    }

    // MARK: Sending

    /// Sends a message. Returns when all of it was handed to the link, which takes as long as those before
    /// it, and the link, take; that does not say that it was received.
    ///
    /// - Throws: `disconnected` if there is no link, or it is lost meanwhile; `tooLarge`, `unencodable`,
    ///   `queueFull`, `cancelled`, `closed`, `notSent`, `sealing`.
    public func send(_ message: some Encodable & Sendable) async throws(MessageError) {
        let body = try encode(message)
        _ = try await call(body, timeout: nil, accepts: nil)
    }

    /// Sends a request and waits for its answer.
    ///
    /// Any number of tasks may wait for answers. `MessageLimits.requestsAtOnce` of their requests are with
    /// the other side at a time, the others wait in line. If the task is cancelled, the request may have
    /// been sent already; its answer is dropped.
    ///
    /// - Parameters:
    ///   - timeout: how long the answer may take, counted from now.
    ///   - isAnswer: in the plain form, which of the messages that can be decoded as a response is the
    ///     answer; the first one, if nil. Not asked in the enveloped form.
    /// - Throws: `timeout`, `remoteError` if the other side refuses, `undecodable` if the answer is
    ///   something else, and what `send` throws.
    public func request<Response: Decodable & Sendable>(
        _ request: some Encodable & Sendable,
        expecting response: Response.Type,
        timeout: Duration = .seconds(10),
        where isAnswer: (@Sendable (Response) -> Bool)? = nil
    ) async throws(MessageError) -> Response {
        let decoder = engine.options.decoder
        let answer = try await call(try encode(request), timeout: timeout) { json in
            guard let response = try? decoder.decode(Response.self, from: json) else {
                return false
            }
            return isAnswer?(response) ?? true
        }
        do {
            return try decoder.decode(Response.self, from: answer)
        } catch {
            let limit = engine.options.limits.quotation
            throw .undecodable(text: answer.quotation(limit: limit))
        }
    }

    private func encode(_ value: some Encodable) throws(MessageError) -> Data {
        do {
            return try engine.options.encoder.encode(value)
        } catch {
            throw .unencodable("\(error)")
        }
    }

    /// Hands a message or request to the engine and waits for its end.
    private func call(
        _ body: Data,
        timeout: Duration?,
        accepts: (@Sendable (Data) -> Bool)?
    ) async throws(MessageError) -> Data {
        let ticket = engine.newNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = Task.isCancelled
                let call = MessageEngine.Call(accepts: accepts) {
                    continuation.resume(returning: $0)
                }
                engine.perform { engine in
                    guard !isCancelled else { return call.finish(.failure(.cancelled)) }
                    engine.begin(call, ticket, body, timeout: timeout)
                }
                // A cancellation that came in between has found no call.
                if !isCancelled, Task.isCancelled { engine.perform { $0.cancel(ticket) } }
            }
        } onCancel: {
            engine.perform { $0.cancel(ticket) }
        }
        return try result.get()
    }

    // MARK: Receiving

    /// The messages from now on that can be decoded as this type, one after the other.
    ///
    /// Each goes to every sequence that can decode it; what none can is reported as
    /// `MessageChannelEvent.undecodable`. Messages that came before anybody read wait for the first who
    /// can. The oldest are dropped beyond `MessageLimits.unread`. Ends when the channel is closed, not
    /// when a link is lost.
    public func messages<Message: Decodable & Sendable>(
        of type: Message.Type
    ) -> Events<Message> {
        let mailbox = Mailbox<Message>(limit: engine.options.limits.unread)
        let number = engine.newNumber()
        // The mailbox keeps the channel, as long as somebody has it.
        mailbox.onLeave { [self] in engine.perform { $0.removeReader(number) } }
        let reader = MessageReader(number, mailbox: mailbox, decoder: engine.options.decoder)
        engine.perform { $0.add(reader) }
        return Events(mailbox: mailbox)
    }

    /// Answers the requests that can be decoded as this type, as long as the observation is kept.
    ///
    /// The first answer that can decode a request has it. Requests are worked on side by side, up to
    /// `MessageLimits.answersAtOnce`, off the queue of Bluetooth; the tasks are cancelled when the link is
    /// lost. An error refuses the request: the other side reads the reason if it is a `MessageRefusal`,
    /// and of all others only that there was one.
    public func answer<Request: Decodable & Sendable, Response: Encodable & Sendable>(
        _ type: Request.Type,
        with body: @escaping @Sendable (Request) async throws -> Response
    ) -> ObservationToken {
        serve { MessageService($0, $1, body) }
    }

    /// The same where the answer is at hand: `body` is called on the queue of the transport, and must not
    /// wait for anything.
    public func answer<Request: Decodable & Sendable, Response: Encodable & Sendable>(
        _ type: Request.Type,
        with body: @escaping @Sendable (Request) throws -> Response
    ) -> ObservationToken {
        serve { MessageService(immediate: $0, $1, body) }
    }

    private func serve(
        _ make: (Int, MessageChannelOptions) -> MessageService
    ) -> ObservationToken {
        let number = engine.newNumber()
        let service = make(number, engine.options)
        engine.perform { $0.add(service) }
        return ObservationToken { [engine] in engine.perform { $0.removeService(number) } }
    }
}
