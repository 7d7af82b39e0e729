// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The end of standard input as the end of a program's life: whoever started it holds the other
/// end of a pipe, which the system closes whatever becomes of them.
enum EndOfInput {
    /// Returns when the input has ended, or the task is cancelled. What it says does not matter.
    static func wait(on descriptor: Int32 = STDIN_FILENO) async {
        let (end, feed) = AsyncStream.makeStream(of: Never.self)
        // A thread of its own: reading waits for as long as it takes. It ends with the process.
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(descriptor, &bytes, bytes.count)
                guard count > 0 || (count < 0 && errno == EINTR) else { break }
            }
            feed.finish()
        }
        for await _ in end {}
    }

    /// Returns when the task is cancelled.
    static func never() async {
        let (end, feed) = AsyncStream.makeStream(of: Never.self)
        await withTaskCancellationHandler {
            for await _ in end {}
        } onCancel: {
            feed.finish()
        }
    }
}
