// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A pipe that wakes a sleeping thread of the same process.
///
/// Call `signal()` only if the thread sleeps or is about to sleep, and once for each sleep.
package struct WakeUp: Sendable {
    let readEnd: Descriptor
    private let writeEnd: Descriptor

    /// Creates a pipe, or returns `nil` if the process has no free descriptors.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        readEnd = Descriptor(owning: ends[0])
        writeEnd = Descriptor(owning: ends[1])
        readEnd.makeNonBlocking()
        writeEnd.makeNonBlocking()
    }

    /// Wakes the thread.
    package func signal() {
        var byte: UInt8 = 1
        _ = write(writeEnd.number, &byte, 1)
    }

    /// Removes one signal from the pipe, if there is one.
    package func consume() {
        var byte: UInt8 = 0
        _ = read(readEnd.number, &byte, 1)
    }

    /// Waits for the signal without removing it. Returns `false` if there was none within
    /// `milliseconds`; -1 waits without a limit.
    package func wait(milliseconds: Int32) -> Bool {
        let end = SystemClock.monotonic + .milliseconds(Int(milliseconds))
        var interest = pollfd(fd: readEnd.number, events: Int16(POLLIN), revents: 0)
        var left = milliseconds
        while true {
            let count = poll(&interest, 1, left)
            // A handler of a signal interrupts the system call.
            guard count < 0, errno == EINTR else { return count > 0 }
            guard milliseconds >= 0 else { continue }
            let rest = max(end - SystemClock.monotonic, .zero)
            left = Int32(clamping: (rest.nanoseconds + 999_999) / 1_000_000)
        }
    }
}
