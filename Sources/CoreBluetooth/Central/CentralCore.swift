// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes

/// Who wants which links: the central managers of a process share the links of their adapter.
///
/// A manager *wishes* for a peer until it cancels or the link ends. The link is there as long as anybody
/// wishes for it. All dials are standing ones: they have no time limit, and the host keeps them through
/// resets of the controller.
///
/// Each wish is answered: by `connected`, or by `failed` or `disconnected`, which end it. Only two ends
/// are silent: a manager that has let go of the peripheral itself has nobody to be told, and when the
/// adapter is lost the managers' state says it all.
struct CentralCore: Sendable {
    enum Action: Equatable, Sendable {
        /// Ask the host for a connection, for as long as it takes.
        case dial(PeerIdentifier)
        case cancelDial(PeerIdentifier)
        case disconnect(LinkIdentifier)
        /// The manager has the link from now on.
        case connected(SessionIdentifier, PeerIdentifier, WishNumber)
        /// The manager's dial came to nothing.
        case failed(SessionIdentifier, PeerIdentifier, WishNumber, HostError)
        /// The manager has the link no more.
        case disconnected(SessionIdentifier, PeerIdentifier, WishNumber, Ending)
    }

    /// Why a manager has a link no more.
    enum Ending: Equatable, Sendable {
        /// It asked for that.
        case asked
        /// The link was lost.
        case lost(HostError, isReconnecting: Bool)
    }

    /// One manager's wish for a peer.
    private struct Wish: Sendable {
        let number: WishNumber
        /// Whether to dial again when the link is lost.
        var reconnects: Bool
        var isConnected = false
        /// Whether it is not yet time to dial for it.
        var isDeferred = false
    }

    private struct Peer: Sendable {
        var wishes: [SessionIdentifier: Wish] = [:] {
            didSet { users = wishes.filter(\.value.isConnected).keys.sorted() }
        }
        /// Who uses the link, the oldest first.
        private(set) var users: [SessionIdentifier] = []
        /// Who has let go of a link that is not gone yet.
        var leaving: [SessionIdentifier: WishNumber] = [:]
        var link: LinkIdentifier?
        /// More links that the peer has made: one of them follows when that is gone.
        var spares: [LinkIdentifier] = []
        /// Whether the peer has made the link: then it is not ours to end.
        var isIncoming = false
        var isDialling = false
        /// Whether the link is being ended.
        var isEnding = false

        var isUsable: Bool { link != nil && !isEnding }
        /// Whether somebody wishes for it now.
        var isWanted: Bool { wishes.contains { !$0.value.isDeferred } }
        var isIdle: Bool { wishes.isEmpty && leaving.isEmpty && link == nil && !isDialling }
    }

    private var peers: [PeerIdentifier: Peer] = [:]
    /// To whom the links lead.
    private var ends: [LinkIdentifier: PeerIdentifier] = [:]

    // MARK: Questions

    /// The link that a manager uses; nil if it is not connected.
    func link(of session: SessionIdentifier, to peer: PeerIdentifier) -> LinkIdentifier? {
        guard let state = peers[peer], state.wishes[session]?.isConnected == true else {
            return nil
        }
        return state.link
    }

    /// The link to a peer, whoever uses it.
    func link(to peer: PeerIdentifier) -> LinkIdentifier? { peers[peer]?.link }

    /// Who is at the other end of a link.
    func peer(of link: LinkIdentifier) -> PeerIdentifier? { ends[link] }

    /// The managers that use the link to a peer now, the oldest first.
    func users(of peer: PeerIdentifier) -> [SessionIdentifier] { peers[peer]?.users ?? [] }

    /// What one manager wishes for, and whether the link is to come back by itself; the oldest wish
    /// first.
    func wishes(of session: SessionIdentifier) -> [(peer: PeerIdentifier, reconnects: Bool)] {
        let wishes = peers.compactMap { peer, state in state.wishes[session].map { (peer, $0) } }
        return wishes.sorted { $0.1.number.rawValue < $1.1.number.rawValue }
            .map { ($0, $1.reconnects) }
    }

    /// The wish of a manager for a peer; nil if it has none.
    func wish(of session: SessionIdentifier, for peer: PeerIdentifier) -> WishNumber? {
        peers[peer]?.wishes[session]?.number
    }

    // MARK: What managers want

    /// A manager wants a link to a peer; it has it already if it is there. An earlier wish of its own
    /// becomes this one.
    ///
    /// - Parameter isDeferred: whether to dial only when `delayEnded` is called.
    mutating func connect(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier,
        _ number: WishNumber,
        reconnects: Bool,
        isDeferred: Bool = false
    ) -> [Action] {
        let isUsable = peers[peer]?.isUsable ?? false
        peers[peer, default: Peer()].wishes[session] = Wish(
            number: number,
            reconnects: reconnects,
            isConnected: isUsable,
            isDeferred: isDeferred && !isUsable
        )
        return isUsable ? [.connected(session, peer, number)] : settle(peer)
    }

    /// It is time to dial for a wish that was deferred.
    mutating func delayEnded(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier,
        _ number: WishNumber
    ) -> [Action] {
        guard peers[peer]?.wishes[session]?.number == number else { return [] }
        peers[peer]?.wishes[session]?.isDeferred = false
        return settle(peer)
    }

    /// A manager has no more use for a peer. It is told when that is so.
    mutating func cancel(_ session: SessionIdentifier, _ peer: PeerIdentifier) -> [Action] {
        guard let wish = peers[peer]?.wishes.removeValue(forKey: session) else { return [] }
        if wish.isConnected, let link = beginEnding(peer) {
            peers[peer]?.leaving[session] = wish.number
            return [.disconnect(link)]
        }
        return [.disconnected(session, peer, wish.number, .asked)] + settle(peer)
    }

    /// A manager has dropped its last reference to a peer: nobody is told.
    ///
    /// - Parameter number: the wish that the reference stood for; a later one stays.
    mutating func release(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier,
        _ number: WishNumber
    ) -> [Action] {
        if peers[peer]?.leaving[session] == number { peers[peer]?.leaving[session] = nil }
        guard peers[peer]?.wishes[session]?.number == number else { return settle(peer) }
        return drop(session, peer)
    }

    /// A manager does not want a lost link back after all.
    mutating func stopReconnecting(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier,
        _ number: WishNumber
    ) -> [Action] {
        guard let wish = peers[peer]?.wishes[session], wish.number == number else { return [] }
        guard wish.isConnected else { return drop(session, peer) }
        peers[peer]?.wishes[session]?.reconnects = false
        return []
    }

    /// A manager is gone.
    mutating func close(_ session: SessionIdentifier) -> [Action] {
        peers.keys.flatMap { peer in
            peers[peer]?.leaving[session] = nil
            return drop(session, peer)
        }
    }

    private mutating func drop(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier
    ) -> [Action] {
        let wish = peers[peer]?.wishes.removeValue(forKey: session)
        if wish?.isConnected == true, let link = beginEnding(peer) { return [.disconnect(link)] }
        return settle(peer)
    }

    /// Lets go of the link, if nobody uses it any more and it is ours to end.
    private mutating func beginEnding(_ peer: PeerIdentifier) -> LinkIdentifier? {
        guard let state = peers[peer], state.users.isEmpty, !state.isIncoming, state.isUsable
        else { return nil }
        peers[peer]?.isEnding = true
        return state.link
    }

    /// Dials for those who wish for a peer, as long as there are any.
    private mutating func settle(_ peer: PeerIdentifier) -> [Action] {
        guard let state = peers[peer] else { return [] }
        let isWanted = state.isWanted && state.link == nil
        guard isWanted != state.isDialling else {
            tidy(peer)
            return []
        }
        peers[peer]?.isDialling = isWanted
        tidy(peer)
        return [isWanted ? .dial(peer) : .cancelDial(peer)]
    }

    private mutating func tidy(_ peer: PeerIdentifier) {
        if peers[peer]?.isIdle == true { peers[peer] = nil }
    }
}

// What happens.
extension CentralCore {
    /// There is a link, whoever made it.
    mutating func linkOpened(
        _ link: LinkIdentifier,
        to peer: PeerIdentifier,
        isIncoming: Bool
    ) -> [Action] {
        var state = peers[peer] ?? Peer()
        ends[link] = peer
        guard !state.isUsable else {
            if isIncoming { peers[peer]?.spares.append(link) }
            return isIncoming ? [] : [.disconnect(link)]
        }
        if let former = state.link { ends[former] = nil }
        // Who has let go of the former link has no part in this one.
        var actions: [Action] = state.leaving.sorted { $0.key < $1.key }
            .map { .disconnected($0.key, peer, $0.value, .asked) }
        state.leaving = [:]
        state.link = link
        state.isEnding = false
        state.isIncoming = isIncoming
        if state.isDialling, isIncoming { actions.append(.cancelDial(peer)) }
        state.isDialling = false
        for (session, wish) in state.wishes.sorted(by: { $0.key < $1.key }) {
            state.wishes[session]?.isConnected = true
            state.wishes[session]?.isDeferred = false
            actions.append(.connected(session, peer, wish.number))
        }
        if state.wishes.isEmpty, !isIncoming {
            // Everybody has let go of it on its way here.
            state.isEnding = true
            actions.append(.disconnect(link))
        }
        peers[peer] = state
        return actions
    }

    /// A dial ended without a link.
    mutating func dialFailed(_ peer: PeerIdentifier, _ error: HostError) -> [Action] {
        guard let state = peers[peer], state.isDialling else { return [] }
        peers[peer]?.isDialling = false
        let waiting = state.wishes.filter { !$0.value.isConnected && !$0.value.isDeferred }
            .sorted { $0.key < $1.key }
        for (session, _) in waiting { peers[peer]?.wishes[session] = nil }
        tidy(peer)
        return waiting.map { .failed($0.key, peer, $0.value.number, error) }
    }

    /// A link is gone. Who let go of it is told that it did, who used it why; who wants it back waits
    /// for it again.
    mutating func linkClosed(_ link: LinkIdentifier, _ error: HostError) -> [Action] {
        guard let peer = ends.removeValue(forKey: link), var state = peers[peer] else { return [] }
        guard state.link == link else {
            peers[peer]?.spares.removeAll { $0 == link }
            return []
        }
        var actions: [Action] = state.leaving.sorted { $0.key < $1.key }
            .map { .disconnected($0.key, peer, $0.value, .asked) }
        for session in state.users {
            guard let wish = state.wishes[session] else { continue }
            let ending = Ending.lost(error, isReconnecting: wish.reconnects)
            actions.append(.disconnected(session, peer, wish.number, ending))
            state.wishes[session] =
                wish.reconnects ? Wish(number: wish.number, reconnects: true) : nil
        }
        state.link = nil
        state.isEnding = false
        state.leaving = [:]
        if !state.spares.isEmpty {
            let spare = state.spares.removeFirst()
            peers[peer] = state
            return actions + linkOpened(spare, to: peer, isIncoming: true)
        }
        if state.isWanted {
            state.isDialling = true
            actions.append(.dial(peer))
        }
        peers[peer] = state.isIdle ? nil : state
        return actions
    }

    /// The adapter is off: links and wishes are gone, and managers are told so by the state alone.
    mutating func powerLost() -> [Action] {
        defer {
            peers = [:]
            ends = [:]
        }
        return peers.flatMap { peer, state -> [Action] in
            var actions: [Action] = state.isDialling ? [.cancelDial(peer)] : []
            if let link = state.link, !state.isEnding { actions.append(.disconnect(link)) }
            return actions + state.spares.map { .disconnect($0) }
        }
    }
}
