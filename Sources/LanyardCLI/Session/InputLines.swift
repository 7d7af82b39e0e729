// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line of standard input, without its end.
struct InputLine: Equatable, Sendable {
    let text: String
    /// The time at which the line was read. The line may then wait in a stream. If a question is
    /// shown during that time, the line is not an answer to that question.
    let readAt: ContinuousClock.Instant
}

extension AsyncStream<InputLine> {
    /// The texts of the lines.
    var texts: AsyncStream<String> {
        AsyncStream<String> {
            var iterator = makeAsyncIterator()
            return await iterator.next()?.text
        }
    }
}

/// The lines of standard input.
enum InputLines {
    /// The maximum length of a line in bytes. Only the beginning of a longer line is kept.
    static let lengthLimit = 8_192
    /// The maximum number of lines that wait. When it is reached, reading stops until a line is
    /// taken.
    static let waitingLimit = 64

    /// Returns the lines without their ends. The stream ends when the input ends or cannot be read.
    static func stream(of descriptor: Int32 = STDIN_FILENO) -> AsyncStream<InputLine> {
        // For a background job, reading from the terminal fails instead of stopping the process.
        signal(SIGTTIN, SIG_IGN)
        let (lines, feed) = AsyncStream.makeStream(of: InputLine.self)
        // A semaphore traps if its value is below its initial value when it is released. The
        // initial value is therefore 0, and the loop raises it to the limit.
        let freePlaces = DispatchSemaphore(value: 0)
        for _ in 0..<waitingLimit { freePlaces.signal() }
        // Reading blocks, so it has a thread of its own, which ends with the process.
        Thread.detachNewThread {
            var splitter = LineSplitter(lengthLimit: lengthLimit)
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = StandardStream.read(descriptor, into: &bytes)
                let readAt = ContinuousClock.now
                guard count > 0 else { break }
                for line in splitter.receive(bytes[..<count]) {
                    freePlaces.wait()
                    feed.yield(InputLine(text: line, readAt: readAt))
                }
            }
            if let line = splitter.end() { feed.yield(InputLine(text: line, readAt: .now)) }
            feed.finish()
        }
        return AsyncStream {
            var iterator = lines.makeAsyncIterator()
            let line = await iterator.next()
            freePlaces.signal()
            return line
        }
    }
}

/// A splitter of bytes into lines.
struct LineSplitter: Sendable {
    let lengthLimit: Int
    private var pending: [UInt8] = []

    init(lengthLimit: Int) {
        self.lengthLimit = lengthLimit
    }

    /// Returns the lines that end in these bytes, without their ends.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(take())
            } else if pending.count < lengthLimit {
                pending.append(byte)
            }
        }
        return lines
    }

    /// Returns the text after the last end of a line; `nil` if there is none.
    mutating func end() -> String? {
        pending.isEmpty ? nil : take()
    }

    private mutating func take() -> String {
        defer { pending = [] }
        let isFromWindows = pending.last == UInt8(ascii: "\r")
        return String(decoding: isFromWindows ? pending.dropLast() : pending, as: UTF8.self)
    }
}

/// The end of standard input, which ends some commands.
enum EndOfInput {
    /// Returns when the input has ended or the task is canceled. The input is discarded.
    static func wait(on descriptor: Int32 = STDIN_FILENO) async {
        let (end, feed) = AsyncStream.makeStream(of: Never.self)
        // Reading blocks, so it has a thread of its own, which ends with the process.
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while StandardStream.read(descriptor, into: &bytes) > 0 {}
            feed.finish()
        }
        for await _ in end {}
    }

    /// Returns when the task is canceled.
    static func never() async {
        let (end, feed) = AsyncStream.makeStream(of: Never.self)
        await withTaskCancellationHandler {
            for await _ in end {}
        } onCancel: {
            feed.finish()
        }
    }
}
