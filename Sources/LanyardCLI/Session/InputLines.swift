// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The lines of standard input, as a person or a program writes them.
enum InputLines {
    /// How long a line may be; of a longer one only the beginning is taken, which no order is.
    static let lengthLimit = 8_192
    /// How many lines wait to be taken before no more are read.
    static let waitingLimit = 64

    /// The lines, without what ends them. The stream ends with the input.
    static func stream(of descriptor: Int32 = STDIN_FILENO) -> AsyncStream<String> {
        // In the background of a terminal, reading fails instead of stopping the process.
        signal(SIGTTIN, SIG_IGN)
        let (lines, feed) = AsyncStream.makeStream(of: String.self)
        let room = DispatchSemaphore(value: waitingLimit)
        // A thread of its own: reading waits for as long as it takes. It ends with the process.
        Thread.detachNewThread {
            var splitter = LineSplitter(lengthLimit: lengthLimit)
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(descriptor, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                for line in splitter.receive(bytes[..<count]) {
                    room.wait()
                    feed.yield(line)
                }
            }
            if let line = splitter.end() { feed.yield(line) }
            feed.finish()
        }
        return AsyncStream {
            var iterator = lines.makeAsyncIterator()
            let line = await iterator.next()
            room.signal()
            return line
        }
    }
}

/// Cuts bytes into lines.
struct LineSplitter: Sendable {
    let lengthLimit: Int
    private var pending: [UInt8] = []

    init(lengthLimit: Int) {
        self.lengthLimit = lengthLimit
    }

    /// The lines that end in these bytes, without what ends them.
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

    /// What came after the last end of a line; nil for nothing.
    mutating func end() -> String? {
        pending.isEmpty ? nil : take()
    }

    private mutating func take() -> String {
        defer { pending = [] }
        let isFromWindows = pending.last == UInt8(ascii: "\r")
        return String(decoding: isFromWindows ? pending.dropLast() : pending, as: UTF8.self)
    }
}
