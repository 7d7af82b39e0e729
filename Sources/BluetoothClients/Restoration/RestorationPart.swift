// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The adapter's state for managers with state restoration. A manager's intents
/// (``CentralIntents``, ``PeripheralManagerIntents``) are not part of it, because the parts of the
/// adapter that perform the manager's commands already hold them. This type holds only the other
/// state, such as restored intents that wait for Bluetooth to be on, or for a link.
struct RestorationPart: Sendable {
    /// The manager that has each restore identifier.
    private(set) var owners: [RestorationKey: SessionIdentifier] = [:]
    private var keys: [SessionIdentifier: RestorationKey] = [:]
    /// The maximum number of placeholders. Beyond it, the oldest one ends.
    static let placeholderLimit = 32
    /// The sessions that keep the links of managers whose process ended.
    var placeholders: [RestorationKey: SessionIdentifier] = [:]
    /// The managers whose intents have to be stored when the adapter has finished its current work.
    var changed: Set<SessionIdentifier> = []
    /// The managers with discovered attributes that are not stored yet.
    var unstored: Set<SessionIdentifier> = []
    /// The times at which the managers' intents were stored last.
    var storedAt: [SessionIdentifier: Instant] = [:]

    /// The restored state of central managers that wait for Bluetooth to be on.
    var awaitingPower: [SessionIdentifier: RestoredCentral] = [:]
    /// The restored peers whose managers have not received `connected`.
    var awaitingLink: [SessionIdentifier: [PeerIdentifier: RestoredPeer]] = [:]

    var names = PeerNames()
    var index = RestorationIndex()
    /// Whether the names and the index were read.
    var isOpen = false
    /// Whether the adapter is being closed or has become unavailable. The stored intents then stay
    /// as they are, so that links that end for this reason are restored later.
    var isFrozen = false

    /// Returns the key of a manager; `nil` if it has none, or if another manager has it.
    func key(of session: SessionIdentifier) -> RestorationKey? { keys[session] }

    /// Assigns a key to a manager. Returns `false` if another manager has it.
    mutating func take(_ key: RestorationKey, for session: SessionIdentifier) -> Bool {
        guard owners[key] == nil else { return false }
        owners[key] = session
        keys[session] = key
        return true
    }

    /// Adds a placeholder. Returns the placeholders that it replaces.
    mutating func addPlaceholder(
        _ placeholder: SessionIdentifier,
        for key: RestorationKey
    ) -> [SessionIdentifier] {
        var former = placeholders.updateValue(placeholder, forKey: key).map { [$0] } ?? []
        if placeholders.count > Self.placeholderLimit,
            let oldest = placeholders.min(by: { $0.value < $1.value })
        {
            placeholders[oldest.key] = nil
            former.append(oldest.value)
        }
        return former
    }

    /// Removes a manager that was released.
    mutating func remove(_ session: SessionIdentifier) {
        if let key = keys.removeValue(forKey: session) { owners[key] = nil }
        changed.remove(session)
        unstored.remove(session)
        storedAt[session] = nil
        awaitingPower[session] = nil
        awaitingLink[session] = nil
    }
}

/// A restored peer, from the start of its connection request until its manager receives
/// `connected`.
struct RestoredPeer: Sendable {
    let reconnects: Bool
    /// Whether the manager was restored with the peer as connected, and therefore gets no
    /// `connected`.
    var isShown = false
    /// The attributes that the application knows.
    let table: RemoteTable?
    /// The link on which the peer's database is being read and compared with `table`; `nil` if
    /// there is none.
    var link: LinkIdentifier?
}

/// The restored state of a central manager.
package struct RestoredCentral: Sendable {
    /// A peer with a restored connection request.
    package struct Peer: Sendable {
        package let intent: CentralIntents.Peer
        package let request: ConnectionRequestNumber
        /// Whether there is already a link, which the system kept or another manager uses.
        package let isConnected: Bool
    }

    package var peers: [Peer]
    package let scan: RequestedScan?
}
