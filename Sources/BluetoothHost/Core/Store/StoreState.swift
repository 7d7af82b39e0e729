// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// The core's knowledge of its store, except the contents.
struct StoreState: Sendable {
    /// The entries to be written, and the times.
    var schedule = SaveSchedule()
    /// Entries of another identity or a later version. The host does not use or destroy them. If it
    /// must write under the same key, it sets them aside first.
    var untouchedKeys: Set<StoreKey> = []
    /// Whether the store lacks the host's identity, without which bonds are of no use.
    var isIdentityUnsaved = false
    /// The counters of this host's signatures.
    var counters: [DeviceAddress: SignCounter] = [:]
    /// The counters of the peers' signatures.
    var ceilings: [DeviceAddress: CounterCeiling] = [:]

    /// Removes the counters of a peer.
    mutating func forget(_ peer: DeviceAddress) {
        counters[peer] = nil
        ceilings[peer] = nil
    }
}
