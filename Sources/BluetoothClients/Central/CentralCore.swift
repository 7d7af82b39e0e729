// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The connection requests of all central managers of an adapter, and the links that they share.
///
/// Links that this host made are reference-counted by connection requests. Links that peers made
/// stay when no manager uses them. Requests to the host have no timeout.
///
/// A manager has at most one connection request for a peer: a new one replaces it. The request is
/// answered with `connected`, `failed` or `disconnected`. `failed` ends the request, and
/// `disconnected` ends it unless it reconnects. No end is reported if the application has released
/// the peripheral, or if the adapter is lost. In the second case, the managers get the new state
/// instead.
struct CentralCore: Sendable {
    enum Action: Equatable, Sendable {
        /// Request a connection from the host. The request has no timeout.
        case requestConnection(PeerIdentifier)
        case cancelConnectionRequest(PeerIdentifier)
        case disconnect(LinkIdentifier)
        /// Report to the manager that it is connected.
        case connected(SessionIdentifier, PeerIdentifier, ConnectionRequestNumber)
        /// Report to the manager that its connection request failed.
        case failed(SessionIdentifier, PeerIdentifier, ConnectionRequestNumber, PortError)
        /// Report to the manager that it is disconnected.
        case disconnected(SessionIdentifier, PeerIdentifier, ConnectionRequestNumber, Ending)
    }

    /// The reason for a disconnection.
    enum Ending: Equatable, Sendable {
        /// The manager canceled the connection.
        case asked
        /// The link was lost.
        case lost(PortError, isReconnecting: Bool)
    }

    /// A manager's connection request for a peer.
    private struct Request: Sendable {
        let number: ConnectionRequestNumber
        /// Whether the request is repeated when the link is lost.
        var reconnects: Bool
        var isConnected = false
        /// Whether the request is repeated because the link was lost.
        var isReconnection = false
        /// Whether the request still waits for the end of its start delay.
        var isDeferred = false
    }

    private struct Peer: Sendable {
        var requests: [SessionIdentifier: Request] = [:] {
            didSet { users = requests.filter(\.value.isConnected).keys.sorted() }
        }
        /// The managers that use the link, the oldest first.
        private(set) var users: [SessionIdentifier] = []
        /// The managers that canceled the connection. They get `disconnected` when the link has
        /// ended.
        var canceled: [SessionIdentifier: ConnectionRequestNumber] = [:]
        var link: LinkIdentifier?
        /// Further links that the peer made. When the current link ends, the newest of them
        /// replaces it.
        var spares: [LinkIdentifier] = []
        /// Whether the peer made the link.
        var isIncoming = false
        var isConnecting = false
        /// Whether the link is being disconnected.
        var isEnding = false

        var isUsable: Bool { link != nil && !isEnding }
        /// Whether there is a connection request that does not wait for the end of its start delay.
        var isRequested: Bool { requests.contains { !$0.value.isDeferred } }
        var isIdle: Bool { requests.isEmpty && canceled.isEmpty && link == nil && !isConnecting }
    }

    private var peers: [PeerIdentifier: Peer] = [:]
    /// For each manager, its connection requests in the order of their numbers, and also some that
    /// have ended.
    private var orders: [SessionIdentifier: RequestOrder] = [:]
    /// The peers of the links.
    private var peersByLink: [LinkIdentifier: PeerIdentifier] = [:]
    /// The peers whose requests wait until the controller has room for another link.
    private var awaitingRoom: [PeerIdentifier] = []

    // MARK: Queries

    /// Returns the link that a manager uses; `nil` if it is not connected.
    func link(of session: SessionIdentifier, to peer: PeerIdentifier) -> LinkIdentifier? {
        peers[peer]?.requests[session]?.isConnected == true ? peers[peer]?.link : nil
    }

    /// Returns the link to a peer, whichever managers use it.
    func link(to peer: PeerIdentifier) -> LinkIdentifier? { peers[peer]?.link }

    /// Returns the peer of a link.
    func peer(of link: LinkIdentifier) -> PeerIdentifier? { peersByLink[link] }

    /// Returns the managers that use the link to a peer, the oldest first.
    func users(of peer: PeerIdentifier) -> [SessionIdentifier] { peers[peer]?.users ?? [] }

    /// Returns a manager's connection requests, the oldest first, and whether they reconnect.
    ///
    /// - Parameter limit: The maximum number of requests. The latest are returned.
    func requests(
        of session: SessionIdentifier,
        limit: Int = .max
    ) -> [(peer: PeerIdentifier, reconnects: Bool)] {
        var latest: [(peer: PeerIdentifier, reconnects: Bool)] = []
        for (number, peer) in (orders[session]?.entries ?? []).reversed() {
            guard latest.count < limit else { break }
            guard let request = peers[peer]?.requests[session], request.number == number else {
                continue
            }
            latest.append((peer, request.reconnects))
        }
        return latest.reversed()
    }

    /// Returns a manager's connection request for a peer; `nil` if it has none.
    func request(of session: SessionIdentifier, for peer: PeerIdentifier)
        -> ConnectionRequestNumber?
    {
        peers[peer]?.requests[session]?.number
    }

    // MARK: Commands of managers

    /// Adds a manager's connection request for a peer. The request replaces an earlier one
    /// of the manager for the peer, and is answered at once if there is a link.
    ///
    /// - Parameter isDeferred: Whether to wait until `delayEnded` is called.
    mutating func connect(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier,
        _ number: ConnectionRequestNumber,
        reconnects: Bool,
        isDeferred: Bool = false
    ) -> [Action] {
        let isUsable = peers[peer]?.isUsable ?? false
        peers[peer, default: Peer()].requests[session] = Request(
            number: number,
            reconnects: reconnects,
            isConnected: isUsable,
            isDeferred: isDeferred && !isUsable
        )
        orders[session, default: RequestOrder()].insert(number, peer) { [peers] number, peer in
            peers[peer]?.requests[session]?.number == number
        }
        return isUsable ? [.connected(session, peer, number)] : settle(peer)
    }

    /// Starts a deferred connection request.
    mutating func delayEnded(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier,
        _ number: ConnectionRequestNumber
    ) -> [Action] {
        guard peers[peer]?.requests[session]?.number == number else { return [] }
        peers[peer]?.requests[session]?.isDeferred = false
        return settle(peer)
    }

    /// Cancels a manager's connection or connection request. `disconnected` answers it.
    mutating func cancel(_ session: SessionIdentifier, _ peer: PeerIdentifier) -> [Action] {
        guard let request = peers[peer]?.requests.removeValue(forKey: session) else { return [] }
        if request.isConnected, let link = beginEnding(peer) {
            peers[peer]?.canceled[session] = request.number
            return [.disconnect(link)]
        }
        return [.disconnected(session, peer, request.number, .asked)] + settle(peer)
    }

    /// Cancels the connection request of a peripheral that was released, or that the manager does
    /// not reconnect. Nothing is reported.
    ///
    /// - Parameter number: The connection request of the peripheral. A later request is not
    ///   affected.
    mutating func release(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier,
        _ number: ConnectionRequestNumber
    ) -> [Action] {
        if peers[peer]?.canceled[session] == number { peers[peer]?.canceled[session] = nil }
        guard peers[peer]?.requests[session]?.number == number else { return settle(peer) }
        return drop(session, peer)
    }

    /// Cancels all connection requests of a manager that was released.
    mutating func close(_ session: SessionIdentifier) -> [Action] {
        orders[session] = nil
        return peers.keys.flatMap { peer in
            peers[peer]?.canceled[session] = nil
            return drop(session, peer)
        }
    }

    private mutating func drop(
        _ session: SessionIdentifier,
        _ peer: PeerIdentifier
    ) -> [Action] {
        let request = peers[peer]?.requests.removeValue(forKey: session)
        if request?.isConnected == true, let link = beginEnding(peer) { return [.disconnect(link)] }
        return settle(peer)
    }

    /// Marks the link as ending if no manager uses it and this host made it. Returns the link,
    /// which the caller has to disconnect, or `nil` otherwise.
    private mutating func beginEnding(_ peer: PeerIdentifier) -> LinkIdentifier? {
        guard let state = peers[peer], state.users.isEmpty, !state.isIncoming, state.isUsable
        else { return nil }
        peers[peer]?.isEnding = true
        return state.link
    }

    /// Starts or cancels the request to the host, depending on whether a manager requests the peer.
    private mutating func settle(_ peer: PeerIdentifier) -> [Action] {
        guard let state = peers[peer] else { return [] }
        let isRequested = state.isRequested && state.link == nil
        guard isRequested != state.isConnecting else {
            removeIfIdle(peer)
            return []
        }
        peers[peer]?.isConnecting = isRequested
        removeIfIdle(peer)
        return [isRequested ? .requestConnection(peer) : .cancelConnectionRequest(peer)]
    }

    private mutating func removeIfIdle(_ peer: PeerIdentifier) {
        guard peers[peer]?.isIdle == true else { return }
        peers[peer] = nil
        awaitingRoom.removeAll { $0 == peer }
    }
}

// Events of the host.
extension CentralCore {
    /// Handles a new link that this host or the peer made.
    ///
    /// - Parameter isIncoming: Whether the peer made the link.
    mutating func linkOpened(
        _ link: LinkIdentifier,
        to peer: PeerIdentifier,
        isIncoming: Bool
    ) -> [Action] {
        var state = peers[peer] ?? Peer()
        peersByLink[link] = peer
        if let former = state.link, state.isUsable {
            guard isIncoming else { return [.disconnect(link)] }
            // A peer that connects again has lost its former link. Managers that use the former
            // link get its disconnection when it times out.
            let isReplacing = state.isIncoming && state.users.isEmpty
            state.spares.append(isReplacing ? former : link)
            if isReplacing { state.link = link }
            peers[peer] = state
            return []
        }
        if let former = state.link { peersByLink[former] = nil }
        // The managers that canceled the connection on the former link do not use the new one.
        var actions: [Action] = state.canceled.sorted { $0.key < $1.key }
            .map { .disconnected($0.key, peer, $0.value, .asked) }
        state.canceled = [:]
        state.link = link
        state.isEnding = false
        state.isIncoming = isIncoming
        if state.isConnecting, isIncoming { actions.append(.cancelConnectionRequest(peer)) }
        state.isConnecting = false
        for (session, request) in state.requests.sorted(by: { $0.key < $1.key }) {
            state.requests[session]?.isConnected = true
            state.requests[session]?.isDeferred = false
            actions.append(.connected(session, peer, request.number))
        }
        if state.requests.isEmpty, !isIncoming {
            // All managers canceled while the link was being made.
            state.isEnding = true
            actions.append(.disconnect(link))
        }
        peers[peer] = state
        return actions
    }

    /// Fails the managers' connection requests for a peer, because the request to the host failed.
    /// Requests that still wait for the end of their start delay continue. If the controller has no
    /// room for another link, requests that reconnect wait for the end of any link.
    mutating func connectionRequestFailed(_ peer: PeerIdentifier, _ error: PortError) -> [Action] {
        guard let state = peers[peer], state.isConnecting else { return [] }
        peers[peer]?.isConnecting = false
        let isFull = error == .refused(.limitReached)
        let waiting = state.requests
            .filter {
                !$0.value.isConnected && !$0.value.isDeferred
                    && !(isFull && $0.value.isReconnection)
            }
            .sorted { $0.key < $1.key }
        for (session, _) in waiting { peers[peer]?.requests[session] = nil }
        if peers[peer]?.isRequested == true { awaitingRoom.append(peer) }
        removeIfIdle(peer)
        return waiting.map { .failed($0.key, peer, $0.value.number, error) }
    }

    /// Handles the end of a link. Managers that canceled get a disconnection without an error, and
    /// connected managers get it with the error. Requests that reconnect start again.
    mutating func linkClosed(_ link: LinkIdentifier, _ error: PortError) -> [Action] {
        let actions = ended(link, error)
        let waiting = awaitingRoom
        awaitingRoom = []
        return actions + waiting.flatMap { settle($0) }
    }

    private mutating func ended(_ link: LinkIdentifier, _ error: PortError) -> [Action] {
        guard let peer = peersByLink.removeValue(forKey: link), var state = peers[peer] else {
            return []
        }
        guard state.link == link else {
            peers[peer]?.spares.removeAll { $0 == link }
            return []
        }
        var actions: [Action] = state.canceled.sorted { $0.key < $1.key }
            .map { .disconnected($0.key, peer, $0.value, .asked) }
        for session in state.users {
            guard let request = state.requests[session] else { continue }
            let ending = Ending.lost(error, isReconnecting: request.reconnects)
            actions.append(.disconnected(session, peer, request.number, ending))
            state.requests[session] =
                request.reconnects
                ? Request(number: request.number, reconnects: true, isReconnection: true) : nil
        }
        state.link = nil
        state.isEnding = false
        state.canceled = [:]
        if let spare = state.spares.max() {
            state.spares.removeAll { $0 == spare }
            peers[peer] = state
            return actions + linkOpened(spare, to: peer, isIncoming: true)
        }
        if state.isRequested {
            state.isConnecting = true
            actions.append(.requestConnection(peer))
        }
        peers[peer] = state.isIdle ? nil : state
        return actions
    }

    /// Removes all links and connection requests, because the adapter is off. The managers get only
    /// the new state.
    mutating func powerLost() -> [Action] {
        defer {
            peers = [:]
            orders = [:]
            peersByLink = [:]
            awaitingRoom = []
        }
        return peers.flatMap { peer, state -> [Action] in
            var actions: [Action] = state.isConnecting ? [.cancelConnectionRequest(peer)] : []
            if let link = state.link, !state.isEnding { actions.append(.disconnect(link)) }
            return actions + state.spares.map { .disconnect($0) }
        }
    }
}

/// The connection requests of a manager in the order of their numbers. Requests that have ended stay
/// until they are more than half of the list.
private struct RequestOrder: Sendable {
    /// The number of ended requests that the list may always have.
    private static let endedLimit = 64

    private(set) var entries: [(number: ConnectionRequestNumber, peer: PeerIdentifier)] = []
    /// The length of the list at which ended requests are removed.
    private var fullCount = endedLimit

    /// Adds a request, or replaces one of the same number.
    ///
    /// - Parameter isWaiting: Returns whether a request has not ended.
    mutating func insert(
        _ number: ConnectionRequestNumber,
        _ peer: PeerIdentifier,
        isWaiting: (ConnectionRequestNumber, PeerIdentifier) -> Bool
    ) {
        var place = entries.count
        while place > 0, entries[place - 1].number.rawValue > number.rawValue { place -= 1 }
        if place > 0, entries[place - 1].number == number { entries.remove(at: place - 1) }
        entries.insert((number, peer), at: min(place, entries.count))
        guard entries.count > fullCount else { return }
        entries.removeAll { !isWaiting($0.number, $0.peer) }
        fullCount = 2 * entries.count + Self.endedLimit
    }
}
