// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

/// A stream delegate that reads every byte, and records its events and the queue of each.
private final class QueueDelegate: NSObject, StreamDelegate, Sendable {
    private struct Record {
        var events: [Stream.Event] = []
        var read: [UInt8] = []
        var callsAtOnce = 0
        var mostCallsAtOnce = 0
    }

    private let record = Mutex(Record())
    private let changes = AsyncStream.makeStream(of: Void.self)
    private let queue: DispatchQueue

    init(on queue: DispatchQueue) {
        self.queue = queue
    }

    var events: [Stream.Event] { record.withLock { $0.events } }
    var read: [UInt8] { record.withLock { $0.read } }
    var mostCallsAtOnce: Int { record.withLock { $0.mostCallsAtOnce } }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        dispatchPrecondition(condition: .onQueue(queue))
        record.withLock { record in
            record.callsAtOnce += 1
            record.mostCallsAtOnce = max(record.mostCallsAtOnce, record.callsAtOnce)
            record.events.append(event)
        }
        if event == .hasBytesAvailable, let input = stream as? InputStream {
            let bytes = input.read(7) ?? []
            record.withLock { $0.read += bytes }
        }
        record.withLock { $0.callsAtOnce -= 1 }
        changes.continuation.yield()
    }

    /// Waits until the record satisfies a condition.
    func until(_ isMet: (QueueDelegate) -> Bool) async {
        for await _ in changes.stream where isMet(self) { return }
    }
}

@Suite("The streams of a channel on a dispatch queue")
struct DispatchedStreamTests {
    private let wire = Wire()
    private let input: ChannelInputStream
    private let output: ChannelOutputStream

    init() {
        input = ChannelInputStream(wire.pipe(.left, limits: ChannelLimits(sendMTU: 64)))
        output = ChannelOutputStream(wire.pipe(.right, limits: ChannelLimits(sendMTU: 64)))
    }

    @Test("15.1.9 A delegate gets the events of a stream on its queue, one at a time")
    func events() async {
        let queue = DispatchQueue(label: "streams", attributes: .concurrent)
        let delegate = QueueDelegate(on: queue)
        input.delegate = delegate
        CFReadStreamSetDispatchQueue(input, queue)
        input.open()
        output.open()
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(output.writeAll(bytes))
        output.close()
        await delegate.until { $0.read.count == bytes.count }
        #expect(delegate.read == bytes)
        #expect(delegate.events.first == .openCompleted)
        #expect(delegate.mostCallsAtOnce == 1)
        input.close()
    }

    @Test("15.1.9 The output stream reports its space on its queue")
    func space() async {
        let queue = DispatchQueue(label: "streams")
        let delegate = QueueDelegate(on: queue)
        output.delegate = delegate
        CFWriteStreamSetDispatchQueue(output, queue)
        output.open()
        await delegate.until { $0.events == [.openCompleted, .hasSpaceAvailable] }
        #expect(delegate.events == [.openCompleted, .hasSpaceAvailable])
        output.close()
    }

    @Test("15.1.9 A stream without a queue reports no events until it gets another queue")
    func change() async {
        let former = DispatchQueue(label: "former")
        let delegate = QueueDelegate(on: former)
        input.delegate = delegate
        CFReadStreamSetDispatchQueue(input, former)
        input.open()
        await delegate.until { $0.events == [.openCompleted] }
        CFReadStreamSetDispatchQueue(input, nil)
        output.open()
        #expect(output.write([1, 2]) == 2)
        wire.settle()
        former.sync {}
        #expect(delegate.events == [.openCompleted])

        let latter = DispatchQueue(label: "latter")
        let successor = QueueDelegate(on: latter)
        input.delegate = successor
        CFReadStreamSetDispatchQueue(input, latter)
        await successor.until { $0.read == [1, 2] }
        #expect(successor.read == [1, 2])
        input.close()
    }

    @Test("15.1.9 A queue replaces a stream's run loops, and a run loop replaces its queue")
    func runLoop() async throws {
        let pair = Wire()
        let application = try StreamApplication(
            pair.pipe(.left, limits: ChannelLimits(sendMTU: 64))
        )
        await application.start()
        let peer = ChannelOutputStream(pair.pipe(.right, limits: ChannelLimits(sendMTU: 64)))
        peer.open()
        let input = try #require(application.input)
        let queue = DispatchQueue(label: "streams")
        CFReadStreamSetDispatchQueue(input, queue)
        #expect(peer.write([1]) == 1)
        try await application.awaitEvent(.hasBytesAvailable, of: .input)
        #expect(application.eventsOnOtherThreads == 1)

        await application.scheduleInput()
        await application.takeAll()
        #expect(peer.write([2]) == 1)
        try await application.awaitEvent(.hasBytesAvailable, of: .input, count: 2)
        #expect(application.eventsOnOtherThreads == 1)
        await application.close()
    }

    @Test("15.1.9 A closed stream reports no events on its queue, and leaves no outside work")
    func closing() async {
        let queue = DispatchQueue(label: "streams")
        let delegate = QueueDelegate(on: queue)
        input.delegate = delegate
        queue.suspend()
        CFReadStreamSetDispatchQueue(input, queue)
        input.open()
        input.close()
        queue.resume()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(delegate.events == [])
        #expect(wire.outsideWork.withLock { $0 } == 0)
    }

    @Test("15.1.9 A queue for a stream that is not a channel's is refused and logged")
    func otherStream() async {
        let lines = await Misuse.lines(about: "dispatch queue") {
            CFReadStreamSetDispatchQueue(InputStream(data: Data()), DispatchQueue(label: "other"))
            CFWriteStreamSetDispatchQueue(nil, nil)
        }
        let line = "API MISUSE: Only a stream of an L2CAP channel can have a dispatch queue"
        #expect(lines == [line, line])
    }
}
