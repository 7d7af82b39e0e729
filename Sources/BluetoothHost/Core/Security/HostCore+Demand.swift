// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Security on demand.
extension HostCore {
    /// A link that the core itself wanted to be protected is, or will not be.
    mutating func secured(
        _ id: UInt64,
        _ result: Result<LinkSecurity, any Error>,
        on handle: ConnectionHandle,
        now: Instant
    ) {}
}
