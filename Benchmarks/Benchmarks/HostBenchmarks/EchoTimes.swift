// SPDX-License-Identifier: Apache-2.0

import Scenarios
import Synchronization

/// The durations of raw round trips (`SocketEcho`) on this machine. Each packet size is measured
/// once in a run.
enum EchoTimes {
    private static let measured = Mutex<[Int: Duration]>([:])

    static func roundTrip(size: Int) -> Duration? {
        measured.withLock { measured in
            if let known = measured[size] { return known }
            let new = SocketEcho.roundTrip(size: size)
            measured[size] = new
            return new
        }
    }
}
