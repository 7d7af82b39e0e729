// SPDX-License-Identifier: Apache-2.0

import Scenarios
import Synchronization

/// The raw round trips of this run, each size measured once.
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
