// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

@testable import BluetoothClients
@testable import CoreBluetooth

/// An app with the two streams of a channel, which it uses on its own thread, and a record
/// of its delegate's events.
///
/// - Note: Sendable because everything except the record and `input` is used only on `thread`.
final class StreamApplication: NSObject, StreamDelegate, @unchecked Sendable {
    /// The reactions of the stream delegate.
    struct Reactions: Sendable {
        /// The number of bytes to read at a time. `nil` to read nothing.
        var reads: Int?
        /// Whether to continue writing when there is space.
        var continuesWriting = false
    }

    private struct Record {
        var events: [ChannelBuffers.Side: [Stream.Event]] = [:]
        var eventsOnOtherThreads = 0
        var read: [UInt8] = []
        var written = 0
        var waiting: [(isMet: @Sendable (borrowing Record) -> Bool, then: @Sendable () -> Void)] =
            []
    }

    private let thread: LoopThread
    private let pipe: ChannelPipe
    private(set) var input: ChannelInputStream?
    private var output: ChannelOutputStream?
    private var reactions = Reactions()
    private var rest: [UInt8] = []
    private let record = Mutex(Record())

    init(_ pipe: ChannelPipe) throws {
        thread = try LoopThread()
        self.pipe = pipe
        input = ChannelInputStream(pipe)
        output = ChannelOutputStream(pipe)
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        let side: ChannelBuffers.Side = stream === input ? .input : .output
        note { record in
            record.events[side, default: []].append(event)
            if !thread.isCurrent { record.eventsOnOtherThreads += 1 }
        }
        if event == .hasBytesAvailable, let reads = reactions.reads { take(reads) }
        if event == .hasSpaceAvailable, reactions.continuesWriting { writeRest() }
    }
}

// Actions.
extension StreamApplication {
    func start(
        withDelegate: Bool = true,
        _ change: @escaping @Sendable (inout Reactions) -> Void = { _ in }
    ) async {
        await thread.run { [self] in
            change(&reactions)
            for stream in [input, output].compactMap({ $0 as Stream? }) {
                if withDelegate { stream.delegate = self }
                stream.schedule(in: .current, forMode: .default)
                stream.open()
            }
        }
        await idle()
        await idle()
    }

    /// Writes as many bytes as there is space for. If `continuesWriting` is set, the other bytes
    /// follow when there is space.
    func write(_ bytes: [UInt8]) {
        thread.perform { [self] in
            rest += bytes
            writeRest()
        }
    }

    func close() async {
        await thread.run { [self] in
            input?.close()
            output?.close()
        }
    }

    func removeInput() async {
        await thread.run { [self] in input?.remove(from: .current, forMode: .default) }
    }

    func scheduleInput() async {
        await thread.run { [self] in input?.schedule(in: .current, forMode: .default) }
    }

    func setDelegate() async {
        await thread.run { [self] in
            input?.delegate = self
            output?.delegate = self
        }
    }

    func releaseStreams() async {
        await thread.run { [self] in
            input = nil
            output = nil
        }
    }

    /// Reads all bytes that are available.
    func takeAll() async {
        await thread.run { [self] in
            while input?.hasBytesAvailable == true { take(100) }
        }
    }

    private func take(_ limit: Int) {
        guard let bytes = input?.read(limit) else { return }
        note { $0.read += bytes }
    }

    private func writeRest() {
        guard let output, !rest.isEmpty, output.hasSpaceAvailable else { return }
        let count = output.write(rest)
        guard count > 0 else { return }
        rest.removeFirst(count)
        note { $0.written += count }
    }
}

// The record.
extension StreamApplication {
    var eventsOnOtherThreads: Int { record.withLock { $0.eventsOnOtherThreads } }
    var read: [UInt8] { record.withLock { $0.read } }
    var written: Int { record.withLock { $0.written } }

    func events(of side: ChannelBuffers.Side) -> [Stream.Event] {
        record.withLock { $0.events[side] ?? [] }
    }

    func status(of side: ChannelBuffers.Side) -> Stream.Status {
        Stream.Status(pipe.look { $0.status(of: side) })
    }

    func error(of side: ChannelBuffers.Side) -> CBError.Code? {
        pipe.look { $0.status(of: side) }.error?.code
    }

    /// Returns after four turns of the run loop, in which the due events were reported.
    func idle() async {
        for _ in 0..<4 { await thread.run {} }
    }

    /// Waits until an event was reported this number of times.
    func awaitEvent(
        _ event: Stream.Event,
        of side: ChannelBuffers.Side,
        count: Int = 1
    ) async throws {
        await until { record in (record.events[side] ?? []).count { $0 == event } >= count }
    }

    func received(_ count: Int) async throws {
        await until { $0.read.count >= count }
    }

    /// Returns when the peer accepts no more bytes for now: the last write has filled the buffer.
    func full() async {
        while pipe.look({ $0.freeSpace }) > 0 { await idle() }
    }

    private func until(_ isMet: @escaping @Sendable (borrowing Record) -> Bool) async {
        await withCheckedContinuation { done in
            note { $0.waiting.append((isMet, { done.resume() })) }
        }
    }

    private func note(_ change: (inout Record) -> Void) {
        let met = record.withLock { record in
            change(&record)
            let waiting = record.waiting
            record.waiting = []
            var met: [@Sendable () -> Void] = []
            for wait in waiting {
                if wait.isMet(record) { met.append(wait.then) } else { record.waiting.append(wait) }
            }
            return met
        }
        for then in met { then() }
    }
}

extension InputStream {
    /// Reads once. Returns an empty array at the end, and `nil` if reading is refused.
    func read(_ limit: Int = 1_024) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = read(&bytes, maxLength: limit)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }
}

extension OutputStream {
    func write(_ bytes: [UInt8]) -> Int { write(bytes, maxLength: bytes.count) }

    /// Writes bytes in as many calls as necessary. Returns whether all were written.
    func writeAll(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(Array(rest))
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
