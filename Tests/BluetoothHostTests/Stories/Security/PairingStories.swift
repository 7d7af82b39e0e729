// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

@Suite("Pairing")
struct PairingStories {
    private let address = Bonded.peer.address
    private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01]
    private static let paired = LinkSecurity(
        isEncrypted: true,
        usesSecureConnections: true,
        keySize: 16
    )

    private func bench(
        hasDelegate: Bool = true,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) -> Bench {
        Bench.ready(peers: [ModelPeer(1)]) { configuration in
            if hasDelegate { configuration.pairingDelegate = SilentDelegate() }
            configure(&configuration)
        }
    }

    @Test("A Central that pairs is bonded, and the link has the security of the key")
    func asCentral() throws {
        var bench = bench()
        let link = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false, identity: PairingPeer.identity)
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        peer.goOn(with: &bench)
        guard case .security(let security) = try bench.answer(wish) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(security == Bonded.security)
        #expect(bench.core.security(of: link) == security)
        #expect(bench.questionCount == 0, "who begins has consented")
        #expect(bench.toldOfBonds == ["bonded"])
        #expect(bench.core.bonds.map(\.peer) == [PairingPeer.identity])
        #expect(bench.core.bonds.map(\.localIdentity) == [bench.core.ownAddress])
        let known = bench.core.context.peerCipher.identifier(of: address)
        #expect(bench.core.bonds.map(\.identifier) == [known], "what it was as a stranger")
        #expect(peer.keys?.isBonded == true)
        #expect(bench.count(of: .leEnableEncryption) == 1)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A link that is ended right after a pairing ends when the peer has its keys")
    func keysBeforeTheEnd() throws {
        for arrive in [true, false] {
            var bench = bench()
            let link = try bench.connect(address)
            let handle = try #require(bench.controller.handle(of: address))
            var peer = try PairingPeer(bench, isCentral: false)
            bench.controller.keepsEncryptedPackets = true
            let wish = bench.ask(.pair(Pairing.Policy()), of: link)
            peer.goOn(with: &bench)
            _ = try bench.answer(wish)
            #expect(bench.core.security(of: link) == Bonded.security)
            let end = bench.ask(.disconnect, of: link)
            #expect(bench.count(of: .disconnect) == 0 && bench.isPending(end))
            #expect(peer.keys == nil)
            if arrive {
                bench.controller.releasePackets(100, on: handle)
                peer.goOn(with: &bench)
            } else {
                bench.advance(by: LinkCore.keyDeliveryLimit)
            }
            _ = try bench.answer(end)
            #expect((peer.keys?.isBonded == true) == arrive)
            #expect(bench.count(of: .disconnect) == 1)
            #expect(bench.controller.violations.isEmpty)
        }
    }

    /// Returns a harness after a pairing whose keys are not transmitted yet.
    private func benchWithKeysUnderWay() throws -> (Bench, LinkIdentifier) {
        var bench = bench()
        let link = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false)
        bench.controller.keepsEncryptedPackets = true
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        peer.goOn(with: &bench)
        _ = try bench.answer(wish)
        return (bench, link)
    }

    @Test("A shutdown waits for keys, and ends the link within its limit")
    func keysAtTheEndOfAll() throws {
        var (bench, link) = try benchWithKeysUnderWay()
        _ = bench.ask(.disconnect, of: link)
        bench.core.shutDown(now: bench.now)
        bench.drive()
        #expect(bench.count(of: .disconnect) == 0)
        bench.advance(by: HostCore.shutdownLimit / 2)
        #expect(bench.count(of: .disconnect) == 1)
    }

    @Test("The keys of a removed bond do not delay the disconnection")
    func keysOfNoBond() throws {
        var (bench, link) = try benchWithKeysUnderWay()
        _ = bench.ask(.disconnect, of: link)
        #expect(bench.count(of: .disconnect) == 0)
        bench.core.disconnect(bonded: address, now: bench.now)
        bench.drive()
        #expect(bench.count(of: .disconnect) == 1)
    }

    @Test("A peer that disconnects before it has its keys ends the link")
    func keysOfNobody() throws {
        var (bench, link) = try benchWithKeysUnderWay()
        let end = bench.ask(.disconnect, of: link)
        bench.controller.dropLink(to: address, .connectionTimeout)
        bench.drive()
        _ = try bench.answer(end)
        bench.advance(by: LinkCore.keyDeliveryLimit)
        #expect(bench.count(of: .disconnect) == 0)
    }

    @Test("A Peripheral pairs after consent, and not before")
    func asPeripheral() throws {
        var bench = bench()
        let link = try bench.accept(address)
        var peer = try PairingPeer(bench, isCentral: true)
        peer.pair(with: &bench)
        let question = try #require(bench.lastQuestion)
        #expect(question.question == .consent && question.isIncoming)
        #expect(bench.core.security(of: link) == LinkSecurity.none)
        try peer.agree(in: &bench)
        #expect(bench.core.security(of: link) == Bonded.security)
        #expect(bench.core.bonds.map(\.peer) == [address])
        #expect(peer.keys?.isBonded == true)
    }

    @Test("A peer whose pairing was declined must wait, each time longer")
    func declined() throws {
        var bench = bench()
        _ = try bench.accept(address)
        var peer = try PairingPeer(bench, isCentral: true)
        peer.pair(with: &bench)
        try peer.agree(to: .no, in: &bench)
        #expect(peer.failures.count == 1 && bench.core.bonds.isEmpty)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x09]])
        #expect(bench.questionCount == 1)
        bench.advance(by: .seconds(200))
        #expect(bench.hear(Self.request, from: address).isEmpty)
        #expect(bench.questionCount == 2)
    }

    @Test("The host's own pairing waits as well after a failure")
    func tooSoon() throws {
        var bench = bench()
        let link = try bench.connect(address)
        let first = bench.ask(.pair(Pairing.Policy()), of: link)
        bench.drive()
        _ = bench.hear([0x05, 0x08], from: address)
        guard case .failure(let failure)? = bench.result(first) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(failure as? Pairing.Failure == .refusedByPeer(.unspecified))
        let second = bench.ask(.pair(Pairing.Policy()), of: link)
        guard case .failure(let refusal)? = bench.result(second) else {
            throw Bench.UnexpectedAnswer()
        }
        guard case .tooSoon = refusal as? Pairing.Failure else { throw refusal }
        #expect(bench.security(heardBy: address).count == 1, "the peer was not bothered")
    }

    @Test(
        "Without a delegate, or if pairing is not accepted, pairing is not supported",
        arguments: [true, false]
    )
    func notSupported(_ hasDelegate: Bool) throws {
        var bench = bench(hasDelegate: hasDelegate) { $0.acceptsPairing = !hasDelegate }
        _ = try bench.accept(address)
        #expect(bench.hear(Self.request, from: address) == [[0x05, 0x05]])
        #expect(bench.questionCount == 0)
    }

    @Test("A Security Request leads to one pairing with consent")
    func securityRequest() throws {
        var bench = bench()
        let link = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false)
        #expect(bench.hear([0x0B, 0x09], from: address).first?.first == 0x01)
        peer.goOn(with: &bench)
        #expect(bench.lastQuestion?.question == .consent && bench.lastQuestion?.isIncoming == true)
        #expect(bench.core.security(of: link) == LinkSecurity.none, "somebody is asked first")
        try peer.agree(in: &bench)
        #expect(bench.core.security(of: link) == Bonded.security)
        #expect(bench.hear([0x0B, 0x09], from: address).isEmpty, "it has that")
        #expect(bench.hear([0x0B, 0x0D], from: address) == [[0x05, 0x05]], "it gets no more")
    }

    @Test("A bond from elsewhere is not that of a link paired without bonding")
    func foreignBond() throws {
        let key = try #require(Bonded.key)
        var generator = SplitMix64(seed: 7)
        let privateAddress = ResolvingKey(key)?.makeAddress(using: &generator)
        let stranger = try #require(privateAddress)
        var bench = Bench.ready(peers: [ModelPeer(1, address: stranger)]) {
            $0.pairingDelegate = SilentDelegate()
        }
        let link = try bench.accept(stranger)
        var peer = try PairingPeer(bench, isCentral: true, address: stranger) {
            $0.isBonding = false
        }
        peer.pair(with: &bench)
        try peer.agree(in: &bench)
        #expect(bench.core.security(of: link) == Self.paired)
        let bond = try Bonded.bond { $0.resolvingKey = key }
        bench.core.keepBond(bond, now: bench.now)
        #expect(bench.core.security(of: link) == Self.paired)
        #expect(bench.core.provenBond(of: link) == nil)
        #expect(bench.core.linkList.map(\.peer) == [stranger], "it was nobody else before")
    }

    @Test("A bond from elsewhere does not close an existing link")
    func openLink() throws {
        var bench = bench()
        let link = try bench.connect(address)
        bench.core.keepBond(try Bonded.bond(), now: bench.now)
        #expect(bench.core.security(of: link) == LinkSecurity.none)
        #expect(bench.core.provenBond(of: link) == nil)
        let read = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(read) }
    }

    @Test("A Security Request is refused if pairing is not supported")
    func refusedSecurityRequest() throws {
        var bench = bench(hasDelegate: false)
        _ = try bench.connect(address)
        #expect(bench.hear([0x0B, 0x09], from: address) == [[0x05, 0x05]])
    }

    @Test("Keys without bonding secure the link and create no bond", arguments: [true, false])
    func unbonded(_ isDebug: Bool) throws {
        var bench = bench()
        let link = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false) { $0.usesPublishedDebugKey = isDebug }
        var policy = Pairing.Policy()
        if isDebug { policy.usesPublishedDebugKey = true } else { policy.isBonding = false }
        let wish = bench.ask(.pair(policy), of: link)
        peer.goOn(with: &bench)
        #expect(throws: Never.self) { try bench.answer(wish) }
        #expect(bench.core.security(of: link) == Self.paired)
        #expect(bench.core.bonds.isEmpty && bench.toldOfBonds.isEmpty)
    }

    @Test("Requests share one pairing, and canceling one does not end the others")
    func shared() throws {
        var bench = bench()
        let link = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false)
        let wishes = (0..<5).map { _ in bench.ask(.pair(Pairing.Policy()), of: link) }
        bench.core.cancelRequest(wishes[0], of: link, now: bench.now)
        peer.goOn(with: &bench)
        #expect(bench.isPending(wishes[0]))
        for wish in wishes.dropFirst() { #expect(throws: Never.self) { try bench.answer(wish) } }
        #expect(bench.security(heardBy: address).count { $0.first == 0x01 } == 1)
    }

    @Test("A pairing without any waiting request is canceled, and the peer is notified")
    func cancelled() throws {
        var bench = bench()
        let link = try bench.connect(address)
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        bench.drive()
        bench.core.cancelRequest(wish, of: link, now: bench.now)
        bench.drive()
        #expect(bench.security(heardBy: address).last?.first == 0x05)
        #expect(bench.isPending(wish))
    }

    @Test("A peer without a response fails the pairing after 30 seconds")
    func timeout() throws {
        var bench = bench()
        let link = try bench.connect(address)
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        bench.advance(by: .seconds(30))
        guard case .failure(let failure)? = bench.result(wish) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(failure as? Pairing.Failure == .timedOut)
        #expect(bench.ends.isEmpty)
    }

    @Test("The host sends nothing more after a pairing with a silent Central times out")
    func timeoutOfAnswered() throws {
        var bench = bench()
        let link = try bench.accept(address)
        _ = bench.ask(.pair(Pairing.Policy()), of: link)
        bench.drive()
        #expect(bench.hear(Self.request, from: address).map(\.first) == [0x02])
        bench.advance(by: SecurityManager.timeout)
        #expect(bench.core.context.attempts.count == 1)
        let heard = bench.security(heardBy: address)
        let handle = try #require(bench.controller.handle(of: address))
        let now = bench.now
        bench.core.withLink(handle, now: now) { link, context in
            link.refusePairing(.pairingNotSupported, &context)
        }
        bench.drive()
        #expect(bench.security(heardBy: address) == heard)
    }

    @Test(
        "A pairing that fails while encryption starts secures nothing, and the link ends",
        arguments: [true, false]
    )
    func failedAtEncryption(_ isCancelled: Bool) throws {
        var bench = bench()
        let link = try bench.connect(address)
        bench.controller.endlessCommands = [.leEnableEncryption]
        var peer = try PairingPeer(bench, isCentral: false)
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        peer.goOn(with: &bench)
        #expect(bench.count(of: .leEnableEncryption) == 1)
        if isCancelled {
            bench.core.cancelRequest(wish, of: link, now: bench.now)
        } else {
            _ = bench.hear([0x05, 0x08], from: address)
        }
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.changeEncryption(on: handle)
        bench.drive()
        #expect(bench.core.security(of: link) == LinkSecurity.none)
        bench.advance(by: LinkCore.refusalPause)
        #expect(bench.ends[link] == [.notEncrypted])
    }

    @Test("The name is read once after bonding")
    func name() throws {
        var bench = bench()
        let link = try bench.connect(address)
        let octets = Array("Cuff \u{1F980}".utf8)
        bench.controller.peers[address]?.server.attributes.append(
            .init(handle: AttributeHandle(7), type: BluetoothUUID(0x2A00), value: octets)
        )
        var peer = try PairingPeer(bench, isCentral: false)
        _ = bench.ask(.pair(Pairing.Policy()), of: link)
        peer.goOn(with: &bench)
        #expect(bench.core.bonds.map(\.name) == ["Cuff \u{1F980}"])
        #expect(bench.core.bonds.map(\.peer) == [address])
    }

    @Test("A request that was refused is repeated after pairing, before the name is read")
    func nameAfterDemand() throws {
        var bench = bench()
        let link = try bench.connect(address)
        let (name, secret) = (AttributeHandle(7), ModelServer.readableHandle)
        bench.controller.peers[address]?.server.attributes.append(
            .init(handle: name, type: BluetoothUUID(0x2A00), value: Array("Cuff".utf8))
        )
        bench.controller.peers[address]?.server.refusals = [secret: .insufficientAuthentication]
        var peer = try PairingPeer(bench, isCentral: false)
        _ = bench.ask(.gatt(.read(secret)), of: link)
        peer.goOn(with: &bench)
        try peer.agree(in: &bench)
        #expect(bench.core.bonds.map(\.name) == ["Cuff"])
        let received = bench.controller.peers[address]?.server.received ?? []
        let read = ATT.PDU.readRequest(.init(handle: secret))
        let type = BluetoothUUID(0x2A00)
        let nameRead = ATT.PDU.readByTypeRequest(.init(start: .first, end: .last, type: type))
        #expect(received.filter { $0.opcode != .exchangeMTURequest } == [read, read, nameRead])
    }

    @Test(
        "Repeated pairing requests get a limited number of responses"
    )
    func flood() throws {
        var bench = bench(hasDelegate: false)
        _ = try bench.accept(address)
        let handle = try #require(bench.controller.handle(of: address))
        bench.controller.keepsPackets = true
        for _ in 0..<1_000 { bench.controller.sendSecurity(Self.request, from: address) }
        for pdu: [UInt8] in [[], [0x0B, 1], [0x05, 1], [0xFF]] {
            bench.controller.sendSecurity(pdu, from: address)
        }
        bench.drive()
        bench.controller.keepsPackets = false
        bench.controller.releasePackets(2_000, on: handle)
        bench.drive()
        let answers = bench.security(heardBy: address)
        #expect((2...60).contains(answers.count) && Set(answers) == [[0x05, 0x05]])
        #expect(bench.controller.violations.isEmpty)
    }
}
