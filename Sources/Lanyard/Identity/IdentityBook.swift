// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What follows from a device being recognised.
package enum IdentityAction: Hashable, Sendable {
    /// What was taken for two accessories is one: all that is known of the first belongs to the second.
    case merged(from: AccessoryIdentity, into: AccessoryIdentity)
    /// There are two links to one accessory: end the first, the other stays.
    case close(UUID, keeping: UUID)
}

/// Which of the system's identifiers belong to which accessory.
///
/// A device that is not bonded changes its address every quarter of an hour or so (Vol 3, Part C, 10.7),
/// and is a new peripheral with a new identifier for the system each time; one that runs Android does
/// even while it is connected. If it says in its manufacturer's data who it is, it is one accessory all the
/// same: identifiers are gathered under one identity here. If a device turns out to be known already, both
/// are merged; if there is a second link to it, one is closed.
package struct IdentityBook: Sendable {
    /// How many accessories are kept in mind, beside those that are remembered or linked.
    package static let accessoryLimit = 1024
    /// How many identifiers of one accessory are, beside those with links.
    package static let identifierLimit = 16
    /// An older link from which something came so recently stays, and the newer one is closed; else it is
    /// taken for dead, and the newer one stays.
    package static let livenessLimit = Duration.seconds(10)

    private var pages: [AccessoryIdentity: IdentityPage] = [:]
    private var owners: [UUID: AccessoryIdentity] = [:]
    private var pageCount = 0
    private let accessoryLimit: Int

    /// An empty book.
    package init(accessoryLimit: Int = Self.accessoryLimit) {
        self.accessoryLimit = accessoryLimit
    }

    /// How many accessories are in it.
    package var count: Int { pages.count }

    /// Whose identifier it is.
    package func identity(of identifier: UUID) -> AccessoryIdentity? { owners[identifier] }

    /// What the system calls an accessory, or did: the one that was met last in front.
    package func systemIdentifiers(of identity: AccessoryIdentity) -> [UUID] {
        pages[identity]?.freshest.map(\.identifier) ?? []
    }

    /// Under which identifier an accessory has a link that is not to be closed.
    package func linkedIdentifier(of identity: AccessoryIdentity) -> UUID? {
        pages[identity]?.links.first?.identifier
    }

    // MARK: Recognising

    /// Says who was heard. Where it should say so itself and does not, it is who its identifier was, or
    /// somebody new.
    package mutating func identify(
        _ sighting: Sighting,
        by source: IdentitySource,
        now: Duration
    ) -> (identity: AccessoryIdentity, actions: [IdentityAction]) {
        let identifier = sighting.identifier
        var actions: [IdentityAction] = []
        if let own = AccessoryIdentity(of: sighting, by: source), source != .system {
            actions = assign(identifier, to: own, now: now)
        }
        let identity = owners[identifier] ?? .system(identifier)
        note(identifier, of: identity, now: now)
        return (identity, actions)
    }

    /// An accessory is remembered, or restored, with the identifier that it had last. It is kept in mind
    /// until it is forgotten.
    package mutating func adopt(
        _ identifier: UUID,
        as identity: AccessoryIdentity,
        now: Duration
    ) -> [IdentityAction] {
        let actions = assign(identifier, to: identity, now: now)
        let owner = owners[identifier] ?? identity
        note(identifier, of: owner, now: now)
        pages[owner]?.isKept = true
        return actions
    }

    /// An accessory is not remembered any more.
    package mutating func forget(_ identity: AccessoryIdentity) {
        for entry in pages.removeValue(forKey: identity)?.entries ?? [] {
            owners[entry.identifier] = nil
        }
    }

    // MARK: Links

    /// There is a link to a device.
    package mutating func linked(_ identifier: UUID, now: Duration) -> [IdentityAction] {
        let identity = owners[identifier] ?? .system(identifier)
        note(identifier, of: identity, now: now)
        pages[identity]?.change(identifier) { $0.link = IdentityPage.Link(since: now) }
        return closeDuplicates(of: identity, now: now)
    }

    /// Something came over it.
    package mutating func heard(_ identifier: UUID, now: Duration) {
        guard let identity = owners[identifier] else { return }
        pages[identity]?.change(identifier) { entry in
            entry.lastMet = now
            entry.link?.lastHeard = now
        }
    }

    /// It has ended.
    package mutating func unlinked(_ identifier: UUID) {
        guard let identity = owners[identifier] else { return }
        pages[identity]?.change(identifier) { $0.link = nil }
    }

    // MARK: Pages

    /// Makes an identifier an accessory's, with all that was known under it.
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

    /// Two that say that they are different are: the system gave one the identifier that the other had.
    /// But what has a link stays who it is.
    private mutating func move(
        _ identifier: UUID,
        from owner: AccessoryIdentity,
        to identity: AccessoryIdentity
    ) {
        guard pages[owner]?.entry(identifier)?.link == nil else { return }
        pages[owner]?.remove(identifier)
        if let page = pages[owner], page.entries.isEmpty, !page.isKept { pages[owner] = nil }
        owners[identifier] = identity
    }

    private mutating func merge(
        _ one: AccessoryIdentity,
        into other: AccessoryIdentity
    ) -> [IdentityAction] {
        guard let page = pages.removeValue(forKey: one) else { return [] }
        for entry in page.entries { owners[entry.identifier] = other }
        pages[other, default: IdentityPage(number: page.number)].absorb(page)
        trim(other)
        return [.merged(from: one, into: other)]
    }

    private mutating func closeDuplicates(
        of identity: AccessoryIdentity,
        now: Duration
    ) -> [IdentityAction] {
        guard let page = pages[identity], page.links.count > 1,
            let kept = page.bestLink(heardSince: now - Self.livenessLimit)
        else { return [] }
        return page.links.filter { $0.identifier != kept }.map { entry in
            pages[identity]?.change(entry.identifier) { $0.link?.isClosing = true }
            return .close(entry.identifier, keeping: kept)
        }
    }

    private mutating func note(_ identifier: UUID, of identity: AccessoryIdentity, now: Duration) {
        makeRoom(for: identity)
        owners[identifier] = identity
        pages[identity, default: IdentityPage(number: pageCount)].meet(identifier, now: now)
        pageCount += 1
        trim(identity)
    }

    /// Lets go of identifiers that were not met for long.
    private mutating func trim(_ identity: AccessoryIdentity) {
        for identifier in pages[identity]?.trim(to: Self.identifierLimit) ?? [] {
            owners[identifier] = nil
        }
    }

    /// Lets go of the accessory that was met longest ago, if there are too many.
    private mutating func makeRoom(for identity: AccessoryIdentity) {
        guard pages[identity] == nil, pages.count >= accessoryLimit else { return }
        let oldest = pages.lazy.filter { !$0.value.isHeld }
            .min { ($0.value.lastMet, $0.value.number) < ($1.value.lastMet, $1.value.number) }
        if let oldest { forget(oldest.key) }
    }
}
