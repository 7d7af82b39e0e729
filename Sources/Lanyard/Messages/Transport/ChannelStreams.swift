// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// The two streams of an L2CAP channel, for somebody who lives on a serial queue: nothing here waits.
///
/// Whoever reads decides how fast the other side may send: what is not read keeps its place in the
/// stream, and the other side gets no credits.
///
/// Unchecked: all that changes is touched on the queue only. The streams are used there, and call their
/// delegate where they are scheduled, which hops to the queue.
final class ChannelStreams: NSObject, @unchecked Sendable {
    /// What happens to the streams.
    enum Event {
        /// There is something to be read. Told again only after a read.
        case readable
        /// There is room. Told again only after a write.
        case writable
        /// The channel is closed, or was lost for this reason. The last event.
        case ended((any Error)?)
    }

    /// The most octets that one read takes.
    static let readLimit = 4_096

    private let channel: CBL2CAPChannel
    private let queue: DispatchQueue
    private let timekeeper: any Timekeeper
    private var receiver: (@Sendable (Event) -> Void)?

    /// The streams of the channel, which is kept open as long as this.
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

    /// Opens the streams; `receiver` is told on the queue what happens. Called once.
    func open(_ receiver: @escaping @Sendable (Event) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.receiver = receiver
        for stream in streams {
            stream.delegate = self
            schedule(stream)
            stream.open()
        }
    }

    /// Closes both; nothing more is told.
    func close() {
        dispatchPrecondition(condition: .onQueue(queue))
        receiver = nil
        for stream in streams { stream.close() }
    }

    /// What has come, up to `readLimit` octets; nil if there is nothing now.
    func read() -> Data? {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let input, input.hasBytesAvailable else { return nil }
        var octets = [UInt8](repeating: 0, count: Self.readLimit)
        let count = input.read(&octets, maxLength: octets.count)
        return count > 0 ? Data(octets.prefix(count)) : nil
    }

    /// Takes as many of the octets as there is room for now, and says how many.
    func write(_ octets: Data) -> Int {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !octets.isEmpty, let output, output.hasSpaceAvailable else { return 0 }
        return octets.withUnsafeBytes { octets in
            guard let base = octets.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            return max(output.write(base, maxLength: octets.count), 0)
        }
    }

    /// Apple's streams can call on a queue; the others want a run loop.
    private func schedule(_ stream: Stream) {
        #if canImport(Darwin)
            if let input = stream as? InputStream { CFReadStreamSetDispatchQueue(input, queue) }
            if let output = stream as? OutputStream { CFWriteStreamSetDispatchQueue(output, queue) }
        #else
            stream.schedule(in: RunLoopThread.streams.loop, forMode: .default)
        #endif
    }

    private func tell(_ event: Event) {
        guard let receiver else { return }
        if case .ended = event { close() }
        receiver(event)
    }
}

extension ChannelStreams: StreamDelegate {
    /// Called on the run loop's thread.
    func stream(_ stream: Stream, handle event: Stream.Event) {
        let isInput = stream === input
        switch event {
        case .hasBytesAvailable: hop { .readable }
        case .hasSpaceAvailable: hop { .writable }
        case .endEncountered where isInput: hop { .ended(nil) }
        case .errorOccurred:
            let error = stream.streamError
            hop { .ended(error) }
        default: break
        }
    }

    private func hop(_ event: @escaping @Sendable () -> Event) {
        timekeeper.perform(on: queue) { [weak self] in self?.tell(event()) }
    }
}
