// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualRadio

@testable import BluetoothRadios

/// Random inputs for the core. The model performs the actions, and rejects those that are
/// impossible.
@Suite("The choice of a radio, with random inputs")
struct RadioCoreModelTests {
    /// The radios, as the actions change them.
    private struct Model {
        var core = RadioCore(radioCount: 4)
        var generator: SplitMix64
        var now = Instant.zero
        var usable = Set<Int>()
        /// The attempts on each radio.
        var attempts: Set<Attempt> = []
        var open: [LinkIdentifier: (peer: PeerIdentifier, radio: Int)] = [:]
        var ending: Set<LinkIdentifier> = []
        /// The links whose signals are being read.
        var reading: Set<LinkIdentifier> = []
        var waiting: [RequestIdentifier: PeerIdentifier] = [:]
        var isSurveying = false
        var lastNumber: UInt64 = 0

        struct Attempt: Hashable {
            let request: RequestIdentifier
            let radio: Int
        }

        mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        func peer(_ number: Int) -> PeerIdentifier {
            PeerIdentifier(bytes: [UInt8](repeating: UInt8(number + 1), count: 16))
        }

        mutating func perform(_ actions: [RadioCore.Action]) {
            for action in actions {
                switch action {
                case .begin(let request, let peer, let radio):
                    #expect(waiting[request] == peer)
                    let isNew = attempts.insert(Attempt(request: request, radio: radio)).inserted
                    #expect(isNew)
                case .cancel(let request, let radio):
                    let attempt = Attempt(request: request, radio: radio)
                    #expect(attempts.remove(attempt) != nil)
                case .fail(let request, _):
                    #expect(waiting.removeValue(forKey: request) != nil)
                    #expect(!attempts.contains { $0.request == request })
                case .survey(let isOn):
                    #expect(isSurveying != isOn)
                    isSurveying = isOn
                case .read(let link):
                    let radio = open[link]?.radio
                    #expect(radio != nil)
                    #expect(!reading.contains { open[$0]?.radio == radio })
                    reading.insert(link)
                case .disconnect(let link):
                    #expect(open[link] != nil)
                    ending.insert(link)
                }
            }
        }

        /// Checks that every attempt belongs to a request, that a peer has two links only while one
        /// of them is being ended, and that the core's counts agree with the model.
        func check() {
            #expect(Set(core.requests.keys) == Set(waiting.keys))
            for (id, request) in core.requests {
                let mine = attempts.filter { $0.request == id }.map(\.radio)
                #expect(Set(mine) == request.attempts)
                #expect(!mine.isEmpty || request.deadline != nil)
            }
            #expect(attempts.allSatisfy { waiting[$0.request] != nil })
            let lasting = open.filter { !ending.contains($0.key) }.map(\.value.peer)
            #expect(Set(lasting).count == lasting.count, "The peer has two links")
            for radio in 0..<4 {
                let count = open.values.count { $0.radio == radio }
                #expect(core.radios[radio].linkCount == count)
            }
            let needsSurvey = core.requests.values.contains {
                if case .surveying = $0.phase { true } else { false }
            }
            #expect(isSurveying == needsSurvey)
        }

        mutating func step() {
            now = now + .milliseconds(draw(700))
            switch draw(12) {
            case 0:
                let radio = draw(4)
                if usable.remove(radio) != nil {
                    for (link, state) in open where state.radio == radio {
                        close(link, isLost: true)
                    }
                    perform(core.radioChanged(radio, isUsable: false, now: now))
                } else {
                    usable.insert(radio)
                    perform(core.radioChanged(radio, isUsable: true, now: now))
                }
            case 1, 2: request()
            case 3:
                guard let (id, _) = waiting.randomElement(using: &generator) else { break }
                waiting[id] = nil
                let actions = core.connectionCanceled(id)
                perform(actions)
            case 4, 5: connectAnyAttempt()
            case 6:
                guard let attempt = attempts.randomElement(using: &generator) else { break }
                attempts.remove(attempt)
                let error: PortError = draw(2) == 0 ? .timedOut : .refused(.limitReached)
                perform(
                    core.attemptFailed(attempt.request, radio: attempt.radio, error, now: now)
                )
            case 7:
                guard let link = open.keys.randomElement(using: &generator) else { break }
                close(link, isLost: draw(2) == 0)
            case 8, 9:
                _ = core.received(peer(draw(5)), by: draw(4), -40 - draw(60), now: now)
            case 10:
                guard let link = open.keys.randomElement(using: &generator) else { break }
                reading.remove(link)
                let signal = draw(8) == 0 ? nil : -40 - draw(60)
                perform(core.signalRead(signal, of: link, now: now))
            default:
                for _ in 0..<50 {
                    guard let deadline = core.nextDeadline, deadline <= now else { break }
                    perform(core.deadlinePassed(now: now))
                }
                #expect(core.nextDeadline.map { $0 > now } ?? true)
            }
        }

        private mutating func request() {
            lastNumber += 1
            let id = RequestIdentifier(rawValue: lastNumber)
            let peer = peer(draw(5))
            waiting[id] = peer
            perform(core.connectionRequested(id, to: peer, now: now))
        }

        private mutating func connectAnyAttempt() {
            let able = attempts.filter { usable.contains($0.radio) }
            guard let attempt = able.randomElement(using: &generator),
                let peer = waiting[attempt.request]
            else { return }
            lastNumber += 1
            let link = LinkIdentifier(rawValue: lastNumber)
            // Sometimes another radio connects before its attempt is canceled.
            let otherAttempt = able.first { $0 != attempt && $0.request == attempt.request }
            open[link] = (peer, attempt.radio)
            attempts.remove(attempt)
            waiting[attempt.request] = nil
            perform(core.linkOpened(link, to: peer, on: attempt.radio, now: now))
            guard let otherAttempt, draw(3) == 0 else { return }
            lastNumber += 1
            let second = LinkIdentifier(rawValue: lastNumber)
            open[second] = (peer, otherAttempt.radio)
            let actions = core.linkOpened(second, to: peer, on: otherAttempt.radio, now: now)
            // A link beyond the known limit lets other requests begin on this radio.
            #expect(actions.first == .disconnect(second))
            #expect(
                actions.dropFirst().allSatisfy {
                    guard case .begin(_, let other, otherAttempt.radio) = $0 else { return false }
                    return other != peer
                }
            )
            perform(actions)
        }

        private mutating func close(_ link: LinkIdentifier, isLost: Bool) {
            guard let state = open.removeValue(forKey: link) else { return }
            ending.remove(link)
            reading.remove(link)
            perform(core.linkClosed(link, on: state.radio, isLost: isLost, now: now))
        }

        /// Ends all requests and links. The core must contain no attempt, link or survey afterward.
        mutating func finish() {
            for (id, _) in waiting {
                waiting[id] = nil
                perform(core.connectionCanceled(id))
            }
            for link in Array(open.keys) { close(link, isLost: false) }
            check()
            #expect(attempts.isEmpty && !isSurveying)
            #expect(core.radios.allSatisfy { $0.linkCount == 0 })
            #expect(core.nextDeadline == nil)
        }
    }

    @Test("No attempt, slot or second link to a peer is left", arguments: RunSeed.seeds(40))
    func randomInputs(seed: UInt64) {
        var model = Model(generator: SplitMix64(seed: seed))
        for _ in 0..<2_000 {
            model.step()
            model.check()
        }
        model.finish()
    }
}
