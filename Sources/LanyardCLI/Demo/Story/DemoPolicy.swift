// SPDX-License-Identifier: Apache-2.0

import Lanyard

/// Which link makes room: the one that was silent longest, if any has to.
struct DemoPolicy: ConnectionPolicy {
    /// Whether links may be ended to make room.
    let allows: @Sendable () -> Bool

    func linkToEnd(
        for request: ConnectionRequest,
        among links: [ConnectionHolder]
    ) -> AccessoryIdentity? {
        guard allows() else { return nil }
        return links.max { $0.silence < $1.silence }?.identity
    }
}
