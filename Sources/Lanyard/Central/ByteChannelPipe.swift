// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The two streams of an L2CAP channel, for tasks that send and receive.
///
/// The first `send` or `receive` opens the streams; until then they can be passed on to another
/// owner. The pipe reads only when a task is waiting for bytes.
///
/// Unchecked: all mutable state is used on the queue only.
final class ByteChannelPipe: @unchecked Sendable {
    typealias Received = Result<Data?, AccessoryError>
    typealias Sent = Result<Void, AccessoryError>

    /// The maximum number of tasks that wait for their bytes to be sent.
    static let sendLimit = 256

    private struct Sending {
        let number: Int
        var rest: Data
        let finish: @Sendable (Sent) -> Void
    }

    private struct Receiving {
        let number: Int
        let finish: @Sendable (Received) -> Void
    }

    let queue = DispatchQueue(label: "lanyard.channel")
    let timekeeper: any Timekeeper
    let streams: any ByteStreams
    private let lastNumber = Locked(0)
    private var isOpen = false
    private var sendings: [Sending] = []
    private var receivings: [Receiving] = []
    /// Whether no more bytes can be sent.
    private var hasOutputEnded = false
    /// The result of `receive()` after the end of the channel; `nil` while the channel is open.
    private var ending: Received?

    init(_ channel: SystemChannel, _ timekeeper: any Timekeeper) {
        self.timekeeper = timekeeper
        streams = channel.makeStreams(queue, timekeeper)
    }

    // MARK: From tasks

    func send(_ bytes: Data) async throws(AccessoryError) {
        let result: Sent = await wait { number, finish in
            { $0.begin(Sending(number: number, rest: bytes, finish: finish)) }
        }
        try result.get()
    }

    func receive() async throws(AccessoryError) -> Data? {
        let result: Received = await wait { number, finish in
            { $0.begin(Receiving(number: number, finish: finish)) }
        }
        return try result.get()
    }

    func close() {
        perform { $0.end(.success(nil)) }
    }

    private func perform(_ work: @escaping @Sendable (ByteChannelPipe) -> Void) {
        timekeeper.perform(on: queue) { work(self) }
    }

    /// Starts an operation on the queue and waits for its result.
    private func wait<Value: Sendable>(
        _ work: (Int, @escaping @Sendable (Result<Value, AccessoryError>) -> Void)
            -> @Sendable (ByteChannelPipe) -> Void
    ) async -> Result<Value, AccessoryError> {
        let number = lastNumber.change { number in
            number += 1
            return number
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begin = work(number) { continuation.resume(returning: $0) }
                guard !Task.isCancelled else {
                    return continuation.resume(returning: .failure(.cancelled))
                }
                perform(begin)
                // If the task was canceled before `perform(begin)`, the cancellation handler found
                // no operation.
                if Task.isCancelled { perform { $0.cancel(number) } }
            }
        } onCancel: {
            perform { $0.cancel(number) }
        }
    }

    // MARK: On the queue

    private func begin(_ sending: Sending) {
        guard !hasOutputEnded else { return sending.finish(.failure(.linkEnded)) }
        guard sendings.count < Self.sendLimit else {
            return sending.finish(.failure(.tooManyWrites(limit: Self.sendLimit)))
        }
        sendings.append(sending)
        open()
        flush()
    }

    private func begin(_ receiving: Receiving) {
        if let ending { return receiving.finish(ending) }
        receivings.append(receiving)
        open()
        deliver()
    }

    private func cancel(_ number: Int) {
        let cancelledSendings = sendings.filter { $0.number == number }
        let cancelledReceivings = receivings.filter { $0.number == number }
        sendings.removeAll { $0.number == number }
        receivings.removeAll { $0.number == number }
        for sending in cancelledSendings { sending.finish(.failure(.cancelled)) }
        for receiving in cancelledReceivings { receiving.finish(.failure(.cancelled)) }
    }

    private func open() {
        guard !isOpen else { return }
        isOpen = true
        streams.open { [weak self] event in
            switch event {
            case .readable: self?.deliver()
            case .writable: self?.flush()
            case .outputEnded: self?.endOutput()
            case .ended(let error): self?.end(error == nil ? .success(nil) : .failure(.linkEnded))
            }
        }
    }

    private func flush() {
        while let sending = sendings.first {
            let count = streams.write(sending.rest)
            // `dropFirst` returns a slice. Copying the remaining bytes after each write would take
            // quadratic time.
            sendings[0].rest = sending.rest.dropFirst(count)
            if sendings[0].rest.isEmpty {
                sendings.removeFirst().finish(.success(()))
            } else if count == 0 {
                return
            }
        }
    }

    private func deliver() {
        while !receivings.isEmpty, let bytes = streams.read() {
            receivings.removeFirst().finish(.success(bytes))
        }
    }

    private func end(_ ending: Received) {
        guard self.ending == nil else { return }
        self.ending = ending
        streams.close()
        endOutput()
        for receiving in receivings { receiving.finish(ending) }
        receivings = []
    }

    /// Fails the calls that send. The bytes that have arrived can still be received.
    private func endOutput() {
        hasOutputEnded = true
        for sending in sendings { sending.finish(.failure(.linkEnded)) }
        sendings = []
    }
}
