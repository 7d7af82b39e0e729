// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system's clocks.
package enum SystemClock {
    /// Nanoseconds of a clock that never goes back.
    static var monotonic: Instant { Instant(nanoseconds: read(CLOCK_MONOTONIC)) }

    /// Nanoseconds since 1970-01-01 00:00 UTC, as far as this machine knows.
    package static var nanosecondsSince1970: Int64 { read(CLOCK_REALTIME) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
