// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes

/// What an adapter keeps of managers that are to survive their process.
///
/// What such a manager wants is asked of the parts that carry it out, whenever one of these says that
/// it has changed. Here is only what they do not know: what has to wait for power or for a link after
/// a launch.
struct RestorationPart: Sendable {
    /// Which manager a restore identifier belongs to now.
    private(set) var owners: [RestorationKey: SessionIdentifier] = [:]
    private var keys: [SessionIdentifier: RestorationKey] = [:]
    /// The managers whose intents are to be looked at, once the adapter has done what it is doing.
    var changed: Set<SessionIdentifier> = []
    /// The managers that have discovered something that is not kept yet.
    var unkept: Set<SessionIdentifier> = []
    /// When the intents of a manager were kept last.
    var keptAt: [SessionIdentifier: Instant] = [:]

    /// What was found for a central manager, and waits for power.
    var awaitingPower: [SessionIdentifier: RestoredCentral] = [:]
    /// The peers that a manager was promised, and has not heard of as connected yet.
    var awaitingLink: [SessionIdentifier: [PeerIdentifier: RestoredPeer]] = [:]

    var names = PeerNames()
    var index = RestorationIndex()
    /// Whether the names and the index were read.
    var isOpen = false
    /// Whether the adapter is coming to its end: what is wished for no more was not given up.
    var isFrozen = false

    /// The key of a manager; nil if it has none, or another one has it.
    func key(of session: SessionIdentifier) -> RestorationKey? { keys[session] }

    /// A manager has this key from now on; false if another one has it.
    mutating func take(_ key: RestorationKey, for session: SessionIdentifier) -> Bool {
        guard owners[key] == nil else { return false }
        owners[key] = session
        keys[session] = key
        return true
    }

    /// A manager is gone.
    mutating func leave(_ session: SessionIdentifier) {
        if let key = keys.removeValue(forKey: session) { owners[key] = nil }
        changed.remove(session)
        unkept.remove(session)
        keptAt[session] = nil
        awaitingPower[session] = nil
        awaitingLink[session] = nil
    }
}

/// A peer between the launch and the moment when its manager is told that it is connected.
struct RestoredPeer: Sendable {
    let reconnects: Bool
    /// What the application knows of it.
    let table: RememberedTable?
    /// The link on which the peer's table is being compared with that.
    var link: LinkIdentifier?
}

/// What is restored of a central manager.
struct RestoredCentral: Sendable {
    /// A peer that is wished for again, by this number.
    struct Peer: Sendable {
        let intent: CentralIntents.Peer
        let wish: WishNumber
        /// Whether there is a link already: another manager of the process holds it.
        let isConnected: Bool
    }

    var peers: [Peer]
    let scan: CentralIntents.Scan?
}

/// What is restored of a peripheral manager.
struct RestoredPeripheralManager: Sendable {
    let services: [PublishedService]
    let advertisement: AdvertisementIntent?
}
