// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHost
@testable import CoreBluetooth

/// The surroundings of a `CentralCore`: a host that performs the core's actions with delays, and
/// managers that make random requests. After each step it checks the core's invariants.
struct CoreWorld {
    static let peers: [PeerIdentifier] = (0..<3).map { number in
        PeerIdentifier(octets: [UInt8](repeating: UInt8(number + 1), count: 16))
    }
    private static let sessions = (1...3).map { SessionIdentifier(rawValue: UInt64($0)) }

    private struct Key: Hashable {
        let session: SessionIdentifier
        let peer: PeerIdentifier
    }

    private var core = CentralCore()
    private var random: SplitMix64
    private var lastWish: UInt64 = 0
    private var lastLink: UInt64 = 0
    private var dials: Set<PeerIdentifier> = []
    private var links: [PeerIdentifier: (link: LinkIdentifier, isIncoming: Bool)] = [:]
    private var ending: Set<LinkIdentifier> = []
    /// The connection requests that have not ended.
    private var open: [Key: WishNumber] = [:]
    /// The connection requests that were canceled and whose cancellation is not answered yet.
    private var cancelled: Set<WishNumber> = []
    private var connected: Set<WishNumber> = []
    /// The connection requests whose start delay has not ended.
    private var deferred: Set<WishNumber> = []

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
        case 9: failDial(to: key.peer)
        case 10: if random.happens(oneIn: 4) { acceptLink(from: key.peer) }
        default: if random.happens(oneIn: 20) { losePower() } else { stopReconnecting(key) }
        }
        check()
    }

    private mutating func connect(_ key: Key) {
        lastWish += 1
        let wish = WishNumber(rawValue: lastWish)
        if let former = open[key] { connected.remove(former) }
        open[key] = wish
        let reconnects = random.happens(oneIn: 3)
        let isDeferred = random.happens(oneIn: 4)
        if isDeferred, core.link(to: key.peer).map({ ending.contains($0) }) ?? true {
            deferred.insert(wish)
        }
        perform(
            core.connect(
                key.session,
                key.peer,
                wish,
                reconnects: reconnects,
                isDeferred: isDeferred
            )
        )
    }

    private mutating func endDelay(_ key: Key) {
        guard let wish = open[key] else { return }
        deferred.remove(wish)
        perform(core.delayEnded(key.session, key.peer, wish))
    }

    private mutating func cancel(_ key: Key) {
        if let wish = open.removeValue(forKey: key) { cancelled.insert(wish) }
        perform(core.cancel(key.session, key.peer))
    }

    private mutating func release(_ key: Key) {
        guard let wish = open[key] else { return }
        open[key] = nil
        connected.remove(wish)
        perform(core.release(key.session, key.peer, wish))
    }

    private mutating func stopReconnecting(_ key: Key) {
        guard let wish = open[key], !connected.contains(wish), links[key.peer] == nil else {
            return
        }
        open[key] = nil
        perform(core.stopReconnecting(key.session, key.peer, wish))
    }

    private mutating func openLink(to peer: PeerIdentifier) {
        guard dials.remove(peer) != nil else { return }
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
        perform(core.linkClosed(link, .disconnected(.connectionTimeout)))
        #expect(core.peer(of: link) == nil)
    }

    private mutating func failDial(to peer: PeerIdentifier) {
        guard dials.remove(peer) != nil else { return }
        perform(core.dialFailed(peer, .bondLost))
    }

    private mutating func losePower() {
        open = [:]
        cancelled = []
        connected = []
        perform(core.powerLost())
        #expect(dials.isEmpty, "a dial outlived the power")
        for peer in Self.peers { closeLink(to: peer) }
    }

    // MARK: Actions of the core

    private mutating func perform(_ actions: [CentralCore.Action]) {
        for action in actions { perform(action) }
    }

    private mutating func perform(_ action: CentralCore.Action) {
        switch action {
        case .dial(let peer):
            #expect(dials.insert(peer).inserted, "dialled twice")
            #expect(links[peer] == nil, "dialled a peer that has a link")
        case .cancelDial(let peer): #expect(dials.remove(peer) != nil, "cancelled no dial")
        case .disconnect(let link): #expect(ending.insert(link).inserted, "ended a link twice")
        case .connected(let session, let peer, let wish):
            #expect(open[Key(session: session, peer: peer)] == wish, "connected nobody's wish")
            #expect(connected.insert(wish).inserted, "connected twice")
            deferred.remove(wish)
        case .failed(let session, let peer, let wish, _):
            finish(Key(session: session, peer: peer), wish)
        case .disconnected(let session, let peer, let wish, .lost(_, let isReconnecting)):
            #expect(connected.remove(wish) != nil, "lost what was not connected")
            if !isReconnecting { finish(Key(session: session, peer: peer), wish) }
        case .disconnected(_, _, let wish, .asked):
            #expect(cancelled.remove(wish) != nil, "answered a cancellation that there was not")
            connected.remove(wish)
        }
    }

    private mutating func finish(_ key: Key, _ wish: WishNumber) {
        #expect(open.removeValue(forKey: key) == wish, "ended nobody's wish")
        connected.remove(wish)
    }

    // MARK: Invariants

    private func check() {
        for peer in Self.peers {
            let wishing = open.filter { $0.key.peer == peer }
            let using = wishing.filter { connected.contains($0.value) }
            #expect(core.users(of: peer) == using.map(\.key.session).sorted())
            let link = links[peer]
            let isLeaving = link.map { ending.contains($0.link) } ?? false
            if !using.isEmpty { #expect(link != nil && !isLeaving, "a user without a link") }
            if wishing.isEmpty {
                #expect(!dials.contains(peer), "dialled for nobody")
                #expect(link.map { $0.isIncoming || isLeaving } ?? true, "a link without a user")
            } else if link == nil {
                let isWanted = wishing.contains { !deferred.contains($0.value) }
                #expect(dials.contains(peer) == isWanted, "a wish that nobody sees to")
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
        #expect(cancelled.isEmpty, "a cancellation was never answered")
        #expect(dials.isEmpty)
    }
}
