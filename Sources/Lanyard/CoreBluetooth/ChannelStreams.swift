// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// The two streams of an L2CAP channel, for an owner with a serial queue. No call blocks.
///
/// The reader controls the speed of the peer: unread bytes stay in the stream, and the peer gets no
/// credits for them.
///
/// Unchecked: all mutable state and the streams are used on the queue only. The streams call their
/// delegate where they are scheduled, and the delegate continues on the queue.
final class ChannelStreams: NSObject, ByteStreams, @unchecked Sendable {
    /// The maximum number of bytes in one read.
    static let readLimit = 4_096

    private let channel: CBL2CAPChannel
    private let queue: DispatchQueue
    private let timekeeper: any Timekeeper
    private var receiver: (@Sendable (ByteStreamEvent) -> Void)?

    /// Creates the streams of a channel, which stays open as long as this object exists.
    init(_ channel: CBL2CAPChannel, on queue: DispatchQueue, timekeeper: any Timekeeper) {
        self.channel = channel
        self.queue = queue
        self.timekeeper = timekeeper
    }

    deinit {
        for stream in streams { stream.close() }
    }

    private var input: InputStream? { channel.inputStream }
    private var output: OutputStream? { channel.outputStream }
    private var streams: [Stream] { [input, output].compactMap { $0 as Stream? } }

    /// Opens the streams; `receiver` is called on the queue. Must be called once.
    func open(_ receiver: @escaping @Sendable (ByteStreamEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.receiver = receiver
        for stream in streams {
            stream.delegate = self
            schedule(stream)
            stream.open()
        }
    }

    /// Closes the streams; no further event follows.
    func close() {
        dispatchPrecondition(condition: .onQueue(queue))
        receiver = nil
        for stream in streams { stream.close() }
    }

    /// Reads up to `readLimit` bytes; `nil` if there are none now.
    func read() -> Data? {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let input, input.hasBytesAvailable else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.readLimit)
        let count = input.read(&bytes, maxLength: bytes.count)
        return count > 0 ? Data(bytes.prefix(count)) : nil
    }

    /// Writes as many bytes as there is room for now, and returns their number.
    func write(_ bytes: Data) -> Int {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !bytes.isEmpty, let output, output.hasSpaceAvailable else { return 0 }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            return max(output.write(base, maxLength: bytes.count), 0)
        }
    }

    /// Schedules a stream. Apple's streams can use a queue; other streams need a run loop.
    private func schedule(_ stream: Stream) {
        #if !os(Linux)
            if let input = stream as? InputStream { CFReadStreamSetDispatchQueue(input, queue) }
            if let output = stream as? OutputStream { CFWriteStreamSetDispatchQueue(output, queue) }
        #else
            stream.schedule(in: RunLoopThread.streams.loop, forMode: .default)
        #endif
    }

    private func report(_ event: ByteStreamEvent) {
        guard let receiver else { return }
        if case .ended = event { close() }
        receiver(event)
    }
}

extension ChannelStreams: StreamDelegate {
    /// Runs on the run loop's thread, or on the queue on Apple's platforms.
    func stream(_ stream: Stream, handle event: Stream.Event) {
        let isInput = stream === input
        switch event {
        case .hasBytesAvailable: hop { .readable }
        case .hasSpaceAvailable: hop { .writable }
        case .endEncountered where isInput: hop { .ended(nil) }
        case .errorOccurred where !isInput: hop { .outputEnded }
        case .errorOccurred:
            let failure = stream.streamError.map { LinkFailure($0) }
            hop { .ended(failure) }
        default: break
        }
    }

    private func hop(_ event: @escaping @Sendable () -> ByteStreamEvent) {
        timekeeper.perform(on: queue) { [weak self] in self?.report(event()) }
    }
}

extension SystemChannel {
    /// Creates the value for a channel of Core Bluetooth; `nil` if it has no streams.
    init?(_ channel: CBL2CAPChannel) {
        guard channel.inputStream != nil, channel.outputStream != nil else { return nil }
        let unopened = UnopenedChannel(channel: channel)
        self.init(psm: channel.psm) { queue, timekeeper in
            ChannelStreams(unopened.channel, on: queue, timekeeper: timekeeper)
        }
    }
}

/// A channel whose streams are not open yet, for the one owner that opens them.
///
/// Unchecked: the delegate that received the channel does not use it, and only the owner uses its
/// streams.
private struct UnopenedChannel: @unchecked Sendable {
    let channel: CBL2CAPChannel
}
