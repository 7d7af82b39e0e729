// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

@Suite("Questions of pairings that peers start")
struct PairingQuestionTests {
    private static let peers = (1...12).map { ModelPeer($0) }
    private static let attacker = peers[0].address
    private static let phone = peers[1].address
    private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01]
    private static let busy: [UInt8] = [0x05, Pairing.FailureReason.busy.rawValue]
    private static let repeated: [UInt8] = [0x05, Pairing.FailureReason.repeatedAttempts.rawValue]
    private static let notSupported: [UInt8] = [
        0x05, Pairing.FailureReason.pairingNotSupported.rawValue,
    ]

    private func harness(_ configure: (inout HostConfiguration) -> Void = { _ in }) -> Harness {
        Harness.ready(peers: Self.peers) { configuration in
            configuration.pairingDelegate = SilentDelegate()
            configure(&configuration)
        }
    }

    // MARK: One at a time

    @Test("While a question is open, the pairing of another peer is refused with Busy")
    func oneAtATime() throws {
        var harness = harness()
        let first = try harness.accept(Self.attacker)
        _ = try harness.accept(Self.phone)
        #expect(harness.exchange(Self.request, from: Self.attacker).isEmpty)
        #expect(harness.lastQuestion?.link == first)
        #expect(harness.exchange(Self.request, from: Self.phone) == [Self.busy])
        #expect(harness.questionCount == 1 && harness.core.context.attempts.count == 0)
        harness.core.answer(.no, on: first, now: harness.now)
        harness.drive()
        #expect(harness.exchange(Self.request, from: Self.phone).isEmpty)
        #expect(harness.questionCount == 2 && harness.lastQuestion?.link != first)
    }

    @Test("A Security Request and a request after a lost bond are refused with Busy, too")
    func otherWaysToAsk() throws {
        var harness = try Harness.bonded { configuration in
            configuration.pairingDelegate = SilentDelegate()
            configuration.bondLossPolicy = .ask
        }
        harness.controller.peers[Self.phone] = ModelPeer(2)
        harness.controller.peers[Self.peers[2].address] = ModelPeer(3)
        _ = try harness.accept(Self.phone)
        _ = try harness.accept(Bonded.peer.address)
        _ = try harness.connect(Self.peers[2].address)
        #expect(harness.exchange(Self.request, from: Self.phone).isEmpty)
        #expect(harness.questionCount == 1)
        #expect(harness.exchange([0x0B, 0x09], from: Self.peers[2].address) == [Self.busy])
        #expect(harness.exchange(Self.request, from: Bonded.peer.address) == [Self.busy])
        #expect(harness.questionCount == 1 && !harness.isAskedAboutLoss)
        #expect(harness.core.bonds.count == 1)
    }

    @Test("If two pairings start before a question, the second one to ask is refused")
    func beganTogether() throws {
        var harness = harness { $0.pairing.ioCapability = .displayYesNo }
        _ = try harness.accept(Self.attacker)
        _ = try harness.accept(Self.phone)
        var attacker = try PairingPeer(harness, isCentral: true, address: Self.attacker) {
            $0.ioCapability = .displayYesNo
            $0.requiresAuthentication = true
        }
        // The phone's request is answered before the attacker's pairing asks its question.
        let request: [UInt8] = [0x01, 0x01, 0x00, 0x0D, 0x10, 0x01, 0x01]
        #expect(harness.exchange(request, from: Self.phone).first?.first == 0x02)
        attacker.pair(with: &harness)
        #expect(harness.questionCount == 1)
        var generator = SplitMix64(seed: 5)
        let pair = try #require(SMP.KeyPair(using: &generator))
        let key = harness.exchange(SMP.PDU.publicKey(pair.publicKey).encode(), from: Self.phone)
        #expect(key.first?.first == 0x0C && key.last?.first == 0x03)
        let random = harness.exchange([0x04] + [UInt8](repeating: 7, count: 16), from: Self.phone)
        #expect(random.last == Self.busy)
        #expect(harness.questionCount == 1 && harness.core.context.attempts.count == 0)
    }

    @Test("An answer after the end of its question has no effect")
    func lateAnswer() throws {
        var harness = harness()
        let first = try harness.accept(Self.attacker)
        let second = try harness.accept(Self.phone)
        _ = harness.exchange(Self.request, from: Self.attacker)
        _ = harness.exchange([0x05, 0x08], from: Self.attacker)
        let received = [Self.attacker, Self.phone].map { harness.security(receivedBy: $0) }
        for link in [first, second] {
            for answer in [Pairing.Answer.yes, .no, .passkey(1)] {
                harness.core.answer(answer, on: link, now: harness.now)
                harness.drive()
            }
        }
        #expect([Self.attacker, Self.phone].map { harness.security(receivedBy: $0) } == received)
        // The phone's question is open now, and an answer to the attacker's question must not
        // answer it.
        #expect(harness.exchange(Self.request, from: Self.phone).isEmpty)
        harness.core.answer(.yes, on: first, now: harness.now)
        harness.drive()
        #expect(harness.security(receivedBy: Self.phone) == received[1])
        #expect(harness.core.bonds.isEmpty)
    }

    @Test("The driver accepts only the answer to the open question of a link")
    func identifiers() throws {
        var harness = harness()
        let links = [try harness.accept(Self.attacker), try harness.accept(Self.phone)]
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
        #expect(answers == [false, true, false], "A question accepts one answer")
        questions.withdraw(links[1])
        let isWithdrawnTaken = questions.close(ids[1], on: links[1])
        #expect(!isWithdrawnTaken)
    }

    // MARK: The limit

    @Test("Twelve addresses cause at most three questions, and then all of them must wait")
    func twelveAddresses() throws {
        var harness = harness()
        for (index, peer) in Self.peers.enumerated() {
            let link = try harness.accept(peer.address)
            let answers = harness.exchange(Self.request, from: peer.address)
            #expect(answers == (index < RepeatedAttempts.questionLimit ? [] : [Self.repeated]))
            harness.core.answer(.no, on: link, now: harness.now)
            harness.drive()
            harness.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
            harness.drive()
        }
        #expect(harness.questionCount == RepeatedAttempts.questionLimit)
        harness.advance(by: RepeatedAttempts.firstQuestionDelay)
        _ = try harness.accept(Self.peers[11].address)
        #expect(harness.exchange(Self.request, from: Self.peers[11].address).isEmpty)
        #expect(harness.questionCount == RepeatedAttempts.questionLimit + 1)
    }

    @Test("Peers that disconnect before an answer count against the limit")
    func leaving() throws {
        var harness = harness()
        for peer in Self.peers {
            _ = try harness.accept(peer.address)
            _ = harness.exchange(Self.request, from: peer.address)
            harness.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
            harness.drive()
        }
        #expect(harness.questionCount == RepeatedAttempts.questionLimit)
    }

    @Test("Opening the pairing window lifts the limit, and consent resets it")
    func lifted() throws {
        var harness = harness()
        for peer in Self.peers.prefix(RepeatedAttempts.questionLimit) {
            _ = try harness.accept(peer.address)
            _ = harness.exchange(Self.request, from: peer.address)
            harness.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
            harness.drive()
        }
        let link = try harness.accept(Self.phone)
        #expect(harness.exchange(Self.request, from: Self.phone) == [Self.repeated])
        harness.core.openPairingWindow(for: nil, now: harness.now)
        #expect(harness.exchange(Self.request, from: Self.phone).isEmpty)
        harness.core.answer(.yes, on: link, now: harness.now)
        harness.drive()
        #expect(harness.core.context.attempts.questionWaitLeft(now: harness.now) == nil)
    }

    @Test("Questions of the host's own pairings are not limited")
    func ownPairings() throws {
        var harness = harness { $0.pairing.ioCapability = .keyboardOnly }
        for _ in 0...RepeatedAttempts.questionLimit {
            harness.core.context.attempts.asked(now: harness.now)
        }
        let link = try harness.connect(Self.phone)
        var policy = harness.core.context.configuration.pairing
        policy.requiresAuthentication = true
        _ = harness.ask(.pair(policy), of: link)
        var peer = try PairingPeer(harness, isCentral: false, address: Self.phone) {
            $0.ioCapability = .displayOnly
        }
        peer.continuePairing(with: &harness)
        #expect(harness.security(receivedBy: Self.phone).first?.first == 0x01)
    }

    // MARK: The pairing window

    @Test("If a pairing window is configured, peers may pair only while a window is open")
    func window() throws {
        var harness = harness { $0.pairingWindow = .seconds(60) }
        _ = try harness.accept(Self.phone)
        #expect(harness.exchange(Self.request, from: Self.phone) == [Self.notSupported])
        harness.core.openPairingWindow(for: .seconds(60), now: harness.now)
        #expect(harness.exchange([0x05, 0x08], from: Self.phone).isEmpty)
        harness.advance(by: .seconds(59))
        #expect(harness.core.context.pairingWindow.isOpen)
        #expect(harness.exchange(Self.request, from: Self.phone).isEmpty)
        #expect(harness.questionCount == 1)
        // A pairing in progress continues after the end of the window.
        harness.advance(by: .seconds(1))
        #expect(!harness.core.context.pairingWindow.isOpen)
        let link = try #require(harness.lastQuestion?.link)
        harness.core.answer(.yes, on: link, now: harness.now)
        harness.drive()
        #expect(harness.security(receivedBy: Self.phone).last?.first == 0x02)
        _ = try harness.accept(Self.attacker)
        #expect(harness.exchange(Self.request, from: Self.attacker) == [Self.notSupported])
        #expect(harness.questionCount == 1)
    }

    @Test("Pairing is refused while the window is closed, and a window without an end stays open")
    func closing() throws {
        var harness = harness { $0.acceptsPairing = false }
        _ = try harness.accept(Self.phone)
        #expect(harness.exchange(Self.request, from: Self.phone) == [Self.notSupported])
        harness.core.openPairingWindow(for: nil, now: harness.now)
        harness.advance(by: .seconds(86_400))
        #expect(harness.core.context.pairingWindow.isOpen)
        harness.core.closePairingWindow()
        #expect(harness.exchange(Self.request, from: Self.phone) == [Self.notSupported])
    }
}
