// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes

/// Who wants which links: the central managers of a process share the links of their adapter.
///
/// A manager *wishes* for a peer until it cancels or the link ends. The link is there as long as anybody
/// wishes for it. All dials are standing ones: they have no time limit, and the host keeps them through
/// resets of the controller.
struct CentralCore: Sendable {
    enum Action: Sendable {
        /// Ask the host for a connection, for as long as it takes.
        case dial(PeerIdentifier)
        case cancelDial(PeerIdentifier)
        case disconnect(LinkIdentifier)
        /// The manager has the link from now on.
        case connected(SessionIdentifier, PeerIdentifier)
        /// The manager's dial came to nothing.
        case failed(SessionIdentifier, PeerIdentifier, HostError)
        /// The manager has the link no more; no error if it let go of it itself.
        case disconnected(SessionIdentifier, PeerIdentifier, HostError?, isReconnecting: Bool)
    }

    private struct Wish: Sendable {
        /// Whether to dial again when the link is lost.
        var reconnects: Bool
        var isConnected = false
    }

    private struct Peer: Sendable {
        var wishes: [SessionIdentifier: Wish] = [:]
        /// Who has let go of a link that is not gone yet.
        var leaving: Set<SessionIdentifier> = []
        var link: LinkIdentifier?
        /// Whether the peer has made the link: then it is not ours to end.
        var isIncoming = false
        var isDialling = false
        /// Whether the link is being ended.
        var isEnding = false

        var isUsable: Bool { link != nil && !isEnding }
        var isIdle: Bool { wishes.isEmpty && leaving.isEmpty && link == nil && !isDialling }
    }

    private var peers: [PeerIdentifier: Peer] = [:]

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
    func peer(of link: LinkIdentifier) -> PeerIdentifier? {
        peers.first { $0.value.link == link }?.key
    }

    /// The managers that use the link to a peer now, the oldest first.
    func users(of peer: PeerIdentifier) -> [SessionIdentifier] {
        (peers[peer]?.wishes ?? [:]).filter(\.value.isConnected).keys.sorted()
    }

    /// What one manager wishes for: the peers, and whether each is connected.
    func wishes(of session: SessionIdentifier) -> [(peer: PeerIdentifier, isConnected: Bool)] {
        peers.compactMap { peer, state in
            state.wishes[session].map { (peer, $0.isConnected) }
        }
    }

    // MARK: What managers want

    /// A manager wants a link to a peer; it has it already if it is there.
    mutating func connect(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier,
        reconnects: Bool
    ) -> [Action] {
        var state = peers[peer] ?? Peer()
        defer { peers[peer] = state }
        state.wishes[session] = Wish(reconnects: reconnects, isConnected: state.isUsable)
        if state.isUsable { return [.connected(session, peer)] }
        guard !state.isDialling, !state.isEnding else { return [] }
        state.isDialling = true
        return [.dial(peer)]
    }

    /// A manager has no more use for a peer. It is told when that is so.
    mutating func cancel(_ session: SessionIdentifier, _ peer: PeerIdentifier) -> [Action] {
        guard let wish = peers[peer]?.wishes.removeValue(forKey: session) else { return [] }
        let wasLast = peers[peer]?.wishes.isEmpty == true
        if wish.isConnected, wasLast, peers[peer]?.isIncoming == false,
            let link = peers[peer]?.link
        {
            peers[peer]?.isEnding = true
            peers[peer]?.leaving.insert(session)
            return [.disconnect(link)]
        }
        return [.disconnected(session, peer, nil, isReconnecting: false)] + settle(peer)
    }

    /// A manager has dropped its last reference to a peer, or is gone: nobody is told.
    mutating func release(_ session: SessionIdentifier, _ peer: PeerIdentifier) -> [Action] {
        peers[peer]?.leaving.remove(session)
        guard let wish = peers[peer]?.wishes.removeValue(forKey: session) else {
            return settle(peer)
        }
        if wish.isConnected, peers[peer]?.wishes.isEmpty == true,
            peers[peer]?.isIncoming == false, let link = peers[peer]?.link
        {
            peers[peer]?.isEnding = true
            return [.disconnect(link)]
        }
        return settle(peer)
    }

    /// A manager is gone.
    mutating func close(_ session: SessionIdentifier) -> [Action] {
        peers.keys.flatMap { release(session, $0) }
    }

    /// What is left of a peer after somebody let go of it.
    private mutating func settle(_ peer: PeerIdentifier) -> [Action] {
        guard let state = peers[peer] else { return [] }
        if state.isIdle { peers[peer] = nil }
        guard state.isDialling, state.wishes.isEmpty else { return [] }
        peers[peer]?.isDialling = false
        if peers[peer]?.isIdle == true { peers[peer] = nil }
        return [.cancelDial(peer)]
    }

    // MARK: What happens

    /// There is a link, whoever made it.
    mutating func linkOpened(
        _ link: LinkIdentifier,
        to peer: PeerIdentifier,
        isIncoming: Bool
    ) -> [Action] {
        var state = peers[peer] ?? Peer()
        var actions: [Action] = []
        state.link = link
        state.isEnding = false
        state.isIncoming = isIncoming
        if state.isDialling, isIncoming { actions.append(.cancelDial(peer)) }
        state.isDialling = false
        for session in state.wishes.keys.sorted() {
            state.wishes[session]?.isConnected = true
            actions.append(.connected(session, peer))
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
        guard peers[peer]?.isDialling == true else { return [] }
        peers[peer]?.isDialling = false
        let waiting = (peers[peer]?.wishes ?? [:]).filter { !$0.value.isConnected }.keys.sorted()
        for session in waiting { peers[peer]?.wishes[session] = nil }
        if peers[peer]?.isIdle == true { peers[peer] = nil }
        return waiting.map { .failed($0, peer, error) }
    }

    /// A link is gone. Who let go of it is told that it did, who used it why; who wants it back waits
    /// for it again.
    mutating func linkClosed(_ link: LinkIdentifier, _ error: HostError) -> [Action] {
        guard let peer = peer(of: link), var state = peers[peer] else { return [] }
        var actions: [Action] = state.leaving.sorted().map {
            .disconnected($0, peer, nil, isReconnecting: false)
        }
        for (session, wish) in state.wishes.sorted(by: { $0.key < $1.key }) where wish.isConnected {
            actions.append(.disconnected(session, peer, error, isReconnecting: wish.reconnects))
            state.wishes[session] =
                wish.reconnects ? Wish(reconnects: true, isConnected: false) : nil
        }
        state.link = nil
        state.isEnding = false
        state.leaving = []
        if !state.wishes.isEmpty {
            state.isDialling = true
            actions.append(.dial(peer))
        }
        peers[peer] = state.isIdle ? nil : state
        return actions
    }

    /// The adapter is off: links and wishes are gone, and managers are told so by the state alone.
    mutating func powerLost() -> [Action] {
        defer { peers = [:] }
        return peers.flatMap { peer, state -> [Action] in
            var actions: [Action] = state.isDialling ? [.cancelDial(peer)] : []
            if let link = state.link { actions.append(.disconnect(link)) }
            return actions
        }
    }
}
