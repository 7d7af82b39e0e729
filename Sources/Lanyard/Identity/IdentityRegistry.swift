// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An action that follows from the recognition of a device.
package enum IdentityAction: Hashable, Sendable {
    /// Two identities are one accessory: all data of the first now belongs to the second.
    case merged(from: AccessoryIdentity, into: AccessoryIdentity)
    /// There are two links to one accessory: end the first and keep the second.
    case close(UUID, keeping: UUID)
}

/// The assignment of system identifiers to accessories.
///
/// A device may change its address about every 15 minutes (Vol 3, Part C, 10.7). If it is not
/// bonded, the system then treats it as a new peripheral with a new identifier. An Android device
/// may change its address even while it is connected. If a device sends an identifier of its own in
/// its manufacturer data, this type collects its system identifiers under one identity. If a device
/// turns out to be known already, the two identities are merged. If it then has a second link, one
/// of the links is closed.
package struct IdentityRegistry: Sendable {
    /// The maximum number of accessories in the registry. Remembered and linked accessories stay
    /// even beyond the maximum.
    package static let accessoryLimit = 1024
    /// The maximum number of identifiers of one accessory. Identifiers with links stay even beyond
    /// the maximum.
    package static let identifierLimit = 16
    /// If the older link was made or has received data within this time, the newer link is closed.
    /// Otherwise the older link is presumed lost, and the newer one stays.
    package static let livenessLimit = Duration.seconds(10)

    private var entries: [AccessoryIdentity: IdentityEntry] = [:]
    private var owners: [UUID: AccessoryIdentity] = [:]
    private var entryCount = 0
    private let accessoryLimit: Int

    /// Creates an empty registry.
    package init(accessoryLimit: Int = Self.accessoryLimit) {
        self.accessoryLimit = accessoryLimit
    }

    /// The number of accessories in the registry.
    package var count: Int { entries.count }

    /// Returns the accessory to which the identifier belongs.
    package func identity(of identifier: UUID) -> AccessoryIdentity? { owners[identifier] }

    /// Returns the system's identifiers of an accessory, latest first.
    package func systemIdentifiers(of identity: AccessoryIdentity) -> [UUID] {
        entries[identity]?.freshest.map(\.identifier) ?? []
    }

    /// Returns the identifier of an accessory's link, unless that link is being closed.
    package func linkedIdentifier(of identity: AccessoryIdentity) -> UUID? {
        entries[identity]?.links.first?.identifier
    }

    // MARK: Recognition

    /// Returns the identity of a discovered device. If its manufacturer data does not identify it,
    /// the result is the accessory to which its system identifier belongs. If there is none, the
    /// identifier itself is the identity.
    package mutating func identify(
        _ discovery: Discovery,
        by source: IdentitySource,
        now: Duration
    ) -> (identity: AccessoryIdentity, actions: [IdentityAction]) {
        let identifier = discovery.identifier
        var actions: [IdentityAction] = []
        if let own = AccessoryIdentity(of: discovery, by: source), source != .system {
            actions = assign(identifier, to: own, now: now)
        }
        let identity = owners[identifier] ?? .system(identifier)
        note(identifier, of: identity, now: now)
        return (identity, actions)
    }

    /// Registers an identifier of an accessory. The registry keeps the accessory until it is
    /// forgotten.
    package mutating func adopt(
        _ identifier: UUID,
        as identity: AccessoryIdentity,
        now: Duration
    ) -> [IdentityAction] {
        let actions = assign(identifier, to: identity, now: now)
        let owner = owners[identifier] ?? identity
        note(identifier, of: owner, now: now)
        entries[owner]?.isRemembered = true
        return actions
    }

    /// Removes an accessory that is no longer remembered.
    package mutating func forget(_ identity: AccessoryIdentity) {
        for entry in entries.removeValue(forKey: identity)?.entries ?? [] {
            owners[entry.identifier] = nil
        }
    }

    // MARK: Links

    /// Records that there is a link to a device.
    package mutating func linked(_ identifier: UUID, now: Duration) -> [IdentityAction] {
        let identity = owners[identifier] ?? .system(identifier)
        note(identifier, of: identity, now: now)
        entries[identity]?.change(identifier) { $0.link = IdentityEntry.Link(since: now) }
        return closeDuplicates(of: identity, now: now)
    }

    /// Records that data arrived over the link.
    package mutating func received(_ identifier: UUID, now: Duration) {
        guard let identity = owners[identifier] else { return }
        entries[identity]?.change(identifier) { entry in
            entry.lastSeen = now
            entry.link?.lastReceived = now
        }
    }

    /// Records that the link has ended.
    package mutating func unlinked(_ identifier: UUID) {
        guard let identity = owners[identifier] else { return }
        entries[identity]?.change(identifier) { $0.link = nil }
    }

    // MARK: Entries

    /// Assigns a system identifier to an accessory. If the identifier already belongs to another
    /// identity of the kind `system`, that identity is the same accessory, and is merged into this
    /// one.
    private mutating func assign(
        _ identifier: UUID,
        to identity: AccessoryIdentity,
        now: Duration
    ) -> [IdentityAction] {
        guard let owner = owners[identifier], owner != identity else {
            owners[identifier] = identity
            return []
        }
        guard case .system = owner else {
            move(identifier, from: owner, to: identity)
            return []
        }
        return merge(owner, into: identity) + closeDuplicates(of: identity, now: now)
    }

    /// Moves a system identifier to another accessory. The manufacturer data of both accessories
    /// shows that they are different devices, so the system has assigned the identifier to the
    /// other device. An identifier with a link is not moved.
    private mutating func move(
        _ identifier: UUID,
        from owner: AccessoryIdentity,
        to identity: AccessoryIdentity
    ) {
        guard entries[owner]?.entry(identifier)?.link == nil else { return }
        entries[owner]?.remove(identifier)
        if let known = entries[owner], known.entries.isEmpty, !known.isRemembered {
            entries[owner] = nil
        }
        owners[identifier] = identity
    }

    private mutating func merge(
        _ one: AccessoryIdentity,
        into other: AccessoryIdentity
    ) -> [IdentityAction] {
        guard let known = entries.removeValue(forKey: one) else { return [] }
        for entry in known.entries { owners[entry.identifier] = other }
        entries[other, default: IdentityEntry(number: known.number)].absorb(known)
        trim(other)
        return [.merged(from: one, into: other)]
    }

    private mutating func closeDuplicates(
        of identity: AccessoryIdentity,
        now: Duration
    ) -> [IdentityAction] {
        guard let known = entries[identity], known.links.count > 1,
            let kept = known.bestLink(receivedSince: now - Self.livenessLimit)
        else { return [] }
        return known.links.filter { $0.identifier != kept }.map { entry in
            entries[identity]?.change(entry.identifier) { $0.link?.isClosing = true }
            return .close(entry.identifier, keeping: kept)
        }
    }

    private mutating func note(_ identifier: UUID, of identity: AccessoryIdentity, now: Duration) {
        makeRoom(for: identity)
        owners[identifier] = identity
        entries[identity, default: IdentityEntry(number: entryCount)].noteSeen(identifier, now: now)
        entryCount += 1
        trim(identity)
    }

    /// Removes the least recently seen identifiers beyond the limit.
    private mutating func trim(_ identity: AccessoryIdentity) {
        for identifier in entries[identity]?.trim(to: Self.identifierLimit) ?? [] {
            owners[identifier] = nil
        }
    }

    /// If the registry is full, makes room for an accessory that it does not contain: removes the
    /// least recently seen accessory that is neither remembered nor linked.
    private mutating func makeRoom(for identity: AccessoryIdentity) {
        guard entries[identity] == nil, entries.count >= accessoryLimit else { return }
        let oldest = entries.lazy.filter { !$0.value.isHeld }
            .min { ($0.value.lastSeen, $0.value.number) < ($1.value.lastSeen, $1.value.number) }
        if let oldest { forget(oldest.key) }
    }
}
