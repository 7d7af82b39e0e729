// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

@Suite("Questions of pairings that peers start")
struct PairingQuestionStories {
    private static let peers = (1...12).map { ModelPeer($0) }
    private static let attacker = peers[0].address
    private static let phone = peers[1].address
    private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01]
    private static let busy: [UInt8] = [0x05, Pairing.FailureReason.busy.rawValue]
    private static let repeated: [UInt8] = [0x05, Pairing.FailureReason.repeatedAttempts.rawValue]
    private static let notSupported: [UInt8] = [
        0x05, Pairing.FailureReason.pairingNotSupported.rawValue,
    ]

    private func bench(_ configure: (inout HostConfiguration) -> Void = { _ in }) -> Bench {
        Bench.ready(peers: Self.peers) { configuration in
            configuration.pairingDelegate = SilentDelegate()
            configure(&configuration)
        }
    }

    // MARK: One at a time

    @Test("While a question is open, the pairing of another peer is refused with Busy")
    func oneAtATime() throws {
        var bench = bench()
        let first = try bench.accept(Self.attacker)
        _ = try bench.accept(Self.phone)
        #expect(bench.hear(Self.request, from: Self.attacker).isEmpty)
        #expect(bench.lastQuestion?.link == first)
        #expect(bench.hear(Self.request, from: Self.phone) == [Self.busy])
        #expect(bench.questionCount == 1 && bench.core.context.attempts.count == 0)
        bench.core.answer(.no, on: first, now: bench.now)
        bench.drive()
        #expect(bench.hear(Self.request, from: Self.phone).isEmpty)
        #expect(bench.questionCount == 2 && bench.lastQuestion?.link != first)
    }

    @Test("A Security Request and a request after a lost bond are refused with Busy, too")
    func otherWaysToAsk() throws {
        var bench = try Bench.bonded { configuration in
            configuration.pairingDelegate = SilentDelegate()
            configuration.bondLossPolicy = .ask
        }
        bench.controller.peers[Self.phone] = ModelPeer(2)
        bench.controller.peers[Self.peers[2].address] = ModelPeer(3)
        _ = try bench.accept(Self.phone)
        _ = try bench.accept(Bonded.peer.address)
        _ = try bench.connect(Self.peers[2].address)
        #expect(bench.hear(Self.request, from: Self.phone).isEmpty)
        #expect(bench.questionCount == 1)
        #expect(bench.hear([0x0B, 0x09], from: Self.peers[2].address) == [Self.busy])
        #expect(bench.hear(Self.request, from: Bonded.peer.address) == [Self.busy])
        #expect(bench.questionCount == 1 && !bench.isAskedAboutLoss)
        #expect(bench.core.bonds.count == 1)
    }

    @Test("Of two pairings that start before a question, the second to ask is refused")
    func beganTogether() throws {
        var bench = bench { $0.pairing.ioCapability = .displayYesNo }
        _ = try bench.accept(Self.attacker)
        _ = try bench.accept(Self.phone)
        var attacker = try PairingPeer(bench, isCentral: true, address: Self.attacker) {
            $0.ioCapability = .displayYesNo
            $0.requiresAuthentication = true
        }
        // The phone's request is answered before the attacker's pairing asks its question.
        let request: [UInt8] = [0x01, 0x01, 0x00, 0x0D, 0x10, 0x01, 0x01]
        #expect(bench.hear(request, from: Self.phone).first?.first == 0x02)
        attacker.pair(with: &bench)
        #expect(bench.questionCount == 1)
        var generator = SplitMix64(seed: 5)
        let pair = try #require(SMP.KeyPair(using: &generator))
        let key = bench.hear(SMP.PDU.publicKey(pair.publicKey).encode(), from: Self.phone)
        #expect(key.first?.first == 0x0C && key.last?.first == 0x03)
        let random = bench.hear([0x04] + [UInt8](repeating: 7, count: 16), from: Self.phone)
        #expect(random.last == Self.busy)
        #expect(bench.questionCount == 1 && bench.core.context.attempts.count == 0)
    }

    @Test("An answer after the end of its question has no effect")
    func lateAnswer() throws {
        var bench = bench()
        let first = try bench.accept(Self.attacker)
        let second = try bench.accept(Self.phone)
        _ = bench.hear(Self.request, from: Self.attacker)
        _ = bench.hear([0x05, 0x08], from: Self.attacker)
        let heard = [Self.attacker, Self.phone].map { bench.security(heardBy: $0) }
        for link in [first, second] {
            for answer in [Pairing.Answer.yes, .no, .passkey(1)] {
                bench.core.answer(answer, on: link, now: bench.now)
                bench.drive()
            }
        }
        #expect([Self.attacker, Self.phone].map { bench.security(heardBy: $0) } == heard)
        // The phone's question is open now, and an answer to the attacker's question must not
        // answer it.
        #expect(bench.hear(Self.request, from: Self.phone).isEmpty)
        bench.core.answer(.yes, on: first, now: bench.now)
        bench.drive()
        #expect(bench.security(heardBy: Self.phone) == heard[1])
        #expect(bench.core.bonds.isEmpty)
    }

    @Test("The driver accepts only the answer to the open question of a link")
    func identifiers() throws {
        var bench = bench()
        let links = [try bench.accept(Self.attacker), try bench.accept(Self.phone)]
        var questions = PairingQuestions()
        let ids = (0..<3).map { _ in questions.makeID() }
        #expect(Set(ids).count == 3)
        questions.open(ids[0], on: links[0])
        questions.open(ids[1], on: links[1])
        let isTaken = [
            questions.close(ids[0], on: links[1]), questions.close(ids[1], on: links[0]),
        ]
        #expect(isTaken == [false, false])
        questions.open(ids[2], on: links[0])
        let answers = [ids[0], ids[2], ids[2]].map { questions.close($0, on: links[0]) }
        #expect(answers == [false, true, false], "an answer counts once")
        questions.withdraw(links[1])
        let isWithdrawnTaken = questions.close(ids[1], on: links[1])
        #expect(!isWithdrawnTaken)
    }

    // MARK: The limit

    @Test("Twelve addresses cause at most three questions and then wait together")
    func twelveAddresses() throws {
        var bench = bench()
        for (index, peer) in Self.peers.enumerated() {
            let link = try bench.accept(peer.address)
            let answers = bench.hear(Self.request, from: peer.address)
            #expect(answers == (index < RepeatedAttempts.questionLimit ? [] : [Self.repeated]))
            bench.core.answer(.no, on: link, now: bench.now)
            bench.drive()
            bench.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
            bench.drive()
        }
        #expect(bench.questionCount == RepeatedAttempts.questionLimit)
        bench.advance(by: RepeatedAttempts.firstQuestionDelay)
        _ = try bench.accept(Self.peers[11].address)
        #expect(bench.hear(Self.request, from: Self.peers[11].address).isEmpty)
        #expect(bench.questionCount == RepeatedAttempts.questionLimit + 1)
    }

    @Test("Peers that disconnect before an answer count against the limit")
    func leaving() throws {
        var bench = bench()
        for peer in Self.peers {
            _ = try bench.accept(peer.address)
            _ = bench.hear(Self.request, from: peer.address)
            bench.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
            bench.drive()
        }
        #expect(bench.questionCount == RepeatedAttempts.questionLimit)
    }

    @Test("Consent resets the limit, and so does opening the pairing window")
    func lifted() throws {
        var bench = bench()
        for peer in Self.peers.prefix(RepeatedAttempts.questionLimit) {
            _ = try bench.accept(peer.address)
            _ = bench.hear(Self.request, from: peer.address)
            bench.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
            bench.drive()
        }
        let link = try bench.accept(Self.phone)
        #expect(bench.hear(Self.request, from: Self.phone) == [Self.repeated])
        bench.core.openPairingWindow(for: nil, now: bench.now)
        #expect(bench.hear(Self.request, from: Self.phone).isEmpty)
        bench.core.answer(.yes, on: link, now: bench.now)
        bench.drive()
        #expect(bench.core.context.attempts.questionWaitLeft(now: bench.now) == nil)
    }

    @Test("Questions of the host's own pairings are not limited")
    func ownPairings() throws {
        var bench = bench { $0.pairing.ioCapability = .keyboardOnly }
        for _ in 0...RepeatedAttempts.questionLimit {
            bench.core.context.attempts.asked(now: bench.now)
        }
        let link = try bench.connect(Self.phone)
        var policy = bench.core.context.configuration.pairing
        policy.requiresAuthentication = true
        _ = bench.ask(.pair(policy), of: link)
        var peer = try PairingPeer(bench, isCentral: false, address: Self.phone) {
            $0.ioCapability = .displayOnly
        }
        peer.goOn(with: &bench)
        #expect(bench.security(heardBy: Self.phone).first?.first == 0x01)
    }

    // MARK: The pairing window

    @Test("Without a window peers may pair from the start, and with one while it is open")
    func window() throws {
        var bench = bench { $0.pairingWindow = .seconds(60) }
        _ = try bench.accept(Self.phone)
        #expect(bench.hear(Self.request, from: Self.phone) == [Self.notSupported])
        bench.core.openPairingWindow(for: .seconds(60), now: bench.now)
        #expect(bench.hear([0x05, 0x08], from: Self.phone).isEmpty)
        bench.advance(by: .seconds(59))
        #expect(bench.core.context.pairingWindow.isOpen)
        #expect(bench.hear(Self.request, from: Self.phone).isEmpty)
        #expect(bench.questionCount == 1)
        // A pairing in progress continues after the end of the window.
        bench.advance(by: .seconds(1))
        #expect(!bench.core.context.pairingWindow.isOpen)
        let link = try #require(bench.lastQuestion?.link)
        bench.core.answer(.yes, on: link, now: bench.now)
        bench.drive()
        #expect(bench.security(heardBy: Self.phone).last?.first == 0x02)
        _ = try bench.accept(Self.attacker)
        #expect(bench.hear(Self.request, from: Self.attacker) == [Self.notSupported])
        #expect(bench.questionCount == 1)
    }

    @Test("A closed window refuses pairing, and one without an end stays open")
    func closing() throws {
        var bench = bench { $0.acceptsPairing = false }
        _ = try bench.accept(Self.phone)
        #expect(bench.hear(Self.request, from: Self.phone) == [Self.notSupported])
        bench.core.openPairingWindow(for: nil, now: bench.now)
        bench.advance(by: .seconds(86_400))
        #expect(bench.core.context.pairingWindow.isOpen)
        bench.core.closePairingWindow()
        #expect(bench.hear(Self.request, from: Self.phone) == [Self.notSupported])
    }
}
