// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// Whether a client knows the table as it is now: change-aware, or change-unaware
/// (Vol 3, Part G, 2.5.2.1).
struct ChangeAwareness: Equatable, Sendable {
    private(set) var isAware = true

    /// It has read the Database Hash, and is aware with its next request.
    private var hasReadHash = false

    /// The channels of the bearers on which it was told that it is out of sync: once on each.
    private var refusedChannels: Set<UInt16> = []

    /// The table is another one now.
    mutating func databaseChanged() {
        self = ChangeAwareness()
        isAware = false
    }

    /// The client knows the table.
    mutating func becomeAware() {
        self = ChangeAwareness()
    }

    /// The client has confirmed a Service Changed indication, which counts if it has one bearer: with
    /// several, requests that it sent before may still be on their way.
    mutating func serviceChangedConfirmed(bearerCount: Int) {
        if bearerCount == 1 { becomeAware() }
    }

    /// A request came in: the second event of the two ways to become aware that have two.
    mutating func requestCame(on channel: UInt16, bearerCount: Int) {
        guard !isAware else { return }
        let wasRefusedHere = bearerCount == 1 && refusedChannels.contains(channel)
        if hasReadHash || wasRefusedHere { becomeAware() }
    }

    /// The client reads the Database Hash.
    mutating func hashRead() {
        if !isAware { hasReadHash = true }
    }

    /// Whether this is the first time that the bearer is to be refused.
    mutating func refuse(on channel: UInt16) -> Bool {
        refusedChannels.insert(channel).inserted
    }
}
