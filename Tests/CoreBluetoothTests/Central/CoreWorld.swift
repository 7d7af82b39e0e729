// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes
import Testing

@testable import BluetoothClients
@testable import BluetoothHost
@testable import CoreBluetooth

/// The environment of a `CentralCore`: a host that performs the core's actions with delays, and
/// managers that make random requests. After each step, it checks the core's invariants.
struct CoreWorld {
    static let peers: [PeerIdentifier] = (0..<3).map { number in
        PeerIdentifier(bytes: [UInt8](repeating: UInt8(number + 1), count: 16))
    }
    private static let sessions = (1...3).map { SessionIdentifier(rawValue: UInt64($0)) }

    private struct Key: Hashable {
        let session: SessionIdentifier
        let peer: PeerIdentifier
    }

    private var core = CentralCore()
    private var random: SplitMix64
    private var lastRequest: UInt64 = 0
    private var lastLink: UInt64 = 0
    private var connectionRequests: Set<PeerIdentifier> = []
    private var links: [PeerIdentifier: (link: LinkIdentifier, isIncoming: Bool)] = [:]
    private var ending: Set<LinkIdentifier> = []
    /// The connection requests that have not ended.
    private var open: [Key: ConnectionRequestNumber] = [:]
    /// The connection requests that were canceled and whose cancellation is not answered yet.
    private var cancelled: Set<ConnectionRequestNumber> = []
    private var connected: Set<ConnectionRequestNumber> = []
    /// The connection requests whose start delay has not ended.
    private var deferred: Set<ConnectionRequestNumber> = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Performs one random step.
    mutating func step() {
        let key = Key(
            session: Self.sessions[Int.random(in: 0..<Self.sessions.count, using: &random)],
            peer: Self.peers[Int.random(in: 0..<Self.peers.count, using: &random)]
        )
        switch Int.random(in: 0..<13, using: &random) {
        case 0...2: connect(key)
        case 3, 4: cancel(key)
        case 5: release(key)
        case 6, 7: openLink(to: key.peer)
        case 8: closeLink(to: key.peer)
        case 12: endDelay(key)
        case 9: failConnectionRequest(to: key.peer)
        case 10: if random.happens(oneIn: 4) { acceptLink(from: key.peer) }
        default: if random.happens(oneIn: 20) { losePower() } else { release(key) }
        }
        check()
    }

    private mutating func connect(_ key: Key) {
        lastRequest += 1
        let request = ConnectionRequestNumber(rawValue: lastRequest)
        if let former = open[key] { connected.remove(former) }
        open[key] = request
        let reconnects = random.happens(oneIn: 3)
        let isDeferred = random.happens(oneIn: 4)
        if isDeferred, core.link(to: key.peer).map({ ending.contains($0) }) ?? true {
            deferred.insert(request)
        }
        perform(
            core.connect(
                key.session,
                key.peer,
                request,
                reconnects: reconnects,
                isDeferred: isDeferred
            )
        )
    }

    private mutating func endDelay(_ key: Key) {
        guard let request = open[key] else { return }
        deferred.remove(request)
        perform(core.delayEnded(key.session, key.peer, request))
    }

    private mutating func cancel(_ key: Key) {
        if let request = open.removeValue(forKey: key) { cancelled.insert(request) }
        perform(core.cancel(key.session, key.peer))
    }

    private mutating func release(_ key: Key) {
        guard let request = open[key] else { return }
        open[key] = nil
        connected.remove(request)
        perform(core.release(key.session, key.peer, request))
    }

    private mutating func openLink(to peer: PeerIdentifier) {
        guard connectionRequests.remove(peer) != nil else { return }
        begin(peer, isIncoming: false)
    }

    private mutating func acceptLink(from peer: PeerIdentifier) {
        guard links[peer] == nil else { return }
        begin(peer, isIncoming: true)
    }

    private mutating func begin(_ peer: PeerIdentifier, isIncoming: Bool) {
        lastLink += 1
        let link = LinkIdentifier(rawValue: lastLink)
        links[peer] = (link, isIncoming)
        perform(core.linkOpened(link, to: peer, isIncoming: isIncoming))
    }

    private mutating func closeLink(to peer: PeerIdentifier) {
        guard let link = links.removeValue(forKey: peer)?.link else { return }
        ending.remove(link)
        perform(core.linkClosed(link, .linkEnded(.timeout)))
        #expect(core.peer(of: link) == nil)
    }

    private mutating func failConnectionRequest(to peer: PeerIdentifier) {
        guard connectionRequests.remove(peer) != nil else { return }
        perform(core.connectionRequestFailed(peer, .linkEnded(.keyMissing)))
    }

    private mutating func losePower() {
        open = [:]
        cancelled = []
        connected = []
        perform(core.powerLost())
        #expect(connectionRequests.isEmpty, "A connection request remains after the loss of power")
        for peer in Self.peers { closeLink(to: peer) }
    }

    // MARK: Actions of the core

    private mutating func perform(_ actions: [CentralCore.Action]) {
        for action in actions { perform(action) }
    }

    private mutating func perform(_ action: CentralCore.Action) {
        switch action {
        case .requestConnection(let peer):
            #expect(connectionRequests.insert(peer).inserted, "A connection is requested twice")
            #expect(links[peer] == nil, "A connection to a linked peer is requested")
        case .cancelConnectionRequest(let peer):
            #expect(
                connectionRequests.remove(peer) != nil,
                "A request that does not exist is canceled"
            )
        case .disconnect(let link): #expect(ending.insert(link).inserted, "A link is ended twice")
        case .connected(let session, let peer, let request):
            #expect(
                open[Key(session: session, peer: peer)] == request,
                "A manager is connected without a request"
            )
            #expect(
                connected.insert(request).inserted,
                "A request is answered with a connection twice"
            )
            deferred.remove(request)
        case .failed(let session, let peer, let request, _):
            finish(Key(session: session, peer: peer), request)
        case .disconnected(let session, let peer, let request, .lost(_, let isReconnecting)):
            #expect(connected.remove(request) != nil, "A link without a connected request is lost")
            if !isReconnecting { finish(Key(session: session, peer: peer), request) }
        case .disconnected(_, _, let request, .asked):
            #expect(
                cancelled.remove(request) != nil,
                "A cancellation is answered without a request"
            )
            connected.remove(request)
        }
    }

    private mutating func finish(_ key: Key, _ request: ConnectionRequestNumber) {
        #expect(open.removeValue(forKey: key) == request, "A request that does not exist is ended")
        connected.remove(request)
    }

    // MARK: Invariants

    private func check() {
        for session in Self.sessions {
            let requested = open.filter { $0.key.session == session }
                .sorted { $0.value.rawValue < $1.value.rawValue }.map(\.key.peer)
            #expect(core.requests(of: session).map(\.peer) == requested)
            #expect(core.requests(of: session, limit: 2).map(\.peer) == requested.suffix(2))
        }
        for peer in Self.peers {
            let requesting = open.filter { $0.key.peer == peer }
            let using = requesting.filter { connected.contains($0.value) }
            #expect(core.users(of: peer) == using.map(\.key.session).sorted())
            let link = links[peer]
            let isLeaving = link.map { ending.contains($0.link) } ?? false
            if !using.isEmpty {
                #expect(link != nil && !isLeaving, "A connected manager has no link")
            }
            if requesting.isEmpty {
                #expect(
                    !connectionRequests.contains(peer),
                    "A connection is requested without a manager"
                )
                #expect(link.map { $0.isIncoming || isLeaving } ?? true, "A link has no manager")
            } else if link == nil {
                let isRequested = requesting.contains { !deferred.contains($0.value) }
                #expect(
                    connectionRequests.contains(peer) == isRequested,
                    "The request to the host does not match the managers' requests"
                )
            }
        }
    }

    /// Ends everything, and checks that nothing remains.
    mutating func finish() {
        for session in Self.sessions {
            for peer in Self.peers { cancel(Key(session: session, peer: peer)) }
        }
        for peer in Self.peers { closeLink(to: peer) }
        #expect(open.isEmpty)
        #expect(cancelled.isEmpty, "A cancellation has no answer")
        #expect(connectionRequests.isEmpty)
    }
}
