// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A transport of messages over an L2CAP channel. It has a single link, because a closed channel
/// cannot be opened again.
///
/// Unchecked: all mutable state is used on the queue only, where all calls occur.
final class StreamTransport: MessageTransport, @unchecked Sendable {
    let queue: DispatchQueue
    /// The maximum number of bytes in one write.
    let maximumChunk = 4_096

    private let streams: any ByteStreams
    /// The owner of the streams, which closes them when it is released.
    private let owner: AnyObject?
    private var receiver: (@Sendable (MessageTransportEvent) -> Void)?
    /// The accepted bytes that did not yet fit into the stream.
    private var rest = Data()
    private var awaitsRoom = false

    /// Creates a transport over streams that are not yet open, and retains their owner.
    init(_ streams: any ByteStreams, on queue: DispatchQueue, keeping owner: AnyObject? = nil) {
        self.streams = streams
        self.queue = queue
        self.owner = owner
    }

    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void) {
        self.receiver = receiver
        streams.open { [weak self] in self?.receive($0) }
        receiver(.linked)
    }

    func send(_ chunk: Data) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        guard rest.isEmpty else {
            awaitsRoom = true
            return false
        }
        rest = chunk
        flush()
        return true
    }

    func stop() {
        receiver = nil
        streams.close()
    }

    private func receive(_ event: ByteStreamEvent) {
        switch event {
        case .readable:
            while let bytes = streams.read() { receiver?(.received(bytes)) }
        case .writable:
            flush()
            guard rest.isEmpty, awaitsRoom else { return }
            awaitsRoom = false
            receiver?(.hasRoom)
        case .outputEnded: break
        case .ended(let failure): receiver?(.ended(failure.map { ChannelLoss(failure: $0) }))
        }
    }

    private func flush() {
        while !rest.isEmpty {
            let count = streams.write(rest)
            guard count > 0 else { return }
            rest = Data(rest.dropFirst(count))
        }
    }
}

/// The loss of a channel, with the text of its reason.
private struct ChannelLoss: Error, CustomStringConvertible {
    let failure: LinkFailure

    var description: String { failure.text }
}

extension ByteChannel {
    /// Returns a message channel over this channel. The message channel owns this channel from now
    /// on, so do not send or receive through it directly. The message channel ends when this
    /// channel ends.
    ///
    /// ```swift
    /// let messages = try await accessory.openChannel(psm: 0x80).messages()
    /// ```
    ///
    /// - Parameter options: The framing, the sealing, the form and the limits of the messages. By
    ///   default, the length of each message precedes it in four bytes, the most significant byte
    ///   first.
    public func messages(
        options: MessageChannelOptions = MessageChannelOptions(framing: .lengthPrefixed())
    ) -> MessageChannel {
        let transport = StreamTransport(pipe.streams, on: pipe.queue, keeping: self)
        return MessageChannel(over: transport, options: options, timekeeper: pipe.timekeeper)
    }
}
