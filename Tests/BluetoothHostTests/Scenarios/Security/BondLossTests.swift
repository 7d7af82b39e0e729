// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Peers that have lost their bond, or appear to")
struct BondLossTests {
    private let address = Bonded.peer.address
    private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01]

    private func harness(
        _ policy: BondLossPolicy,
        _ bonds: [Bond]? = nil,
        hasDelegate: Bool = true
    ) throws -> Harness {
        var harness = try Harness.bonded(bonds) { configuration in
            configuration.bondLossPolicy = policy
            if hasDelegate { configuration.pairingDelegate = SilentDelegate() }
        }
        harness.controller.peers[address]?.key = nil
        return harness
    }

    @Test("By default, the connection fails with `bondLost`, and the bond remains")
    func refused() throws {
        var harness = try harness(.refuse)
        let pending = harness.requestConnection(address)
        harness.drive()
        #expect(harness.error(pending) == .bondLost)
        #expect(harness.bondEvents == ["bond lost"])
        #expect(harness.core.linkList.isEmpty && harness.core.bonds.count == 1)
        #expect(harness.controller.dataPackets.isEmpty)
        #expect(harness.ends.values.flatMap(\.self) == [.bondLost])
    }

    @Test("Without consent to pair again, the connection fails", arguments: [true, false])
    func declinedQuestion(_ isAnswered: Bool) throws {
        var harness = try harness(.ask)
        let pending = harness.requestConnection(address)
        harness.drive()
        #expect(harness.isAskedAboutLoss && harness.isPending(pending))
        let link = try harness.onlyLink()
        if isAnswered {
            harness.core.answerBondLoss(false, on: link, now: harness.now)
            harness.drive()
        } else {
            harness.advance(by: BondLoss.answerLimit)
        }
        #expect(harness.error(pending) == .bondLost)
        #expect(harness.core.bonds.count == 1 && harness.controller.dataPackets.isEmpty)
    }

    @Test("Without a delegate, `ask` does not pair again with a peer that lost its bond")
    func withoutDelegate() throws {
        var harness = try harness(.ask, hasDelegate: false)
        let pending = harness.requestConnection(address)
        harness.drive()
        #expect(harness.error(pending) == .bondLost && !harness.isAskedAboutLoss)
    }

    @Test(
        "With permission, the peer is paired again and keeps its identifier",
        arguments: [true, false]
    )
    func pairedAnew(_ isAsked: Bool) throws {
        var harness = try harness(isAsked ? .ask : .pairOnce)
        let before = try #require(harness.core.bonds.first)
        var peer = try PairingPeer(harness, isCentral: false)
        let pending = harness.requestConnection(address)
        harness.drive()
        if isAsked {
            harness.core.answerBondLoss(true, on: try harness.onlyLink(), now: harness.now)
        }
        #expect(harness.isPending(pending))
        peer.continuePairing(with: &harness)
        let link = try harness.link(of: pending)
        #expect(harness.core.security(of: link) == Bonded.security)
        let after = try #require(harness.core.bonds.first)
        #expect(after.identifier == before.identifier && after.peerKey != before.peerKey)
        #expect(harness.core.bonds.count == 1)
        #expect(harness.bondEvents == ["bond lost", "bonded"])
    }

    @Test("A connection completes even if the pairing after a lost bond makes no new bond")
    func pairedWithoutBond() throws {
        var harness = try harness(.pairOnce)
        var peer = try PairingPeer(harness, isCentral: false) { $0.isBonding = false }
        let pending = harness.requestConnection(address)
        harness.drive()
        let held = harness.ask(
            .gatt(.read(ModelServer.readableHandle)),
            of: try harness.onlyLink()
        )
        peer.continuePairing(with: &harness)
        let link = try harness.link(of: pending)
        let security = try #require(harness.core.security(of: link))
        #expect(security.isEncrypted && !security.isBonded)
        #expect(throws: Never.self) { try harness.answer(held) }
    }

    @Test("Pairings without the bond after a Security Request cause a limited number of questions")
    func remindersAreLimited() throws {
        var harness = try harness(.pairOnce)
        for round in 0...RepeatedAttempts.questionLimit {
            _ = try harness.accept(address)
            harness.advance(by: LinkCore.encryptionPause)
            let isAsked = round < RepeatedAttempts.questionLimit
            #expect(
                harness.exchange(Self.request, from: address) == (isAsked ? [] : [[0x05, 0x09]])
            )
            #expect(harness.lastQuestion?.isIncoming == true)
            harness.controller.dropLink(to: address, .remoteUserTerminatedConnection)
            harness.drive()
        }
        #expect(harness.questionCount == RepeatedAttempts.questionLimit)
    }

    @Test("A question about a lost bond does not count against the limit if it asks no person")
    func countsNoQuestionWithoutPerson() throws {
        var harness = try Harness.bonded { configuration in
            configuration.bondLossPolicy = .ask
            configuration.pairingDelegate = SilentDelegate()
            configuration.asksPerson = { false }
        }
        for _ in 0...RepeatedAttempts.questionLimit {
            _ = try harness.accept(address)
            _ = harness.exchange(Self.request, from: address)
            harness.controller.dropLink(to: address, .remoteUserTerminatedConnection)
            harness.drive()
        }
        #expect(harness.isAskedAboutLoss)
        #expect(harness.core.context.attempts.questionWaitLeft(now: harness.now) == nil)
    }

    @Test("Pairing again does not weaken a bond")
    func notLowered() throws {
        let bond = try Bonded.bond { $0.isAuthenticated = true }
        var harness = try harness(.pairOnce, [bond])
        var peer = try PairingPeer(harness, isCentral: false)
        let pending = harness.requestConnection(address)
        peer.continuePairing(with: &harness)
        harness.advance(by: .seconds(1))
        #expect(harness.error(pending) == .bondLost)
        #expect(harness.core.bonds == [bond.of(harness)])
        #expect(peer.keys == nil)
    }

    @Test("A bonded central that pairs instead of encrypting is refused, and its link ends")
    func pairingRequest() throws {
        var harness = try harness(.refuse)
        let link = try harness.accept(address)
        #expect(harness.exchange(Self.request, from: address) == [[0x05, 0x05]])
        #expect(harness.exchange(Self.request, from: address) == [[0x05, 0x05]])
        #expect(
            harness.bondEvents == ["bond lost"],
            "The loss of a bond is reported once for a link"
        )
        harness.advance(by: .seconds(1))
        #expect(harness.ends[link] == [.bondLost])
        #expect(harness.core.bonds.count == 1)
    }

    @Test("If the application ends a link after a refused pairing, no deadline is in the past")
    func endedMeanwhile() throws {
        var harness = try harness(.refuse)
        harness.controller.endlessCommands = [.disconnect]
        let link = try harness.accept(address)
        #expect(harness.exchange(Self.request, from: address) == [[0x05, 0x05]])
        _ = harness.ask(.disconnect, of: link)
        harness.advance(by: LinkCore.refusalPause)
        let deadline = try #require(harness.core.nextDeadline)
        #expect(deadline > harness.now, "The next deadline is in the future")
    }

    @Test("After a failed pairing, a central that lost its bond must wait, and is then refused")
    func pairingRequestTooSoon() throws {
        var harness = try harness(.refuse)
        let link = try harness.accept(address)
        harness.advance(by: LinkCore.encryptionPause)
        // A pairing on another link to the same peer has failed.
        harness.core.context.attempts.failed(address, now: harness.now)
        #expect(harness.exchange(Self.request, from: address) == [[0x05, 0x09]])
        harness.advance(by: RepeatedAttempts.firstDelay)
        #expect(harness.exchange(Self.request, from: address) == [[0x05, 0x05]])
        harness.advance(by: .seconds(1))
        #expect(harness.ends[link] == [.bondLost])
        #expect(harness.core.bonds.count == 1)
    }

    @Test("A central that pairs after a Security Request needs consent")
    func reminderIsNoConsent() throws {
        var harness = try harness(.pairOnce)
        let before = try #require(harness.core.bonds.first)
        let link = try harness.accept(address)
        harness.advance(by: LinkCore.encryptionPause)
        var peer = try PairingPeer(harness, isCentral: true)
        peer.pair(with: &harness)
        #expect(harness.lastQuestion?.question == .consent)
        #expect(harness.core.security(of: link) == LinkSecurity(isBonded: true))
        #expect(harness.core.bonds == [before])
        try peer.agree(in: &harness)
        #expect(harness.core.security(of: link) == Bonded.security)
        #expect(harness.core.bonds.first?.identifier == before.identifier)
    }

    @Test(
        "Without a delegate, or if peers may not pair, a peer that lost its bond is refused",
        arguments: [true, false]
    )
    func reminderWithoutConsent(_ hasDelegate: Bool) throws {
        var harness = try Harness.bonded { configuration in
            configuration.bondLossPolicy = .pairOnce
            configuration.acceptsPairing = !hasDelegate
            if hasDelegate { configuration.pairingDelegate = SilentDelegate() }
        }
        let link = try harness.accept(address)
        harness.advance(by: LinkCore.encryptionPause)
        #expect(harness.exchange(Self.request, from: address) == [[0x05, 0x05]])
        harness.advance(by: .seconds(1))
        #expect(harness.ends[link] == [.bondLost] && harness.questionCount == 0)
    }

    @Test(
        "Without a delegate, `pairOnce` does not pair again with a peer that lost its bond"
    )
    func missingPeer() throws {
        var harness = try harness(.pairOnce, hasDelegate: false)
        let pending = harness.requestConnection(address)
        harness.drive()
        #expect(harness.error(pending) == .bondLost)
        #expect(harness.security(receivedBy: address).isEmpty && harness.core.bonds.count == 1)
    }

    @Test("A bonded central may pair again with consent")
    func pairingRequestAgreed() throws {
        var harness = try harness(.ask)
        let link = try harness.accept(address)
        var peer = try PairingPeer(harness, isCentral: true)
        peer.pair(with: &harness)
        #expect(harness.isAskedAboutLoss && harness.questionCount == 0)
        harness.core.answerBondLoss(true, on: link, now: harness.now)
        peer.continuePairing(with: &harness)
        try peer.agree(in: &harness)
        #expect(harness.core.security(of: link) == Bonded.security)
        #expect(harness.core.bonds.count == 1 && peer.keys != nil)
    }

    @Test(
        "A peer that claims a bonded peer's identity needs permission to replace the bond",
        arguments: [true, false]
    )
    func claimedIdentity(_ isAllowed: Bool) throws {
        let victim = DeviceAddress(value: 0xC0FE_0000_0009, kind: .random)
        let bond = try Bonded.bond { $0.peer = victim }
        var harness = try harness(isAllowed ? .pairOnce : .refuse, [bond])
        let link = try harness.accept(address)
        var peer = try PairingPeer(harness, isCentral: true, identity: victim)
        peer.pair(with: &harness)
        try peer.agree(in: &harness)
        #expect(harness.core.bonds.count == 1)
        let isReplaced = harness.core.bonds.first?.localKey != bond.localKey
        #expect(isReplaced == isAllowed)
        #expect(harness.ends[link] == (isAllowed ? nil : [.bondLost]))
        #expect(harness.bondEvents.first == "bond lost")
    }

    @Test(
        "Permission to replace one bond does not apply to another bond",
        arguments: [true, false]
    )
    func leaveForAnother(_ isAuthenticated: Bool) throws {
        let victim = DeviceAddress(value: 0xC0FE_0000_0009, kind: .random)
        let other = try Bonded.bond {
            $0.peer = victim
            $0.isAuthenticated = isAuthenticated
        }
        var harness = try harness(.pairOnce, [Bonded.bond(), other])
        let before = harness.core.bonds
        let link = try harness.accept(address)
        var peer = try PairingPeer(harness, isCentral: true, identity: victim)
        peer.pair(with: &harness)
        try peer.agree(in: &harness)
        #expect(harness.core.bonds == before)
        #expect(harness.ends[link] == [.bondLost])
    }

    @Test("A claim that is weaker than the bond does not replace it, even with permission")
    func weakerClaim() throws {
        let victim = DeviceAddress(value: 0xC0FE_0000_0009, kind: .random)
        let bond = try Bonded.bond {
            $0.peer = victim
            $0.isAuthenticated = true
        }
        var harness = try harness(.pairOnce, [bond])
        let link = try harness.accept(address)
        var peer = try PairingPeer(harness, isCentral: true, identity: victim)
        peer.pair(with: &harness)
        try peer.agree(in: &harness)
        #expect(harness.core.bonds.first?.localKey == bond.localKey)
        #expect(harness.ends[link] == [.bondLost])
    }
}

extension Bond {
    /// Returns the bond as the host stores it.
    fileprivate func of(_ harness: Harness) -> Bond {
        var bond = self
        bond.localIdentity = harness.core.bonds.first?.localIdentity
        return bond
    }
}
