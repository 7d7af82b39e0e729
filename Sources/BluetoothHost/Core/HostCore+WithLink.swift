// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothTypes

// The lookup of links. For each input, the host looks up the link here, once. The link's method
// changes the link in the table and the shared context, both without a copy. The host then handles
// the events that the link has posted.
extension HostCore {
    /// Runs `body` on a link. Returns `nil` if there is no such link.
    @discardableResult
    mutating func withLink<Result, Failure>(
        _ link: LinkIdentifier,
        now: Instant,
        _ body: (inout LinkCore, inout LinkContext) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let index = links.index(of: link) else { return nil }
        return try withLink(at: index, now: now, body)
    }

    /// Runs `body` on the link with this handle. Returns `nil` if there is no such link.
    @discardableResult
    mutating func withLink<Result>(
        _ handle: ConnectionHandle,
        now: Instant,
        _ body: (inout LinkCore, inout LinkContext) -> Result
    ) -> Result? {
        guard let index = links.index(of: handle) else { return nil }
        return withLink(at: index, now: now, body)
    }

    /// Returns the result of `body` on a link, without a copy of the link, or `nil` if there is no
    /// such link.
    func look<Result>(at link: LinkIdentifier, _ body: (LinkCore) -> Result?) -> Result? {
        links.index(of: link).flatMap { body(links.cores[$0]) }
    }

    /// Runs `body` on each current link that meets the condition, oldest first.
    mutating func forEachLink(
        where predicate: (LinkCore) -> Bool = { _ in true },
        now: Instant,
        _ body: (inout LinkCore, inout LinkContext) -> Void
    ) {
        for link in links.identifiers {
            guard let index = links.index(of: link), predicate(links.cores[index]) else { continue }
            withLink(at: index, now: now, body)
        }
    }

    @discardableResult
    mutating func withLink<Result, Failure>(
        at index: Int,
        now: Instant,
        _ body: (inout LinkCore, inout LinkContext) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer {
            // Each of these is `mutating`, because a read would copy the whole link or context.
            links.cores[index].countOccupation(in: &context)
            links.updateDeadline(at: index)
            if context.checkEvents() { handleLinkEvents(now: now) }
        }
        context.now = now
        return try body(&links.cores[index], &context)
    }

    /// Handles the events that links have posted.
    mutating func handleLinkEvents(now: Instant) {
        for (link, event) in context.takeEvents() { handle(event, of: link, now: now) }
        let refused = context.takeRefusedCommands()
        if !refused.isEmpty { perform(refused, now: now) }
    }

    private mutating func handle(_ event: LinkEvent, of link: LinkIdentifier, now: Instant) {
        switch event {
        case .established(let request): connectionRequests[request] = nil
        case .awaitsPerson(let request): connectionRequests[request]?.deadline = nil
        case .ended(let error): linkEnded(link, error, now: now)
        case .paired(let strength): paired(strength, on: link, now: now)
        case .bondChanged(let bond): bondChanged(bond, on: link, now: now)
        case .clientSigned(let peer):
            forEachLink(where: { $0.bond?.peer == peer }, now: now) { $0.useSigningKey(&$1) }
        case .served(let action): perform([action], now: now)
        }
    }

    /// Performs the server's actions on the links that they concern.
    mutating func perform(_ actions: [GATTServer.Action], now: Instant) {
        for action in actions {
            withLink(action.client.link, now: now) { $0.perform(action, &$1) }
        }
        // The answers are sent only now, after all actions. `pump` first writes the changed
        // records, which must be in the store before the peer gets an answer.
        var pumped: LinkIdentifier?
        for action in actions where action.client.link != pumped {
            withLink(action.client.link, now: now) { $0.pump(&$1) }
            pumped = action.client.link
        }
    }

    /// Sends the waiting data of blocked links, after the controller has freed buffers.
    mutating func pumpBlockedLinks(now: Instant) {
        context.transmitPackets()
        for link in context.blockedLinks {
            withLink(link, now: now) { $0.pump(&$1) }
        }
    }
}
