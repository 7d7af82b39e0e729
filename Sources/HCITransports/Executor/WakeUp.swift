// SPDX-License-Identifier: Apache-2.0

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
    /// `milliseconds`.
    package func wait(milliseconds: Int32) -> Bool {
        var interest = pollfd(fd: readEnd.number, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, milliseconds) > 0
    }
}
