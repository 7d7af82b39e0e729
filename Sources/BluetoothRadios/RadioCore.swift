// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes

/// The rules that choose the radio of each link.
///
/// A connection request takes the radio with the strongest signal. All radios listen for a moment
/// first (a *survey*) if no radio has received the peer lately, if the peer's last link was lost,
/// or if that link was moved although no other radio received the peer. The chosen radio has a head
/// start, and then all radios try to connect. The first that connects ends the attempts of the
/// others.
///
/// A link *moves* if its signal is weak and another radio receives the peer better, or if its
/// signal is poor and no other radio receives the peer. Each move interrupts the connection, so a
/// link stays on its radio for `RadioRules.minimumStay` at least. That time doubles with each move,
/// up to `RadioRules.minimumStayLimit`, until the signal of the peer's link is no longer weak.
///
/// If a person has chosen the radio of a peer (`pins`), only this radio connects, and the link does
/// not move.
struct RadioCore: Sendable {
    /// The maximum number of connection requests and links together that the core follows.
    static let peerLimit = 1_024

    enum Action: Equatable, Sendable {
        /// Begin to connect to the peer through a radio.
        case begin(RequestIdentifier, PeerIdentifier, radio: Int)
        /// Cancel the attempt of a request on a radio.
        case cancel(RequestIdentifier, radio: Int)
        /// The request has failed.
        case fail(RequestIdentifier, PortError)
        /// Start or end the scan of a survey on all radios.
        case survey(Bool)
        /// Read the signal of a link.
        case read(LinkIdentifier)
        /// End a link, because it moves, or because the peer has another link.
        case disconnect(LinkIdentifier)
    }

    /// The core's state of a radio.
    struct Radio: Sendable {
        var isUsable = false
        var linkCount = 0
        /// The number of links that the radio had when it refused another one; `nil` if no limit is
        /// known.
        var slotLimit: Int?
        /// The link whose signal is being read.
        var reading: LinkIdentifier?
        /// The links whose signals are read next in this round, the first one last.
        var unread: [LinkIdentifier] = []
        /// The time at which the round of readings began.
        var roundBegan = Instant.zero

        var isFull: Bool { slotLimit.map { linkCount >= $0 } ?? false }

        /// Adds a link. Returns whether it has disproved the limit.
        mutating func addLink() -> Bool {
            linkCount += 1
            guard linkCount > slotLimit ?? .max else { return false }
            slotLimit = nil
            return true
        }
    }

    /// A connection request that has no link yet.
    struct Request: Sendable {
        enum Phase: Sendable {
            /// A survey: all radios listen, and none connects.
            case surveying(until: Instant)
            /// Only the best radio connects.
            case preferring(until: Instant)
            case connectingOnAll
        }

        let peer: PeerIdentifier
        var phase: Phase
        /// The radios that try to connect.
        var attempts: Set<Int> = []
        /// The radios whose attempts failed. They try again after `retryAt`.
        var failed: Set<Int> = []
        var retryAt: Instant?
        var reason = PathReason.firstToConnect

        var deadline: Instant? {
            switch phase {
            case .surveying(let until), .preferring(let until): until
            case .connectingOnAll: retryAt
            }
        }

        var isSurveying: Bool {
            if case .surveying = phase { true } else { false }
        }
    }

    /// An open link that a connection request made.
    struct OpenLink: Sendable {
        let peer: PeerIdentifier
        let radio: Int
        let openedAt: Instant
        let reason: PathReason
        var signal: Signal?
        var weakSince: Instant?
        /// Whether the link ends because of a move.
        var isMoving = false
    }

    /// The history of a peer whose link was moved or lost.
    struct MoveHistory: Sendable {
        /// The radio of that link.
        var origin: Int
        /// The minimum time for which the next link stays on its radio.
        var minimumStay: Duration
        /// Whether the next request listens before it connects.
        var needsSurvey: Bool
        /// The time at which the link was lost; `nil` if it was not lost, but ended for a move, or
        /// if the peer has a link again.
        var lostAt: Instant?
        /// Whether the peer is still without a link after that.
        var isWithoutLink = true
    }

    private struct Failure: Sendable {
        let peer: PeerIdentifier
        let radio: Int
        let at: Instant
    }

    let rules: RadioRules
    private(set) var radios: [Radio]
    var signals = SignalTable()
    /// The radios that a person has chosen for peers.
    private(set) var pins: [PeerIdentifier: Int] = [:]
    private(set) var requests: [RequestIdentifier: Request] = [:]
    private(set) var links: [LinkIdentifier: OpenLink] = [:]
    private(set) var moves: [PeerIdentifier: MoveHistory] = [:]
    private var failures: [Failure] = []
    private var isSurveying = false
    private var nextReading: Instant?
    /// The number of links that were moved since the core was created.
    private(set) var moveCount = 0

    init(radioCount: Int, rules: RadioRules = RadioRules()) {
        self.rules = rules
        radios = Array(repeating: Radio(), count: radioCount)
    }
}

// Radios and requests.
extension RadioCore {
    /// Handles a radio that became usable or was lost. After a loss, `linkClosed` can follow for
    /// its links.
    mutating func radioChanged(_ radio: Int, isUsable: Bool, now: Instant) -> [Action] {
        guard radios[radio].isUsable != isUsable else { return [] }
        radios[radio].isUsable = isUsable
        guard isUsable else {
            radios[radio].slotLimit = nil
            signals.forget(radio: radio)
            // If the lost radio had the head start, the request no longer waits for it. A survey
            // compares radios, so it has no purpose if only one radio remains.
            let isLast = radios.count { $0.isUsable } <= 1
            let waiting = requests.filter { _, request in
                guard pins[request.peer] == nil else { return false }
                return request.attempts == [radio] || isLast && request.isSurveying
            }
            .map(\.key)
            return waiting.flatMap { connectOnAll($0) }
        }
        return roomFound(on: radio)
    }

    /// Lets a radio connect that became usable or has room for a link again.
    private mutating func roomFound(on radio: Int) -> [Action] {
        requests.keys.sorted { $0.rawValue < $1.rawValue }.flatMap { id in
            requests[id]?.failed.remove(radio)
            return isOnAll(id) ? connectOnAll(id) : []
        }
    }

    private func isOnAll(_ id: RequestIdentifier) -> Bool {
        guard let request = requests[id], pins[request.peer] == nil else { return false }
        return if case .connectingOnAll = request.phase { true } else { false }
    }

    /// Chooses the radio of a peer for all later links, or with `nil` leaves the choice to the
    /// core. A request that has no link yet continues on the chosen radio.
    mutating func pin(_ peer: PeerIdentifier, to radio: Int?) -> [Action] {
        pins[peer] = radio
        guard let (id, request) = requests.first(where: { $0.value.peer == peer }) else {
            return []
        }
        guard let radio else {
            requests[id]?.reason = .firstToConnect
            return connectOnAll(id)
        }
        let others = request.attempts.subtracting([radio])
        requests[id]?.attempts.subtract(others)
        requests[id]?.failed = []
        requests[id]?.retryAt = nil
        requests[id]?.reason = .pinned
        requests[id]?.phase = .connectingOnAll
        return others.sorted().map { .cancel(id, radio: $0) } + begin(id, on: [radio])
            + updateSurvey()
    }

    /// Takes over the choices of an earlier run. Choices of radios that no longer exist have no
    /// effect.
    mutating func pin(_ choices: RadioPins, names: [String]) {
        for (peer, name) in choices.names { pins[peer] = names.firstIndex(of: name) }
    }

    /// Begins a connection request.
    ///
    /// - Parameter listensFirst: Whether all radios listen first, even if one has received the
    ///   peer.
    mutating func connectionRequested(
        _ request: RequestIdentifier,
        to peer: PeerIdentifier,
        listensFirst: Bool = false,
        now: Instant
    ) -> [Action] {
        guard !links.values.contains(where: { $0.peer == peer }),
            !requests.values.contains(where: { $0.peer == peer })
        else { return [.fail(request, .refused(.notEstablished))] }
        guard requests.count + links.count < Self.peerLimit else {
            return [.fail(request, .tooManyRequests)]
        }
        requests[request] = Request(peer: peer, phase: .connectingOnAll)
        if let pinned = pins[peer] {
            requests[request]?.reason = .pinned
            return begin(request, on: [pinned])
        }
        guard radios.filter(\.isUsable).count > 1 else {
            requests[request]?.reason = .onlyRadio
            return connectOnAll(request)
        }
        if moves[peer]?.needsSurvey != true, !listensFirst,
            let best = bestRadio(for: peer, now: now)
        {
            return prefer(best, for: request, now: now)
        }
        // A peer whose link was lost advertises again only after the supervision timeout. If all
        // radios tried to connect before that, all of them would answer its first advertisement at
        // the same time and disturb each other. The survey therefore lasts until the peer can
        // advertise again.
        let returnsAt = moves[peer]?.lostAt.map { $0 + rules.supervisionTimeout } ?? now
        requests[request]?.phase = .surveying(until: max(now, returnsAt) + rules.surveyLimit)
        return updateSurvey()
    }

    /// Cancels a request. The adapter ends its link if there is one.
    mutating func connectionCanceled(_ request: RequestIdentifier) -> [Action] {
        guard let canceled = requests.removeValue(forKey: request) else { return [] }
        return canceled.attempts.sorted().map { Action.cancel(request, radio: $0) } + updateSurvey()
    }

    /// Handles the failure of one radio's attempt to connect. All other usable radios then try to
    /// connect, unless the peer is pinned. If the radio has no room for another link, the radio with
    /// the next strongest signal tries first. The request fails when no attempt is left.
    mutating func attemptFailed(
        _ request: RequestIdentifier,
        radio: Int,
        _ error: PortError,
        now: Instant
    ) -> [Action] {
        // A canceled attempt may still report its end.
        guard let state = requests[request], state.attempts.contains(radio) else { return [] }
        let failed = state.failed.union([radio])
        requests[request]?.attempts.remove(radio)
        requests[request]?.failed = failed
        requests[request]?.retryAt = now + rules.failureTime
        let isFull = error == .refused(.limitReached) && radios[radio].linkCount > 0
        if isFull {
            radios[radio].slotLimit = radios[radio].linkCount
        } else {
            noteFailure(of: state.peer, on: radio, now: now)
        }
        var actions: [Action] = []
        if pins[state.peer] == nil {
            if isFull, state.attempts == [radio],
                let next = bestRadio(for: state.peer, except: failed, now: now)
            {
                actions = prefer(next, for: request, now: now)
            } else {
                actions = connectOnAll(request)
            }
        }
        guard requests[request]?.attempts.isEmpty == true else { return actions }
        requests[request] = nil
        return actions + [Action.fail(request, error)] + updateSurvey()
    }

    private mutating func begin(_ request: RequestIdentifier, on chosen: [Int]) -> [Action] {
        guard let state = requests[request] else { return [] }
        let new = chosen.filter { !state.attempts.contains($0) && !state.failed.contains($0) }
        requests[request]?.attempts.formUnion(new)
        return new.map { .begin(request, state.peer, radio: $0) }
    }

    private mutating func prefer(
        _ best: Int,
        for request: RequestIdentifier,
        now: Instant
    ) -> [Action] {
        requests[request]?.phase = .preferring(until: now + rules.headStart)
        requests[request]?.reason = .strongest
        return begin(request, on: [best]) + updateSurvey()
    }

    /// Lets all usable radios connect that have not failed. Full radios are left out while there are
    /// others.
    private mutating func connectOnAll(_ request: RequestIdentifier) -> [Action] {
        requests[request]?.phase = .connectingOnAll
        let usable = radios.indices.filter { radios[$0].isUsable }
        let open = usable.filter { requests[request]?.failed.contains($0) == false }
        let free = open.filter { !radios[$0].isFull }
        // If no radio is usable, the request goes to the first one, whose port keeps the request
        // until the radio is usable again.
        let chosen = usable.isEmpty ? [0] : free.isEmpty ? open : free
        return begin(request, on: chosen) + updateSurvey()
    }

    /// Lets the radios try again whose attempts failed, and those that were left out as full: the
    /// controller may have room without the end of a link.
    private mutating func retry(_ request: RequestIdentifier) -> [Action] {
        requests[request]?.failed = []
        requests[request]?.retryAt = nil
        return begin(request, on: radios.indices.filter { radios[$0].isUsable })
    }

    private mutating func updateSurvey() -> [Action] {
        let isNeeded = requests.values.contains(where: \.isSurveying)
        guard isNeeded != isSurveying else { return [] }
        isSurveying = isNeeded
        return [.survey(isNeeded)]
    }

    private mutating func noteFailure(of peer: PeerIdentifier, on radio: Int, now: Instant) {
        failures.removeAll { now - $0.at > rules.failureTime }
        // Many requests can fail within `failureTime`, so the list has a limit of its own.
        if failures.count >= Self.peerLimit { failures.removeFirst() }
        failures.append(Failure(peer: peer, radio: radio, at: now))
    }
}

// Signals and time.
extension RadioCore {
    /// Handles an advertising report of a device.
    ///
    /// - Returns: Whether this radio receives the device best, so that the application gets the
    ///   report. `true` for a report without a signal strength.
    mutating func received(
        _ peer: PeerIdentifier,
        by radio: Int,
        _ reading: Int?,
        now: Instant
    ) -> Bool {
        for (id, request) in requests where request.peer == peer {
            guard case .surveying(let until) = request.phase else { continue }
            requests[id]?.phase = .surveying(until: min(until, now + rules.surveySettling))
        }
        guard let reading else { return true }
        return signals.note(reading, of: peer, by: radio, rules, now: now)
    }

    /// The time at which to call `deadlinePassed`.
    var nextDeadline: Instant? {
        (requests.values.compactMap(\.deadline) + [nextReading].compactMap { $0 }).min()
    }

    /// Continues the requests whose deadline has passed, and reads the signals of links.
    mutating func deadlinePassed(now: Instant) -> [Action] {
        var actions: [Action] = []
        for (id, request) in requests.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let deadline = request.deadline, deadline <= now else { continue }
            if case .surveying = request.phase,
                let best = bestRadio(for: request.peer, now: now)
            {
                actions += prefer(best, for: id, now: now)
            } else {
                actions += isOnAll(id) ? retry(id) : connectOnAll(id)
            }
        }
        if let reading = nextReading, reading <= now {
            nextReading = links.isEmpty ? nil : now + rules.readingInterval
            actions += radios.indices.flatMap { readSignals(on: $0, now: now) }
        }
        return actions
    }

    /// Begins a round that reads the signals of a radio's links, unless the last round has not
    /// ended.
    private mutating func readSignals(on radio: Int, now: Instant) -> [Action] {
        if radios[radio].reading == nil, radios[radio].unread.isEmpty {
            radios[radio].unread = links.keys.filter { links[$0]?.radio == radio }.sorted(by: >)
            radios[radio].roundBegan = now
        }
        return readNext(on: radio, now: now)
    }

    /// Reads the next signal of the radio's round. Most controllers execute one command at a time,
    /// and each one takes a round trip through the network. The commands that connect to a peer
    /// would wait for all readings that began before them.
    private mutating func readNext(on radio: Int, now: Instant) -> [Action] {
        guard radios[radio].reading == nil, !isReadingPaused(on: radio, now: now),
            let next = radios[radio].unread.popLast()
        else { return [] }
        radios[radio].reading = next
        return [.read(next)]
    }

    /// Whether readings wait, because the radio listens in a survey, or alone connects to a peer.
    private func isReadingPaused(on radio: Int, now: Instant) -> Bool {
        guard now - radios[radio].roundBegan < rules.readingPauseLimit else { return false }
        return requests.values.contains {
            switch $0.phase {
            case .surveying: true
            case .preferring: $0.attempts.contains(radio)
            case .connectingOnAll: false
            }
        }
    }

    /// Returns the radio that receives a peer best, without those that failed; `nil` if no other
    /// usable radio has received the peer lately.
    private func bestRadio(
        for peer: PeerIdentifier,
        except failed: Set<Int> = [],
        now: Instant
    ) -> Int? {
        let received = signals[peer]?.signals.filter {
            radios[$0.key].isUsable && !failed.contains($0.key)
                && $0.value.isFresh(rules, now: now)
        }
        guard let received, !received.isEmpty else { return nil }
        let free = received.filter { !radios[$0.key].isFull }
        return (free.isEmpty ? received : free)
            .map { ($0.key, $0.value.strength - penalty(of: $0.key, for: peer, now: now)) }
            .max { ($0.1, $1.0) < ($1.1, $0.0) }?.0
    }

    private func penalty(of radio: Int, for peer: PeerIdentifier, now: Instant) -> Double {
        let count = failures.count {
            $0.peer == peer && $0.radio == radio && now - $0.at <= rules.failureTime
        }
        return Double(min(count, rules.failureLimit)) * rules.failurePenalty
    }
}

// Links.
extension RadioCore {
    /// Handles a link that a radio made for a request.
    mutating func linkOpened(
        _ link: LinkIdentifier,
        to peer: PeerIdentifier,
        on radio: Int,
        now: Instant
    ) -> [Action] {
        let hasRoom = radios[radio].addLink()
        guard !links.values.contains(where: { $0.peer == peer }) else {
            // Two radios connected at the same time. The peer keeps its first link.
            return [.disconnect(link)] + (hasRoom ? roomFound(on: radio) : [])
        }
        let found = requests.first { $0.value.peer == peer }
        if let id = found?.key { requests[id] = nil }
        let room = hasRoom ? roomFound(on: radio) : []
        var reason = found?.value.reason ?? .firstToConnect
        if let move = moves[peer], move.isWithoutLink, move.origin != radio, reason != .pinned {
            reason = .moved
        }
        moves[peer]?.needsSurvey = false
        moves[peer]?.lostAt = nil
        moves[peer]?.isWithoutLink = false
        links[link] = OpenLink(peer: peer, radio: radio, openedAt: now, reason: reason)
        nextReading = nextReading ?? now + rules.readingInterval
        guard let found else { return room }
        let others = found.value.attempts.subtracting([radio]).sorted()
        return others.map { Action.cancel(found.key, radio: $0) } + updateSurvey() + room
    }

    /// Handles a link that the peer established. The core only counts it, because it takes a
    /// connection slot of the radio.
    mutating func incomingLinkOpened(on radio: Int) -> [Action] {
        radios[radio].addLink() ? roomFound(on: radio) : []
    }

    /// Handles the end of any link.
    ///
    /// - Parameter isLost: Whether the link failed, so that its last signal is no longer valid.
    mutating func linkClosed(
        _ link: LinkIdentifier,
        on radio: Int,
        isLost: Bool,
        now: Instant
    ) -> [Action] {
        let wasFull = radios[radio].isFull
        radios[radio].linkCount = max(radios[radio].linkCount - 1, 0)
        if radios[radio].reading == link { radios[radio].reading = nil }
        radios[radio].unread.removeAll { $0 == link }
        noteEnd(of: link, on: radio, isLost: isLost, now: now)
        return wasFull ? roomFound(on: radio) : []
    }

    private mutating func noteEnd(
        of link: LinkIdentifier,
        on radio: Int,
        isLost: Bool,
        now: Instant
    ) {
        guard let closed = links.removeValue(forKey: link) else { return }
        if links.isEmpty { nextReading = nil }
        if isLost || closed.isMoving { signals.forget(closed.peer, on: radio) }
        guard isLost else { return }
        if !closed.isMoving {
            // The device may have moved near any radio, so the next request begins with a survey.
            let minimumStay = minimumStay(of: closed.peer)
            remember(
                MoveHistory(origin: radio, minimumStay: minimumStay, needsSurvey: true),
                closed.peer
            )
        }
        moves[closed.peer]?.lostAt = now
    }

    private func minimumStay(of peer: PeerIdentifier) -> Duration {
        moves[peer]?.minimumStay ?? rules.minimumStay
    }

    private mutating func remember(_ move: MoveHistory, _ peer: PeerIdentifier) {
        if moves.count >= Self.peerLimit, moves[peer] == nil { moves = [:] }
        moves[peer] = move
    }

    /// Handles a reading of a link's signal; `nil` if it failed or the controller has none.
    mutating func signalRead(_ reading: Int?, of link: LinkIdentifier, now: Instant) -> [Action] {
        guard let radio = links[link]?.radio else { return [] }
        if radios[radio].reading == link { radios[radio].reading = nil }
        return moveIfWeak(link, reading, now: now) + readNext(on: radio, now: now)
    }

    /// Adds a reading to a link's signal, and ends the link if it has to move.
    private mutating func moveIfWeak(
        _ link: LinkIdentifier,
        _ reading: Int?,
        now: Instant
    ) -> [Action] {
        guard let reading, var state = links[link], !state.isMoving else { return [] }
        var signal = state.signal ?? Signal(reading, now: now)
        signal.add(reading, rules, now: now)
        state.signal = signal
        state.weakSince = signal.strength < rules.weakSignal ? state.weakSince ?? now : nil
        if signal.strength >= rules.weakSignal { moves[state.peer] = nil }
        defer { links[link] = state }
        _ = signals.note(reading, of: state.peer, by: state.radio, rules, now: now)
        guard let kind = move(of: state, now: now) else { return [] }
        remember(
            MoveHistory(
                origin: state.radio,
                minimumStay: min(minimumStay(of: state.peer) * 2, rules.minimumStayLimit),
                needsSurvey: kind == .anywhere
            ),
            state.peer
        )
        state.isMoving = true
        moveCount += 1
        return [.disconnect(link)]
    }

    /// The way in which a peer connects again after its link was moved.
    private enum Move {
        /// Another radio receives the peer better.
        case toKnownRadio
        /// No other radio receives the peer, so all radios have to listen.
        case anywhere
    }

    /// Returns how a link should move; `nil` if it should stay.
    private func move(of link: OpenLink, now: Instant) -> Move? {
        guard pins[link.peer] == nil, let signal = link.signal, let weakSince = link.weakSince,
            now - weakSince >= rules.weakTime, now - link.openedAt >= minimumStay(of: link.peer)
        else { return nil }
        let others = radios.indices.filter {
            $0 != link.radio && radios[$0].isUsable && !radios[$0].isFull
        }
        guard !others.isEmpty else { return nil }
        let known = others.compactMap { radio -> Double? in
            guard let other = signals[link.peer]?.signals[radio],
                other.isFresh(rules, now: now)
            else { return nil }
            return other.strength - penalty(of: radio, for: link.peer, now: now)
        }
        if let best = known.max() {
            return best >= signal.strength + rules.moveMargin ? .toKnownRadio : nil
        }
        return signal.strength < rules.poorSignal ? .anywhere : nil
    }
}
