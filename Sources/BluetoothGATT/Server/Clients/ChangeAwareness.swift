// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// A client's knowledge of the current database: change-aware or change-unaware (Vol 3, Part G,
/// 2.5.2.1).
struct ChangeAwareness: Equatable, Sendable {
    private(set) var isAware = true

    /// Whether the client has read the Database Hash. The client becomes change-aware with its next
    /// request.
    private var hasReadHash = false

    /// The channels of the bearers on which the server has sent the error Database Out Of Sync,
    /// once on each.
    private var refusedChannels: Set<UInt16> = []

    /// Makes the client change-unaware, because the database has changed.
    mutating func databaseChanged() {
        self = ChangeAwareness()
        isAware = false
    }

    mutating func becomeAware() {
        self = ChangeAwareness()
    }

    /// Processes the confirmation of a Service Changed indication. It makes the client change-aware
    /// only if the client has one bearer, because on several bearers earlier requests may still be
    /// in transit.
    mutating func serviceChangedConfirmed(bearerCount: Int) {
        if bearerCount == 1 { becomeAware() }
    }

    /// Processes a request. It makes the client change-aware if the client has read the Database
    /// Hash, or if the server has refused a request on the client's only bearer.
    mutating func requestReceived(on channel: UInt16, bearerCount: Int) {
        guard !isAware else { return }
        let wasRefusedHere = bearerCount == 1 && refusedChannels.contains(channel)
        if hasReadHash || wasRefusedHere { becomeAware() }
    }

    mutating func hashRead() {
        if !isAware { hasReadHash = true }
    }

    /// Records a refusal on a bearer, and returns whether it is the first one on that bearer.
    mutating func refuse(on channel: UInt16) -> Bool {
        refusedChannels.insert(channel).inserted
    }
}
