// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system's clocks.
package enum SystemClock {
    static var monotonic: Instant { Instant(nanoseconds: read(CLOCK_MONOTONIC)) }

    /// The nanoseconds since 1970-01-01 00:00 UTC, according to the clock of this machine.
    package static var nanosecondsSince1970: Int64 { read(CLOCK_REALTIME) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
