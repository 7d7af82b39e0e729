// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// What the core remembers of its store.
struct StoreKeeping: Sendable {
    /// What is to be written, and when.
    var schedule = SaveSchedule()
    /// Entries that are not for this host, but for another identity or a later version. What it has
    /// to keep under the same key does not destroy them: they are set aside first.
    var leftAlone: Set<StoreKey> = []
    /// The counters with which we sign.
    var counters: [DeviceAddress: SignCounter] = [:]
    /// The counters with which peers have signed.
    var ceilings: [DeviceAddress: CounterCeiling] = [:]

    /// Nothing is remembered of a peer any more.
    mutating func forget(_ peer: DeviceAddress) {
        counters[peer] = nil
        ceilings[peer] = nil
    }
}
