// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Lanyard

/// A transport whose other end is a test or another fake transport.
///
/// Unchecked: after the set-up, all mutable state is used on the queue only.
final class FakeTransport: MessageTransport, @unchecked Sendable {
    let queue: DispatchQueue
    /// The chunks that were sent, for a test.
    let sent: AsyncStream<Data>
    private let record: AsyncStream<Data>.Continuation
    private var receiver: (@Sendable (MessageTransportEvent) -> Void)?
    private var isLinked: Bool
    private(set) var maximumChunk: Int
    /// The number of chunks that can still be sent; `nil` for no limit.
    private var capacity: Int?
    private var awaitsRoom = false
    private weak var peer: FakeTransport?
    private(set) var isStopped = false

    init(
        on queue: DispatchQueue = DispatchQueue(label: "fake transport"),
        linked: Bool = true,
        maximumChunk: Int = 20,
        capacity: Int? = nil
    ) {
        self.queue = queue
        self.maximumChunk = maximumChunk
        self.capacity = capacity
        isLinked = linked
        (sent, record) = AsyncStream.makeStream()
    }

    /// Returns two transports on one queue that exchange their chunks.
    static func pair(linked: Bool = true) -> (FakeTransport, FakeTransport) {
        let queue = DispatchQueue(label: "fake transports")
        let pair = (
            FakeTransport(on: queue, linked: linked), FakeTransport(on: queue, linked: linked)
        )
        pair.0.peer = pair.1
        pair.1.peer = pair.0
        return pair
    }

    // MARK: Transport

    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.receiver = receiver
        if isLinked { receiver(.linked) }
    }

    func send(_ chunk: Data) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        precondition(!chunk.isEmpty && chunk.count <= maximumChunk, "a chunk that does not fit")
        guard isLinked, capacity != 0 else {
            awaitsRoom = true
            return false
        }
        capacity = capacity.map { $0 - 1 }
        if let peer {
            queue.async { peer.receiver?(.received(chunk)) }
        } else {
            record.yield(chunk)
        }
        return true
    }

    func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        receiver = nil
        isStopped = true
        record.finish()
    }

    // MARK: Control by a test

    /// Reports an event to the channel.
    func report(_ event: MessageTransportEvent) {
        queue.async { [self] in
            switch event {
            case .linked: isLinked = true
            case .unlinked, .ended: isLinked = false
            default: break
            }
            receiver?(event)
        }
    }

    /// Sets the number of chunks that can be sent; `nil` for no limit.
    func setCapacity(_ count: Int?) {
        queue.async { [self] in
            capacity = count
            guard awaitsRoom else { return }
            awaitsRoom = false
            receiver?(.hasRoom)
        }
    }

    /// Sets the maximum number of bytes in a chunk, and reports that there is room.
    func resize(to count: Int) {
        queue.async { [self] in
            maximumChunk = count
            receiver?(.hasRoom)
        }
    }

    /// Returns when the earlier work on the queue is done.
    func settle() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    var hasStopped: Bool {
        get async {
            await withCheckedContinuation { continuation in
                queue.async { [self] in continuation.resume(returning: isStopped) }
            }
        }
    }
}

/// A device that divides the chunks of a channel into messages, and sends answers for a test.
struct FakeDevice {
    let transport: FakeTransport
    private var framing: any MessageFraming
    private var chunks: AsyncStream<Data>.Iterator
    private var messages: [Data] = []

    init(_ transport: FakeTransport, framing: any MessageFraming = .startEnd()) {
        self.transport = transport
        self.framing = framing
        chunks = transport.sent.makeAsyncIterator()
    }

    /// Returns the next message that the channel sent.
    mutating func next() async -> Data? {
        while messages.isEmpty, let chunk = await chunks.next() {
            for case .message(let message) in framing.receive(chunk) { messages.append(message) }
        }
        return messages.isEmpty ? nil : messages.removeFirst()
    }

    /// Returns the next envelope that the channel sent.
    mutating func nextEnvelope() async -> MessageEnvelope? {
        await next().flatMap { MessageEnvelope($0) }
    }

    /// Sends a message to the channel, in one chunk.
    func send(_ message: Data) throws {
        transport.report(.received(try framing.frame(message)))
    }

    func send(_ text: String) throws {
        try send(Data(text.utf8))
    }

    func send(_ envelope: MessageEnvelope) throws {
        try send(envelope.json)
    }
}
