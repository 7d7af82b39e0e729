// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Peers that have lost their bond, or appear to")
struct BondLossStories {
    private let address = Bonded.peer.address
    private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01]

    private func bench(
        _ policy: BondLossPolicy,
        _ bonds: [Bond]? = nil,
        hasDelegate: Bool = true
    ) throws -> Bench {
        var bench = try Bench.bonded(bonds) { configuration in
            configuration.bondLossPolicy = policy
            if hasDelegate { configuration.pairingDelegate = SilentDelegate() }
        }
        bench.controller.peers[address]?.key = nil
        return bench
    }

    @Test("By default the connection fails with bond lost, and the bond remains")
    func refused() throws {
        var bench = try bench(.refuse)
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.error(dial) == .bondLost)
        #expect(bench.toldOfBonds == ["bond lost"])
        #expect(bench.core.linkList.isEmpty && bench.core.bonds.count == 1)
        #expect(bench.controller.dataPackets.isEmpty)
        #expect(bench.ends.values.flatMap(\.self) == [.bondLost])
    }

    @Test("A question about a lost bond may be declined or unanswered", arguments: [true, false])
    func askedInVain(_ isAnswered: Bool) throws {
        var bench = try bench(.ask)
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.isAskedAboutLoss && bench.isPending(dial))
        let link = try bench.onlyLink()
        if isAnswered {
            bench.core.answerBondLoss(false, on: link, now: bench.now)
            bench.drive()
        } else {
            bench.advance(by: BondLoss.answerLimit)
        }
        #expect(bench.error(dial) == .bondLost)
        #expect(bench.core.bonds.count == 1 && bench.controller.dataPackets.isEmpty)
    }

    @Test("Without a delegate a lost bond is not paired again")
    func nobodyToAsk() throws {
        var bench = try bench(.ask, hasDelegate: false)
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.error(dial) == .bondLost && !bench.isAskedAboutLoss)
    }

    @Test(
        "With permission the peer is paired again and keeps its identifier",
        arguments: [true, false]
    )
    func pairedAnew(_ isAsked: Bool) throws {
        var bench = try bench(isAsked ? .ask : .pairOnce)
        let before = try #require(bench.core.bonds.first)
        var peer = try PairingPeer(bench, isCentral: false)
        let dial = bench.dial(address)
        bench.drive()
        if isAsked {
            bench.core.answerBondLoss(true, on: try bench.onlyLink(), now: bench.now)
        }
        #expect(bench.isPending(dial))
        peer.goOn(with: &bench)
        let link = try bench.link(of: dial)
        #expect(bench.core.security(of: link) == Bonded.security)
        let after = try #require(bench.core.bonds.first)
        #expect(after.identifier == before.identifier && after.peerKey != before.peerKey)
        #expect(bench.core.bonds.count == 1)
        #expect(bench.toldOfBonds == ["bond lost", "bonded"])
    }

    @Test("A connection completes when the pairing after a lost bond makes no bond")
    func pairedWithoutBond() throws {
        var bench = try bench(.pairOnce)
        var peer = try PairingPeer(bench, isCentral: false) { $0.isBonding = false }
        let dial = bench.dial(address)
        bench.drive()
        let held = bench.ask(
            .gatt(.read(ModelServer.readableHandle)),
            of: try bench.onlyLink()
        )
        peer.goOn(with: &bench)
        let link = try bench.link(of: dial)
        let security = try #require(bench.core.security(of: link))
        #expect(security.isEncrypted && !security.isBonded)
        #expect(throws: Never.self) { try bench.answer(held) }
    }

    @Test("Lost bonds after the host's Security Request cause a limited number of questions")
    func remindersAreLimited() throws {
        var bench = try bench(.pairOnce)
        for round in 0...RepeatedAttempts.questionLimit {
            _ = try bench.accept(address)
            bench.advance(by: LinkCore.encryptionPause)
            let isAsked = round < RepeatedAttempts.questionLimit
            #expect(bench.hear(Self.request, from: address) == (isAsked ? [] : [[0x05, 0x09]]))
            #expect(bench.lastQuestion?.isIncoming == true)
            bench.controller.dropLink(to: address, .remoteUserTerminatedConnection)
            bench.drive()
        }
        #expect(bench.questionCount == RepeatedAttempts.questionLimit)
    }

    @Test("A lost bond does not count as a question if no person is asked")
    func countsNoQuestionWithoutPerson() throws {
        var bench = try Bench.bonded { configuration in
            configuration.bondLossPolicy = .ask
            configuration.pairingDelegate = SilentDelegate()
            configuration.asksPerson = { false }
        }
        for _ in 0...RepeatedAttempts.questionLimit {
            _ = try bench.accept(address)
            _ = bench.hear(Self.request, from: address)
            bench.controller.dropLink(to: address, .remoteUserTerminatedConnection)
            bench.drive()
        }
        #expect(bench.isAskedAboutLoss)
        #expect(bench.core.context.attempts.questionWaitLeft(now: bench.now) == nil)
    }

    @Test("Pairing again does not weaken a bond")
    func notLowered() throws {
        let bond = try Bonded.bond { $0.isAuthenticated = true }
        var bench = try bench(.pairOnce, [bond])
        var peer = try PairingPeer(bench, isCentral: false)
        let dial = bench.dial(address)
        peer.goOn(with: &bench)
        bench.advance(by: .seconds(1))
        #expect(bench.error(dial) == .bondLost)
        #expect(bench.core.bonds == [bond.of(bench)])
        #expect(peer.keys == nil)
    }

    @Test("A bonded Central that pairs instead of encrypting is refused, and its link ends")
    func pairingRequest() throws {
        var bench = try bench(.refuse)
        let link = try bench.accept(address)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        #expect(bench.toldOfBonds == ["bond lost"], "said once for a link")
        bench.advance(by: .seconds(1))
        #expect(bench.ends[link] == [.bondLost])
        #expect(bench.core.bonds.count == 1)
    }

    @Test("A link that the application ends meanwhile leaves no deadline")
    func endedMeanwhile() throws {
        var bench = try bench(.refuse)
        bench.controller.endlessCommands = [.disconnect]
        let link = try bench.accept(address)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        _ = bench.ask(.disconnect, of: link)
        bench.advance(by: LinkCore.refusalPause)
        let deadline = try #require(bench.core.nextDeadline)
        #expect(deadline > bench.now, "there is nothing to be done at once")
    }

    @Test("A Central that had to wait is refused again, despite the host's Security Request")
    func pairingRequestTooSoon() throws {
        var bench = try bench(.refuse)
        let link = try bench.accept(address)
        bench.advance(by: LinkCore.encryptionPause)
        // It has failed on another link that leads to the same peer.
        bench.core.context.attempts.failed(address, now: bench.now)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x09]])
        bench.advance(by: RepeatedAttempts.firstDelay)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        bench.advance(by: .seconds(1))
        #expect(bench.ends[link] == [.bondLost])
        #expect(bench.core.bonds.count == 1)
    }

    @Test("A Central that pairs after a Security Request needs consent")
    func reminderIsNoConsent() throws {
        var bench = try bench(.pairOnce)
        let before = try #require(bench.core.bonds.first)
        let link = try bench.accept(address)
        bench.advance(by: LinkCore.encryptionPause)
        var peer = try PairingPeer(bench, isCentral: true)
        peer.pair(with: &bench)
        #expect(bench.lastQuestion?.question == .consent)
        #expect(bench.core.security(of: link) == LinkSecurity(isBonded: true))
        #expect(bench.core.bonds == [before])
        try peer.agree(in: &bench)
        #expect(bench.core.security(of: link) == Bonded.security)
        #expect(bench.core.bonds.first?.identifier == before.identifier)
    }

    @Test(
        "Without a delegate, or if peers may not pair, no lost bond is paired again",
        arguments: [true, false]
    )
    func reminderOfNobody(_ hasDelegate: Bool) throws {
        var bench = try Bench.bonded { configuration in
            configuration.bondLossPolicy = .pairOnce
            configuration.acceptsPairing = !hasDelegate
            if hasDelegate { configuration.pairingDelegate = SilentDelegate() }
        }
        let link = try bench.accept(address)
        bench.advance(by: LinkCore.encryptionPause)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        bench.advance(by: .seconds(1))
        #expect(bench.ends[link] == [.bondLost] && bench.questionCount == 0)
    }

    @Test("A connection request without a delegate does not pair a lost bond again")
    func dialOfNobody() throws {
        var bench = try bench(.pairOnce, hasDelegate: false)
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.error(dial) == .bondLost)
        #expect(bench.security(heardBy: address).isEmpty && bench.core.bonds.count == 1)
    }

    @Test("A bonded Central may pair again with consent")
    func pairingRequestAgreed() throws {
        var bench = try bench(.ask)
        let link = try bench.accept(address)
        var peer = try PairingPeer(bench, isCentral: true)
        peer.pair(with: &bench)
        #expect(bench.isAskedAboutLoss && bench.questionCount == 0)
        bench.core.answerBondLoss(true, on: link, now: bench.now)
        peer.goOn(with: &bench)
        try peer.agree(in: &bench)
        #expect(bench.core.security(of: link) == Bonded.security)
        #expect(bench.core.bonds.count == 1 && peer.keys != nil)
    }

    @Test(
        "A peer that claims the identity of a bonded one needs permission to replace the bond",
        arguments: [true, false]
    )
    func claimedIdentity(_ isAllowed: Bool) throws {
        let victim = DeviceAddress(value: 0xC0FE_0000_0009, kind: .random)
        let bond = try Bonded.bond { $0.peer = victim }
        var bench = try bench(isAllowed ? .pairOnce : .refuse, [bond])
        let link = try bench.accept(address)
        var peer = try PairingPeer(bench, isCentral: true, identity: victim)
        peer.pair(with: &bench)
        try peer.agree(in: &bench)
        #expect(bench.core.bonds.count == 1)
        let isReplaced = bench.core.bonds.first?.localKey != bond.localKey
        #expect(isReplaced == isAllowed)
        #expect(bench.ends[link] == (isAllowed ? nil : [.bondLost]))
        #expect(bench.toldOfBonds.first == "bond lost")
    }

    @Test("Permission to replace one bond does not apply to another", arguments: [true, false])
    func leaveForAnother(_ isAuthenticated: Bool) throws {
        let victim = DeviceAddress(value: 0xC0FE_0000_0009, kind: .random)
        let other = try Bonded.bond {
            $0.peer = victim
            $0.isAuthenticated = isAuthenticated
        }
        var bench = try bench(.pairOnce, [Bonded.bond(), other])
        let before = bench.core.bonds
        let link = try bench.accept(address)
        var peer = try PairingPeer(bench, isCentral: true, identity: victim)
        peer.pair(with: &bench)
        try peer.agree(in: &bench)
        #expect(bench.core.bonds == before)
        #expect(bench.ends[link] == [.bondLost])
    }

    @Test("A claim that is weaker than the bond does not replace it, even with permission")
    func weakerClaim() throws {
        let victim = DeviceAddress(value: 0xC0FE_0000_0009, kind: .random)
        let bond = try Bonded.bond {
            $0.peer = victim
            $0.isAuthenticated = true
        }
        var bench = try bench(.pairOnce, [bond])
        let link = try bench.accept(address)
        var peer = try PairingPeer(bench, isCentral: true, identity: victim)
        peer.pair(with: &bench)
        try peer.agree(in: &bench)
        #expect(bench.core.bonds.first?.localKey == bond.localKey)
        #expect(bench.ends[link] == [.bondLost])
    }
}

extension Bond {
    /// Returns the bond as the host stores it.
    fileprivate func of(_ bench: Bench) -> Bond {
        var bond = self
        bond.localIdentity = bench.core.bonds.first?.localIdentity
        return bond
    }
}
