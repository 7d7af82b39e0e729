// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("A peer that has lost its bond, or seems to have")
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

    @Test("By default the dial fails, the link ends, nothing was said, and the bond stays")
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

    @Test("Asked, somebody may say no, or nothing at all", arguments: [true, false])
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

    @Test("Asked without anybody there is refused")
    func nobodyToAsk() throws {
        var bench = try bench(.ask, hasDelegate: false)
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.error(dial) == .bondLost && !bench.isAskedAboutLoss)
    }

    @Test("Agreed to, the peer is paired anew, and stays who it was", arguments: [true, false])
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

    @Test("A bond is not lowered by pairing anew")
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

    @Test("A Central that asks to pair instead of encrypting is refused, and its link ends")
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

    @Test("A link that is ended by the application meanwhile does not keep the host awake")
    func endedMeanwhile() throws {
        var bench = try bench(.refuse)
        bench.controller.endlessCommands = [.disconnect]
        let link = try bench.accept(address)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        _ = bench.ask(.disconnect, of: link)
        bench.advance(by: HostCore.refusalPause)
        let deadline = try #require(bench.core.nextDeadline)
        #expect(deadline > bench.now, "there is nothing to be done at once")
    }

    @Test("The same, if it has to wait and is reminded: no request of ours lets it through")
    func pairingRequestTooSoon() throws {
        var bench = try bench(.refuse)
        let link = try bench.accept(address)
        bench.advance(by: HostCore.encryptionPause)
        // It has failed on another link that leads to the same peer.
        bench.core.attempts.failed(address, now: bench.now)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x09]])
        bench.advance(by: RepeatedAttempts.firstDelay)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        bench.advance(by: .seconds(1))
        #expect(bench.ends[link] == [.bondLost])
        #expect(bench.core.bonds.count == 1)
    }

    @Test("Who is reminded of encryption, and asks to pair, is let after consent only")
    func reminderIsNoConsent() throws {
        var bench = try bench(.pairOnce)
        let before = try #require(bench.core.bonds.first)
        let link = try bench.accept(address)
        bench.advance(by: HostCore.encryptionPause)
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
        "Where peers may not begin, or nobody is there to be asked, none is paired anew",
        arguments: [true, false]
    )
    func reminderOfNobody(_ hasDelegate: Bool) throws {
        var bench = try Bench.bonded { configuration in
            configuration.bondLossPolicy = .pairOnce
            configuration.acceptsPairing = !hasDelegate
            if hasDelegate { configuration.pairingDelegate = SilentDelegate() }
        }
        let link = try bench.accept(address)
        bench.advance(by: HostCore.encryptionPause)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        bench.advance(by: .seconds(1))
        #expect(bench.ends[link] == [.bondLost] && bench.questionCount == 0)
    }

    @Test("A dial pairs nothing anew where nobody is there to be asked")
    func dialOfNobody() throws {
        var bench = try bench(.pairOnce, hasDelegate: false)
        let dial = bench.dial(address)
        bench.drive()
        #expect(bench.error(dial) == .bondLost)
        #expect(bench.security(heardBy: address).isEmpty && bench.core.bonds.count == 1)
    }

    @Test("A Central that asks to pair may be let, if somebody agrees")
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
        "A stranger that claims to be a bonded peer does not replace its bond without leave",
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

    @Test("Leave to replace one bond is none to replace another", arguments: [true, false])
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

    @Test("A claim that is weaker than the bond does not replace it, leave or not")
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
    /// The same as the host holds it.
    fileprivate func of(_ bench: Bench) -> Bond {
        var bond = self
        bond.localIdentity = bench.core.bonds.first?.localIdentity
        return bond
    }
}
