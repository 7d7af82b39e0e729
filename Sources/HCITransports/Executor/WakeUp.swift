// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A pipe to itself by which a sleeping thread is woken.
///
/// The caller signals only a thread that sleeps or is about to, once for each sleep, so that one
/// byte at most waits in the pipe.
package struct WakeUp: Sendable {
    let readEnd: Descriptor
    private let writeEnd: Descriptor

    /// Nil when the process has no descriptors left.
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

    /// Takes the signal out again.
    package func consume() {
        var byte: UInt8 = 0
        _ = read(readEnd.number, &byte, 1)
    }

    /// Waits for the signal, without taking it out. False if none came in `milliseconds`.
    package func wait(milliseconds: Int32) -> Bool {
        var interest = pollfd(fd: readEnd.number, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, milliseconds) > 0
    }
}
