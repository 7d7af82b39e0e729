// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The system calls for standard input and output.
///
/// The streams are shared with other processes, each of which can set a stream to non-blocking mode.
/// The calls therefore wait until the stream is ready.
enum StandardStream {
    /// Reads as many bytes as are available, and waits for the first.
    ///
    /// - Returns: The number of bytes; 0 at the end of the input, and -1 for an error.
    static func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Int {
        repeat {
            let count = Foundation.read(descriptor, &bytes, bytes.count)
            if count >= 0 { return count }
        } while isReady(descriptor, for: POLLIN)
        return -1
    }

    /// Writes as many bytes as fit into the stream, and waits until there is room.
    ///
    /// - Returns: The number of bytes; -1 for an error.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        repeat {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 { return count }
        } while isReady(descriptor, for: POLLOUT)
        return -1
    }

    /// Waits if a call has failed because the stream was not ready. Returns whether to call again.
    private static func isReady(_ descriptor: Int32, for events: some BinaryInteger) -> Bool {
        guard errno == EAGAIN else { return errno == EINTR }
        var awaited = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = poll(&awaited, 1, -1)
        return true
    }
}
