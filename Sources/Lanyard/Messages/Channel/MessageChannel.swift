// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A channel for `Codable` messages in both directions.
///
/// ```swift
/// let channel = accessory.messages(writing: "4C41…1D01", listening: "4C41…1D02")
/// try await channel.send(Blink(times: 3))
/// let volume = try await channel.request(Get("volume"), expecting: Setting.self)
/// for await reading in channel.messages(of: Reading.self) { print(reading) }
/// ```
///
/// A channel survives the loss of a link if its transport gets another one: messages and requests
/// in progress fail with ``MessageError/disconnected``, and the channel continues. New calls
/// without a link fail or wait, according to `MessageChannelOptions.whenUnlinked`. The channel
/// exists as long as the app holds it or a sequence of its messages.
///
/// All methods can be called from any thread and task. Messages and requests are sent in the order
/// of the calls. Answers arrive in the order in which the other side sends them.
public final class MessageChannel: Sendable {
    let engine: MessageEngine
    /// The object that must exist as long as the channel.
    private let owner: (any AnyObject & Sendable)?

    /// Creates a channel over a transport, and starts the transport.
    ///
    /// - Parameters:
    ///   - transport: The transport, which belongs to the channel from now on.
    ///   - options: The framing, the sealing, the form and the limits of the messages.
    ///   - role: The side of the link, which matters only if messages are sealed.
    public convenience init(
        over transport: any MessageTransport,
        options: MessageChannelOptions = MessageChannelOptions(),
        as role: SealingRole = .central
    ) {
        self.init(over: transport, options: options, as: role, timekeeper: SystemTimekeeper())
    }

    /// Creates a channel with a given clock.
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

    /// Creates a channel that receives from this moment on. Must be called on the queue of its
    /// transport.
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

    /// Whether there is a link now. It may be lost immediately after this call.
    public var isLinked: Bool { engine.snapshot.isLinked }

    /// The events of the channel other than messages, from now on.
    public var events: Events<MessageChannelEvent> { engine.hub.events() }

    /// The counters of the channel.
    public var statistics: MessageStatistics { engine.snapshot.statistics }

    /// Closes the channel permanently: calls in progress fail with ``MessageError/closed``, and its
    /// sequences end.
    public func close() {
        engine.perform { $0.end(nil) }
    }

    // MARK: Sending

    /// Sends a message. The call returns when the whole message was passed to the link, after the
    /// messages before it. The other side may not have received the message yet.
    ///
    /// - Parameter message: The message, which `MessageChannelOptions.encoder` encodes.
    /// - Throws: ``MessageError/disconnected`` if there is no link and
    ///   `MessageChannelOptions.whenUnlinked` is `fail`, or if the link is lost meanwhile;
    ///   ``MessageError/tooLarge(count:limit:)`` if the message, sealed if there is a sealing, is
    ///   longer than the limit of the framing; ``MessageError/unframeable``;
    ///   ``MessageError/unencodable(_:)``; ``MessageError/queueFull`` if `MessageLimits.waiting`
    ///   messages and requests already wait; ``MessageError/cancelled`` if the task is canceled;
    ///   ``MessageError/closed``; ``MessageError/notSent(_:)`` if the transport reports that the
    ///   message did not arrive, or if the accessory's description does not declare the
    ///   characteristics of the channel; ``MessageError/sealing(_:)`` if the message cannot be
    ///   sealed, or the other side does not answer the greetings with which a sealed session
    ///   begins.
    public func send(_ message: some Encodable & Sendable) async throws(MessageError) {
        let body = try encode(message)
        _ = try await call(body, timeout: nil, accepts: nil)
    }

    /// Sends a request and waits for its answer.
    ///
    /// Several tasks may wait for answers. At most `MessageLimits.requestsAtOnce` requests await
    /// their answers at a time; up to `MessageLimits.waiting` others wait in a queue. If the task
    /// is canceled, the request may already have been sent, and its answer is dropped.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The type of the answer.
    ///   - timeout: The time limit of the answer, counted from the call.
    ///   - isAnswer: For the plain form, a test that selects the answer among the messages that can
    ///     be decoded as a response; if `nil`, the first such message is the answer. The enveloped
    ///     form ignores the test. The channel calls the test on the queue of its transport.
    /// - Returns: The answer.
    /// - Throws: ``MessageError/timeout`` if no answer arrives in time during a link;
    ///   ``MessageError/disconnected`` if the time limit passes without a link;
    ///   ``MessageError/sealing(_:)`` if the other side does not answer the greetings with which a
    ///   sealed session begins; ``MessageError/remoteError(_:)`` if the other side refuses;
    ///   ``MessageError/undecodable(text:)`` if the answer has another type; and the errors of
    ///   ``send(_:)``.
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

    /// Passes a message or a request to the engine and waits for its end.
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
                // If the task was canceled before `perform`, the cancellation handler found no
                // call.
                if !isCancelled, Task.isCancelled { engine.perform { $0.cancel(ticket) } }
            }
        } onCancel: {
            engine.perform { $0.cancel(ticket) }
        }
        return try result.get()
    }

    // MARK: Receiving

    /// Returns the messages that can be decoded as this type, from now on.
    ///
    /// Each message goes to every sequence that can decode it; a message that no sequence can
    /// decode is reported as ``MessageChannelEvent/undecodable(text:)``. Messages that arrive while
    /// there is no sequence wait for one that can decode them. Beyond `MessageLimits.unread` the
    /// oldest messages are dropped. The sequence ends when the channel is closed, not when a link
    /// is lost.
    ///
    /// - Parameter type: The type of the messages.
    public func messages<Message: Decodable & Sendable>(
        of type: Message.Type
    ) -> Events<Message> {
        let mailbox = Mailbox<Message>(limit: engine.options.limits.unread)
        let number = engine.newNumber()
        // The mailbox retains the channel as long as the app holds the sequence.
        mailbox.onRelease { [self] in engine.perform { $0.removeReader(number) } }
        let reader = MessageReader(number, mailbox: mailbox, decoder: engine.options.decoder)
        engine.perform { $0.add(reader) }
        return Events(mailbox: mailbox)
    }

    /// Answers the requests that can be decoded as this type, as long as the app holds the token.
    ///
    /// If several services can decode a request, the first one answers it. Requests run
    /// concurrently, up to `MessageLimits.answersAtOnce`, in tasks of their own. The tasks are
    /// canceled when the link is lost. If the closure throws, the request is refused. The other
    /// side receives the reason only if the error is a ``MessageRefusal``.
    ///
    /// - Parameters:
    ///   - type: The type of the requests.
    ///   - body: A closure that returns the answer to a request.
    /// - Returns: A token. The service ends when the token is canceled or released.
    public func answer<Request: Decodable & Sendable, Response: Encodable & Sendable>(
        _ type: Request.Type,
        with body: @escaping @Sendable (Request) async throws -> Response
    ) -> ObservationToken {
        serve { MessageService($0, $1, body) }
    }

    /// Answers the requests that can be decoded as this type, without a task. If the closure
    /// throws, the request is refused. The other side receives the reason only if the error is a
    /// ``MessageRefusal``.
    ///
    /// - Parameters:
    ///   - type: The type of the requests.
    ///   - body: A closure that returns the answer to a request. The channel calls the closure on
    ///     the queue of the transport, so it must not block.
    /// - Returns: A token. The service ends when the token is canceled or released.
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
