// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Flushes standard output, because a parent process waits for the printed lines.
func flushOutput() {
    fflush(nil)
}

/// Waits for the end of standard input, on a thread of its own because reading blocks.
func endOfInput() async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            while let data = try? FileHandle.standardInput.read(upToCount: 4_096), !data.isEmpty {}
            continuation.resume()
        }
    }
}
