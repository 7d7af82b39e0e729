// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes
import Testing

@testable import BluetoothRadios

/// ``RadioCore`` defines a *survey*, in which all radios listen for a peer before one of them
/// connects, and the *move* of a link to another radio.
@Suite("The choice of a radio")
struct RadioCoreTests {
    private static let peer = PeerIdentifier(bytes: [UInt8](repeating: 1, count: 16))
    private static let request = RequestIdentifier(rawValue: 1)
    private static let link = LinkIdentifier(rawValue: 1)
    private static let other = LinkIdentifier(rawValue: 2)

    private let rules = RadioRules()
    private var core: RadioCore
    private var now = Instant.zero + .seconds(100)

    init() {
        core = RadioCore(radioCount: 3)
        for radio in 0..<3 { _ = core.radioChanged(radio, isUsable: true, now: now) }
    }

    @discardableResult
    private mutating func receive(_ readings: [Int?]) -> [Bool] {
        readings.enumerated().compactMap { radio, reading in
            reading.map { core.received(Self.peer, by: radio, $0, now: now) }
        }
    }

    private mutating func connect() -> [RadioCore.Action] {
        core.connectionRequested(Self.request, to: Self.peer, now: now)
    }

    /// Sets the time to the next deadline, and returns the actions that are due.
    private mutating func pass() -> [RadioCore.Action] {
        now = core.nextDeadline ?? now
        return core.deadlinePassed(now: now)
    }

    private static func begin(_ radio: Int) -> RadioCore.Action {
        .begin(request, peer, radio: radio)
    }

    @Test("The radio that receives a peer best connects first, and the others after the head start")
    mutating func strongest() {
        receive([-70, -50, -90])
        #expect(connect() == [Self.begin(1)])
        let start = now
        #expect(pass() == [Self.begin(0), Self.begin(2)])
        #expect(now == start + rules.headStart)
        #expect(core.nextDeadline == nil)
    }

    @Test(
        "A request for a peer that no radio has received starts a survey and uses the best radio"
    )
    mutating func survey() {
        #expect(connect() == [.survey(true)])
        now = now + .milliseconds(100)
        receive([nil, -80, -60])
        let received = now
        #expect(pass() == [Self.begin(2), .survey(false)])
        #expect(now == received + rules.surveySettling)
    }

    @Test("After a survey in which no radio receives the peer, all radios connect")
    mutating func notReceived() {
        #expect(connect() == [.survey(true)])
        let start = now
        #expect(pass() == [Self.begin(0), Self.begin(1), Self.begin(2), .survey(false)])
        #expect(now == start + rules.surveyLimit)
    }

    @Test("The survey after the loss of a link lasts until the peer can advertise again")
    mutating func surveyAfterLoss() {
        _ = core.linkOpened(Self.link, to: Self.peer, on: 0, now: now)
        _ = core.linkClosed(Self.link, on: 0, isLost: true, now: now)
        #expect(connect() == [.survey(true)])
        #expect(core.nextDeadline == now + rules.supervisionTimeout + rules.surveyLimit)
        now = now + rules.supervisionTimeout
        receive([nil, -80, -60])
        #expect(pass() == [Self.begin(2), .survey(false)])
    }

    @Test("A loss of the link long ago, or a move, does not lengthen the survey")
    mutating func surveyAfterReturn() {
        _ = core.linkOpened(Self.link, to: Self.peer, on: 0, now: now)
        _ = core.linkClosed(Self.link, on: 0, isLost: true, now: now)
        now = now + .seconds(60)
        #expect(connect() == [.survey(true)])
        #expect(core.nextDeadline == now + rules.surveyLimit)
        _ = core.connectionCanceled(Self.request)
        open(on: 0)
        #expect(readings(-90, count: 60) != nil)
        _ = core.linkClosed(Self.link, on: 0, isLost: false, now: now)
        #expect(connect() == [.survey(true)])
        #expect(core.nextDeadline == now + rules.surveyLimit)
    }

    @Test("A report without a signal strength ends the survey, and all radios connect")
    mutating func reportWithoutSignal() {
        #expect(connect() == [.survey(true)])
        _ = core.received(Self.peer, by: 1, nil, now: now)
        #expect(core.nextDeadline == now + rules.surveySettling)
        #expect(pass() == [Self.begin(0), Self.begin(1), Self.begin(2), .survey(false)])
    }

    @Test("If one usable radio is left, the survey ends and that radio connects")
    mutating func lastRadio() {
        #expect(connect() == [.survey(true)])
        #expect(core.radioChanged(1, isUsable: false, now: now) == [])
        #expect(
            core.radioChanged(2, isUsable: false, now: now) == [Self.begin(0), .survey(false)]
        )
    }

    @Test("An old signal is not used")
    mutating func staleSignal() {
        receive([-40, nil, nil])
        now = now + rules.freshness + .milliseconds(1)
        #expect(connect() == [.survey(true)])
    }

    @Test("The first link cancels the attempts of the other radios")
    mutating func firstLink() {
        receive([-70, -50, -90])
        _ = connect()
        _ = pass()
        let actions = core.linkOpened(Self.link, to: Self.peer, on: 2, now: now)
        #expect(
            actions == [.cancel(Self.request, radio: 0), .cancel(Self.request, radio: 1)]
        )
        #expect(core.requests.isEmpty)
        #expect(core.radios.map(\.linkCount) == [0, 0, 1])
    }

    @Test("A second link to a peer ends at once")
    mutating func doubleLink() {
        _ = core.linkOpened(Self.link, to: Self.peer, on: 0, now: now)
        #expect(
            core.linkOpened(Self.other, to: Self.peer, on: 1, now: now)
                == [.disconnect(Self.other)]
        )
        _ = core.linkClosed(Self.other, on: 1, isLost: false, now: now)
        #expect(core.radios.map(\.linkCount) == [1, 0, 0])
        #expect(core.links.keys.elementsEqual([Self.link]))
    }

    @Test("A canceled request cancels its attempts and ends the survey")
    mutating func cancellation() {
        _ = connect()
        #expect(core.connectionCanceled(Self.request) == [.survey(false)])
        receive([-70, nil, nil])
        _ = connect()
        #expect(core.connectionCanceled(Self.request) == [.cancel(Self.request, radio: 0)])
        #expect(core.connectionCanceled(Self.request) == [])
        #expect(core.nextDeadline == nil)
    }

    @Test("A request whose attempt failed continues on the other radios, until all have failed")
    mutating func failures() {
        receive([-50, nil, nil])
        #expect(connect() == [Self.begin(0)])
        let error = PortError.refused(.notEstablished)
        #expect(
            core.attemptFailed(Self.request, radio: 0, error, now: now)
                == [Self.begin(1), Self.begin(2)]
        )
        #expect(core.attemptFailed(Self.request, radio: 2, error, now: now) == [])
        #expect(
            core.attemptFailed(Self.request, radio: 1, error, now: now)
                == [.fail(Self.request, error)]
        )
    }

    @Test("A radio that failed recently has a penalty")
    mutating func penalty() {
        receive([-50, -55, nil])
        #expect(connect() == [Self.begin(0)])
        _ = core.attemptFailed(Self.request, radio: 0, .timedOut, now: now)
        _ = core.connectionCanceled(Self.request)
        receive([-50, -55, nil])
        #expect(connect() == [Self.begin(1)])
        _ = core.connectionCanceled(Self.request)
        now = now + rules.failureTime + .seconds(1)
        receive([-50, -55, nil])
        #expect(connect() == [Self.begin(0)])
    }

    @Test("A radio with a free slot is preferred to a nearer radio without a free slot")
    mutating func slots() {
        _ = core.linkOpened(
            Self.other,
            to: PeerIdentifier(bytes: [UInt8](repeating: 2, count: 16)),
            on: 0,
            now: now
        )
        receive([-40, -70, nil])
        _ = connect()
        _ = core.attemptFailed(Self.request, radio: 0, .refused(.limitReached), now: now)
        #expect(core.radios[0].slotLimit == 1)
        _ = core.connectionCanceled(Self.request)
        receive([-40, -90, nil])
        #expect(connect() == [Self.begin(1)])
        _ = core.linkClosed(Self.other, on: 0, isLost: false, now: now)
        #expect(!core.radios[0].isFull)
    }

    /// Opens a link of another peer on a radio.
    private mutating func occupy(_ radio: Int) {
        _ = core.linkOpened(Self.other, to: Self.identifier(2), on: radio, now: now)
    }

    @Test("After the refusal of a full radio, the next strongest radio connects first")
    mutating func fullRadio() {
        occupy(0)
        receive([-40, -70, -60])
        #expect(connect() == [Self.begin(0)])
        let full = PortError.refused(.limitReached)
        #expect(core.attemptFailed(Self.request, radio: 0, full, now: now) == [Self.begin(2)])
        now = now + rules.headStart
        #expect(core.deadlinePassed(now: now).contains(Self.begin(1)))
        // The full radio tries again when one of its links has ended.
        #expect(
            core.linkClosed(Self.other, on: 0, isLost: false, now: now) == [Self.begin(0)]
        )
        _ = core.connectionCanceled(Self.request)
        receive([-40, -45, nil])
        #expect(connect() == [Self.begin(0)])
    }

    @Test("A radio that has room again during the head start of another connects after it")
    mutating func roomDuringHeadStart() {
        occupy(0)
        receive([-40, -70, -60])
        _ = connect()
        let full = PortError.refused(.limitReached)
        #expect(core.attemptFailed(Self.request, radio: 0, full, now: now) == [Self.begin(2)])
        #expect(core.linkClosed(Self.other, on: 0, isLost: false, now: now) == [])
        now = now + rules.headStart
        #expect(core.deadlinePassed(now: now) == [Self.begin(0), Self.begin(1)])
    }

    @Test("A full radio tries again after a while although no link has ended")
    mutating func retryOfFullRadio() {
        occupy(0)
        receive([-40, nil, -60])
        _ = connect()
        let full = PortError.refused(.limitReached)
        _ = core.attemptFailed(Self.request, radio: 0, full, now: now)
        let refused = now
        now = now + rules.headStart
        _ = core.deadlinePassed(now: now)
        now = refused + rules.failureTime
        #expect(core.deadlinePassed(now: now).contains(Self.begin(0)))
    }

    @Test("If the other radios have failed, a full radio is tried before the request fails")
    mutating func fullRadioLast() {
        occupy(0)
        _ = core.radioChanged(2, isUsable: false, now: now)
        receive([-40, nil, nil])
        _ = connect()
        let full = PortError.refused(.limitReached)
        _ = core.attemptFailed(Self.request, radio: 0, full, now: now)
        #expect(
            core.attemptFailed(Self.request, radio: 1, .unanswered, now: now)
                == [.fail(Self.request, .unanswered)]
        )
        now = now + (rules.freshness + .seconds(1))
        #expect(connect() == [.survey(true)])
        now = now + rules.surveyLimit
        #expect(core.deadlinePassed(now: now).contains(Self.begin(1)))
        #expect(core.requests[Self.request]?.attempts == [1])
        #expect(
            core.attemptFailed(Self.request, radio: 1, .unanswered, now: now) == [Self.begin(0)]
        )
    }

    @Test("A request fails if all radios are full, and later requests try them again")
    mutating func allFull() {
        occupy(0)
        _ = core.radioChanged(1, isUsable: false, now: now)
        _ = core.radioChanged(2, isUsable: false, now: now)
        let full = PortError.refused(.limitReached)
        for _ in 1...2 {
            #expect(connect() == [Self.begin(0)])
            #expect(
                core.attemptFailed(Self.request, radio: 0, full, now: now)
                    == [.fail(Self.request, full)]
            )
        }
    }

    @Test("A radio whose attempt failed tries again later, while the others still try")
    mutating func retry() {
        receive([-50, nil, nil])
        _ = connect()
        _ = core.attemptFailed(Self.request, radio: 0, .unanswered, now: now)
        let failed = now
        #expect(pass() == [Self.begin(0)])
        #expect(now == failed + rules.failureTime)
        #expect(core.nextDeadline == nil)
        // A pinned peer does not use the other radios.
        _ = core.attemptFailed(Self.request, radio: 0, .unanswered, now: now)
        _ = core.pin(Self.peer, to: 1)
        #expect(core.nextDeadline == nil)
    }

    @Test("A link beyond the known limit of a radio disproves the limit", arguments: [true, false])
    mutating func disprovenLimit(isIncoming: Bool) {
        occupy(0)
        receive([-40, nil, nil])
        _ = connect()
        _ = core.attemptFailed(Self.request, radio: 0, .refused(.limitReached), now: now)
        #expect(core.radios[0].slotLimit == 1)
        now = now + rules.headStart
        _ = core.deadlinePassed(now: now)
        if isIncoming {
            #expect(core.incomingLinkOpened(on: 0) == [Self.begin(0)])
        } else {
            let third = LinkIdentifier(rawValue: 3)
            let actions = core.linkOpened(third, to: Self.identifier(3), on: 0, now: now)
            #expect(actions == [Self.begin(0)])
        }
        #expect(core.radios[0].slotLimit == nil)
    }

    @Test("A pinned peer uses its radio only, and does not move")
    mutating func pin() {
        _ = core.pin(Self.peer, to: 2)
        receive([-40, -40, -90])
        #expect(connect() == [Self.begin(2)])
        #expect(core.nextDeadline == nil)
        #expect(core.radioChanged(2, isUsable: false, now: now) == [])
        _ = core.radioChanged(2, isUsable: true, now: now)
        _ = core.linkOpened(Self.link, to: Self.peer, on: 2, now: now)
        #expect(readings(-95, count: 60, others: [-40, -40, nil]) == nil)
    }

    @Test("If another radio returns, a pinned peer still uses its radio only")
    mutating func pinAndReturn() {
        _ = core.pin(Self.peer, to: 2)
        #expect(connect() == [Self.begin(2)])
        _ = core.radioChanged(1, isUsable: false, now: now)
        #expect(core.radioChanged(1, isUsable: true, now: now) == [])
    }

    @Test("A pin applies to a request that has no link yet, and so does its end")
    mutating func pinDuringRequest() {
        receive([-40, -70, nil])
        #expect(connect() == [Self.begin(0)])
        _ = core.pin(Self.peer, to: 2)
        #expect(core.requests[Self.request]?.attempts == [2])
        #expect(core.requests[Self.request]?.reason == .pinned)
        #expect(core.nextDeadline == nil)
        _ = core.pin(Self.peer, to: nil)
        #expect(core.requests[Self.request]?.attempts == [0, 1, 2])
        _ = core.connectionCanceled(Self.request)
        // A survey for this peer ends, too.
        now = now + rules.freshness * 2
        #expect(connect() == [.survey(true)])
        _ = core.pin(Self.peer, to: 1)
        #expect(core.requests[Self.request]?.attempts == [1])
        #expect(core.nextDeadline == nil)
    }

    @Test("If the radio with the head start is lost, all other radios connect")
    mutating func lostRadio() {
        receive([-50, -70, nil])
        #expect(connect() == [Self.begin(0)])
        #expect(
            core.radioChanged(0, isUsable: false, now: now) == [Self.begin(1), Self.begin(2)]
        )
        // When the radio returns, it gets no action, because its attempt has not ended.
        #expect(core.radioChanged(0, isUsable: true, now: now) == [])
    }

    // MARK: Moves

    /// Reads the link's signal after each interval. Returns the number of readings until the link
    /// ends, or `nil` if the link stays.
    private mutating func readings(
        _ reading: Int,
        count: Int,
        others: [Int?] = []
    ) -> Int? {
        for number in 1...count {
            now = now + rules.readingInterval
            receive(others)
            let actions = core.signalRead(reading, of: Self.link, now: now)
            guard actions.isEmpty else {
                #expect(actions == [.disconnect(Self.link)])
                return number
            }
        }
        return nil
    }

    private mutating func open(on radio: Int) {
        _ = core.linkOpened(Self.link, to: Self.peer, on: radio, now: now)
    }

    @Test("A weak link moves to a radio that receives the peer better by the margin")
    mutating func move() {
        open(on: 0)
        #expect(
            readings(-80, count: 30, others: [nil, -79, nil]) == nil,
            "The signal of the other radio is not better by the margin"
        )
        #expect(readings(-80, count: 30, others: [nil, -60, nil]) != nil)
        _ = core.linkClosed(Self.link, on: 0, isLost: true, now: now)
        #expect(connect() == [Self.begin(1)])
        open(on: 1)
        #expect(core.links[Self.link]?.reason == .moved)
        #expect(core.moveCount == 1)
    }

    @Test("A strong link stays, even if the signals of the other radios are much stronger")
    mutating func strongLink() {
        open(on: 0)
        #expect(readings(-70, count: 300, others: [nil, -30, -30]) == nil)
    }

    @Test("A link stays on its radio for the minimum time")
    mutating func minimumStay() {
        open(on: 0)
        #expect(readings(-90, count: 100) == Int(rules.minimumStay / rules.readingInterval))
    }

    @Test("A poor link whose peer is not received ends, and the next request surveys")
    mutating func poor() {
        open(on: 0)
        #expect(readings(-82, count: 60) == nil, "The signal is weak, but not poor")
        #expect(readings(-90, count: 60) != nil)
        _ = core.linkClosed(Self.link, on: 0, isLost: true, now: now)
        #expect(connect() == [.survey(true)])
    }

    @Test("Repeated moves of a peer become rarer, up to a limit")
    mutating func flapping() {
        let start = now
        var times: [Duration] = []
        for turn in 0..<12 {
            open(on: turn % 2)
            #expect(readings(-90, count: 700) != nil)
            times.append(now - start)
            _ = core.linkClosed(Self.link, on: turn % 2, isLost: true, now: now)
        }
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(pauses.last == rules.minimumStayLimit)
        #expect(zip(pauses.dropFirst(), pauses).allSatisfy { $0 >= $1 })
        // A strong signal ends the delay.
        open(on: 0)
        #expect(readings(-50, count: 20) == nil)
        #expect(readings(-95, count: 20) != nil)
    }

    @Test("A link on the only usable radio stays")
    mutating func onlyRadio() {
        for radio in 1..<3 { _ = core.radioChanged(radio, isUsable: false, now: now) }
        #expect(connect() == [Self.begin(0)])
        open(on: 0)
        #expect(core.links[Self.link]?.reason == .onlyRadio)
        #expect(readings(-95, count: 60) == nil)
    }

    // MARK: Readings

    private static let far = LinkIdentifier(rawValue: 3)

    /// Opens two links on the radio 0, and one on the radio 1.
    private mutating func openThree() {
        open(on: 0)
        for (number, link, radio) in [(1, Self.other, 0), (2, Self.far, 1)] {
            _ = core.linkOpened(link, to: Self.identifier(number), on: radio, now: now)
        }
    }

    @Test("A radio reads the signal of one link at a time")
    mutating func readingsInTurn() {
        openThree()
        #expect(pass() == [.read(Self.link), .read(Self.far)])
        #expect(core.signalRead(-50, of: Self.far, now: now) == [])
        #expect(core.signalRead(-50, of: Self.link, now: now) == [.read(Self.other)])
        // The reading on the radio 0 has not ended, so only the radio 1 begins a round.
        #expect(pass() == [.read(Self.far)])
        #expect(core.signalRead(-50, of: Self.other, now: now) == [])
        #expect(core.signalRead(-50, of: Self.far, now: now) == [])
        #expect(pass() == [.read(Self.link), .read(Self.far)])
    }

    @Test("After a failed reading, or the end of its link, the radio reads the next link")
    mutating func failedReading() {
        openThree()
        _ = pass()
        #expect(core.signalRead(nil, of: Self.link, now: now) == [.read(Self.other)])
        _ = core.linkClosed(Self.other, on: 0, isLost: false, now: now)
        #expect(core.signalRead(-50, of: Self.other, now: now) == [])
        #expect(pass() == [.read(Self.link)])
        _ = core.linkClosed(Self.link, on: 0, isLost: false, now: now)
        _ = core.linkOpened(Self.other, to: Self.peer, on: 0, now: now)
        #expect(pass() == [.read(Self.other)])
    }

    @Test("During a survey or a head start, the readings wait, but not longer than the limit")
    mutating func pausedReadings() {
        openThree()
        let waiting = PeerIdentifier(bytes: [UInt8](repeating: 9, count: 16))
        #expect(core.connectionRequested(Self.request, to: waiting, now: now) == [.survey(true)])
        now = now + (rules.surveyLimit - .milliseconds(1))
        _ = core.received(waiting, by: 1, -50, now: now)
        #expect(pass() == [.begin(Self.request, waiting, radio: 1), .survey(false)])
        // The radio 1 has the head start, so only the radio 0 reads.
        #expect(pass() == [.read(Self.link)])
        #expect(core.linkOpened(LinkIdentifier(rawValue: 4), to: waiting, on: 1, now: now) == [])
        #expect(pass() == [.read(Self.far)])
        // Requests for other peers follow each other without a break.
        let start = now
        _ = core.linkClosed(Self.far, on: 1, isLost: false, now: now)
        var reads: [Duration] = []
        for number in 10..<60 {
            let id = RequestIdentifier(rawValue: UInt64(number))
            _ = core.connectionRequested(id, to: Self.identifier(number), now: now)
            now = now + rules.surveyLimit / 2
            let actions = core.deadlinePassed(now: now)
            if actions.contains(where: { if case .read = $0 { true } else { false } }) {
                reads.append(now - start)
            }
            _ = core.connectionCanceled(id)
        }
        #expect(!reads.isEmpty)
        let pauses = zip(reads, [.zero] + reads).map { $0 - $1 }
        let limit = rules.readingPauseLimit + rules.readingInterval * 3
        #expect(pauses.allSatisfy { $0 <= limit }, "\(reads)")
    }

    // MARK: Reports

    @Test("The application gets the reports of the radio that receives the device best")
    mutating func reports() {
        #expect(receive([-70, -60, -90]) == [true, true, false])
        #expect(receive([-70, -60, -90]) == [false, true, false])
        // A small advantage does not change the radio.
        now = now + .milliseconds(100)
        #expect(receive([-58, -60, nil]) == [false, true])
        // When that radio no longer receives the device, the other radios report the device.
        now = now + rules.freshness + .seconds(1)
        #expect(receive([-70, nil, nil]) == [true])
    }

    @Test("The loss of a radio removes only its signals from a full table")
    func lossInFullTable() {
        var table = SignalTable()
        let peers = (0..<SignalTable.generationLimit * 3 / 2).map(Self.identifier)
        for peer in peers { _ = table.note(-50, of: peer, by: 0, rules, now: now) }
        _ = table.note(-40, of: peers[0], by: 1, rules, now: now)
        table.forget(radio: 1)
        #expect(table.count == peers.count)
        #expect(peers.allSatisfy { table[$0]?.signals.keys.sorted() == [0] })
    }

    private static func identifier(_ number: Int) -> PeerIdentifier {
        PeerIdentifier(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 2 * 8)) })
    }

    @Test("The size of the table of signals is limited")
    func tableBound() {
        var table = SignalTable()
        for number in 0..<10_000 {
            _ = table.note(-50, of: Self.identifier(number), by: 0, rules, now: now)
        }
        #expect(table.count <= 2 * SignalTable.generationLimit)
        #expect(table.count > SignalTable.generationLimit)
    }
}
