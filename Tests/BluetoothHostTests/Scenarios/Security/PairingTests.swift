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
struct PairingTests {
    private let address = Bonded.peer.address
    private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01]
    private static let paired = LinkSecurity(
        isEncrypted: true,
        usesSecureConnections: true,
        keySize: 16
    )

    private func harness(
        hasDelegate: Bool = true,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) -> Harness {
        Harness.ready(peers: [ModelPeer(1)]) { configuration in
            if hasDelegate { configuration.pairingDelegate = SilentDelegate() }
            configure(&configuration)
        }
    }

    @Test("A central that pairs is bonded, and the link has the security of the key")
    func asCentral() throws {
        var harness = harness()
        let link = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false, identity: PairingPeer.identity)
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        peer.continuePairing(with: &harness)
        guard case .security(let security) = try harness.answer(request) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(security == Bonded.security)
        #expect(harness.core.security(of: link) == security)
        #expect(
            harness.questionCount == 0,
            "The device that starts a pairing is not asked for consent"
        )
        #expect(harness.bondEvents == ["bonded"])
        #expect(harness.core.bonds.map(\.peer) == [PairingPeer.identity])
        #expect(harness.core.bonds.map(\.localIdentity) == [harness.core.ownAddress])
        let known = harness.core.context.peerCipher.identifier(of: address)
        #expect(
            harness.core.bonds.map(\.identifier) == [known],
            "The peer keeps the identifier that it had before the bond"
        )
        #expect(peer.keys?.isBonded == true)
        #expect(harness.count(of: .leEnableEncryption) == 1)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A disconnection after a pairing waits a limited time until the peer has its keys")
    func keysBeforeTheEnd() throws {
        for arrive in [true, false] {
            var harness = harness()
            let link = try harness.connect(address)
            let handle = try #require(harness.controller.handle(of: address))
            var peer = try PairingPeer(harness, isCentral: false)
            harness.controller.keepsEncryptedPackets = true
            let request = harness.ask(.pair(Pairing.Policy()), of: link)
            peer.continuePairing(with: &harness)
            _ = try harness.answer(request)
            #expect(harness.core.security(of: link) == Bonded.security)
            let end = harness.ask(.disconnect, of: link)
            #expect(harness.count(of: .disconnect) == 0 && harness.isPending(end))
            #expect(peer.keys == nil)
            if arrive {
                harness.controller.releasePackets(100, on: handle)
                peer.continuePairing(with: &harness)
            } else {
                harness.advance(by: LinkCore.keyDeliveryLimit)
            }
            _ = try harness.answer(end)
            #expect((peer.keys?.isBonded == true) == arrive)
            #expect(harness.count(of: .disconnect) == 1)
            #expect(harness.controller.violations.isEmpty)
        }
    }

    /// Returns a harness after a pairing whose keys are not transmitted yet.
    private func harnessWithKeysUnderWay() throws -> (Harness, LinkIdentifier) {
        var harness = harness()
        let link = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false)
        harness.controller.keepsEncryptedPackets = true
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        peer.continuePairing(with: &harness)
        _ = try harness.answer(request)
        return (harness, link)
    }

    @Test("A shutdown waits until the peer has its keys, for a limited time")
    func keysAtShutdown() throws {
        var (harness, link) = try harnessWithKeysUnderWay()
        _ = harness.ask(.disconnect, of: link)
        harness.core.shutDown(now: harness.now)
        harness.drive()
        #expect(harness.count(of: .disconnect) == 0)
        harness.advance(by: HostCore.shutdownLimit / 2)
        #expect(harness.count(of: .disconnect) == 1)
    }

    @Test("The keys of a removed bond do not delay the disconnection")
    func keysOfNoBond() throws {
        var (harness, link) = try harnessWithKeysUnderWay()
        _ = harness.ask(.disconnect, of: link)
        #expect(harness.count(of: .disconnect) == 0)
        harness.core.disconnect(bonded: address, now: harness.now)
        harness.drive()
        #expect(harness.count(of: .disconnect) == 1)
    }

    @Test("If the peer disconnects before it has its keys, a request to disconnect completes")
    func keysAfterDisconnection() throws {
        var (harness, link) = try harnessWithKeysUnderWay()
        let end = harness.ask(.disconnect, of: link)
        harness.controller.dropLink(to: address, .connectionTimeout)
        harness.drive()
        _ = try harness.answer(end)
        harness.advance(by: LinkCore.keyDeliveryLimit)
        #expect(harness.count(of: .disconnect) == 0)
    }

    @Test("A peripheral pairs after consent, and not before")
    func asPeripheral() throws {
        var harness = harness()
        let link = try harness.accept(address)
        var peer = try PairingPeer(harness, isCentral: true)
        peer.pair(with: &harness)
        let question = try #require(harness.lastQuestion)
        #expect(question.question == .consent && question.isIncoming)
        #expect(harness.core.security(of: link) == LinkSecurity.none)
        try peer.agree(in: &harness)
        #expect(harness.core.security(of: link) == Bonded.security)
        #expect(harness.core.bonds.map(\.peer) == [address])
        #expect(peer.keys?.isBonded == true)
    }

    @Test("A peer whose pairing was declined must wait before its next pairing")
    func declined() throws {
        var harness = harness()
        _ = try harness.accept(address)
        var peer = try PairingPeer(harness, isCentral: true)
        peer.pair(with: &harness)
        try peer.agree(to: .no, in: &harness)
        #expect(peer.failures.count == 1 && harness.core.bonds.isEmpty)
        #expect(harness.exchange(Self.request, from: address) == [[0x05, 0x09]])
        #expect(harness.questionCount == 1)
        harness.advance(by: .seconds(200))
        #expect(harness.exchange(Self.request, from: address).isEmpty)
        #expect(harness.questionCount == 2)
    }

    @Test("After a failed pairing, the host's next pairing fails because it is too soon")
    func tooSoon() throws {
        var harness = harness()
        let link = try harness.connect(address)
        let first = harness.ask(.pair(Pairing.Policy()), of: link)
        harness.drive()
        _ = harness.exchange([0x05, 0x08], from: address)
        guard case .failure(let failure)? = harness.result(first) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(failure as? Pairing.Failure == .refusedByPeer(.unspecified))
        let second = harness.ask(.pair(Pairing.Policy()), of: link)
        guard case .failure(let refusal)? = harness.result(second) else {
            throw Harness.UnexpectedAnswer()
        }
        guard case .tooSoon = refusal as? Pairing.Failure else { throw refusal }
        #expect(
            harness.security(receivedBy: address).count == 1,
            "The host sends no second request"
        )
    }

    @Test(
        "Without a delegate, or if pairing is not accepted, peers get Pairing Not Supported",
        arguments: [true, false]
    )
    func notSupported(_ hasDelegate: Bool) throws {
        var harness = harness(hasDelegate: hasDelegate) { $0.acceptsPairing = !hasDelegate }
        _ = try harness.accept(address)
        #expect(harness.exchange(Self.request, from: address) == [[0x05, 0x05]])
        #expect(harness.questionCount == 0)
    }

    @Test("A Security Request leads to one pairing with consent")
    func securityRequest() throws {
        var harness = harness()
        let link = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false)
        #expect(harness.exchange([0x0B, 0x09], from: address).first?.first == 0x01)
        peer.continuePairing(with: &harness)
        #expect(
            harness.lastQuestion?.question == .consent && harness.lastQuestion?.isIncoming == true
        )
        #expect(harness.core.security(of: link) == LinkSecurity.none, "Pairing waits for consent")
        try peer.agree(in: &harness)
        #expect(harness.core.security(of: link) == Bonded.security)
        #expect(
            harness.exchange([0x0B, 0x09], from: address).isEmpty,
            "The link already has the requested security"
        )
        #expect(
            harness.exchange([0x0B, 0x0D], from: address) == [[0x05, 0x05]],
            "The host refuses a request for more security"
        )
    }

    @Test("A bond that is added later does not apply to a link paired without bonding")
    func foreignBond() throws {
        let key = try #require(Bonded.key)
        var generator = SplitMix64(seed: 7)
        let privateAddress = ResolvingKey(key)?.makeAddress(using: &generator)
        let unknownPeer = try #require(privateAddress)
        var harness = Harness.ready(peers: [ModelPeer(1, address: unknownPeer)]) {
            $0.pairingDelegate = SilentDelegate()
        }
        let link = try harness.accept(unknownPeer)
        var peer = try PairingPeer(harness, isCentral: true, address: unknownPeer) {
            $0.isBonding = false
        }
        peer.pair(with: &harness)
        try peer.agree(in: &harness)
        #expect(harness.core.security(of: link) == Self.paired)
        let bond = try Bonded.bond { $0.resolvingKey = key }
        harness.core.keepBond(bond, now: harness.now)
        #expect(harness.core.security(of: link) == Self.paired)
        #expect(harness.core.verifiedBond(of: link) == nil)
        #expect(harness.core.linkList.map(\.peer) == [unknownPeer], "The link keeps its peer")
    }

    @Test("A bond that is added later does not close an existing link")
    func openLink() throws {
        var harness = harness()
        let link = try harness.connect(address)
        harness.core.keepBond(try Bonded.bond(), now: harness.now)
        #expect(harness.core.security(of: link) == LinkSecurity.none)
        #expect(harness.core.verifiedBond(of: link) == nil)
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(read) }
    }

    @Test("A Security Request is refused if pairing is not supported")
    func refusedSecurityRequest() throws {
        var harness = harness(hasDelegate: false)
        _ = try harness.connect(address)
        #expect(harness.exchange([0x0B, 0x09], from: address) == [[0x05, 0x05]])
    }

    @Test("A pairing without bonding secures the link and makes no bond", arguments: [true, false])
    func unbonded(_ isDebug: Bool) throws {
        var harness = harness()
        let link = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false) { $0.usesPublishedDebugKey = isDebug }
        var policy = Pairing.Policy()
        if isDebug { policy.usesPublishedDebugKey = true } else { policy.isBonding = false }
        let request = harness.ask(.pair(policy), of: link)
        peer.continuePairing(with: &harness)
        #expect(throws: Never.self) { try harness.answer(request) }
        #expect(harness.core.security(of: link) == Self.paired)
        #expect(harness.core.bonds.isEmpty && harness.bondEvents.isEmpty)
    }

    @Test("Requests share one pairing, and canceling one request does not end the other requests")
    func shared() throws {
        var harness = harness()
        let link = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false)
        let requests = (0..<5).map { _ in harness.ask(.pair(Pairing.Policy()), of: link) }
        harness.core.cancelRequest(requests[0], of: link, now: harness.now)
        peer.continuePairing(with: &harness)
        #expect(harness.isPending(requests[0]))
        for request in requests.dropFirst() {
            #expect(throws: Never.self) { try harness.answer(request) }
        }
        #expect(harness.security(receivedBy: address).count { $0.first == 0x01 } == 1)
    }

    @Test("A pairing without any waiting request is canceled, and the peer is notified")
    func cancelled() throws {
        var harness = harness()
        let link = try harness.connect(address)
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        harness.drive()
        harness.core.cancelRequest(request, of: link, now: harness.now)
        harness.drive()
        #expect(harness.security(receivedBy: address).last?.first == 0x05)
        #expect(harness.isPending(request))
    }

    @Test("A pairing fails after 30 seconds without a response of the peer")
    func timeout() throws {
        var harness = harness()
        let link = try harness.connect(address)
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        harness.advance(by: .seconds(30))
        guard case .failure(let failure)? = harness.result(request) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(failure as? Pairing.Failure == .timedOut)
        #expect(harness.ends.isEmpty)
    }

    @Test("The host sends no pairing PDU after a pairing with a silent central times out")
    func timeoutOfAnswered() throws {
        var harness = harness()
        let link = try harness.accept(address)
        _ = harness.ask(.pair(Pairing.Policy()), of: link)
        harness.drive()
        #expect(harness.exchange(Self.request, from: address).map(\.first) == [0x02])
        harness.advance(by: SecurityManager.timeout)
        #expect(harness.core.context.attempts.count == 1)
        let received = harness.security(receivedBy: address)
        let handle = try #require(harness.controller.handle(of: address))
        let now = harness.now
        harness.core.withLink(handle, now: now) { link, context in
            link.refusePairing(.pairingNotSupported, &context)
        }
        harness.drive()
        #expect(harness.security(receivedBy: address) == received)
    }

    @Test(
        "A pairing that fails while encryption starts secures nothing, and the link ends",
        arguments: [true, false]
    )
    func failedAtEncryption(_ isCancelled: Bool) throws {
        var harness = harness()
        let link = try harness.connect(address)
        harness.controller.endlessCommands = [.leEnableEncryption]
        var peer = try PairingPeer(harness, isCentral: false)
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        peer.continuePairing(with: &harness)
        #expect(harness.count(of: .leEnableEncryption) == 1)
        if isCancelled {
            harness.core.cancelRequest(request, of: link, now: harness.now)
        } else {
            _ = harness.exchange([0x05, 0x08], from: address)
        }
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.changeEncryption(on: handle)
        harness.drive()
        #expect(harness.core.security(of: link) == LinkSecurity.none)
        harness.advance(by: LinkCore.refusalPause)
        #expect(harness.ends[link] == [.notEncrypted])
    }

    @Test("The peer's name is read after bonding")
    func name() throws {
        var harness = harness()
        let link = try harness.connect(address)
        let bytes = Array("Cuff \u{1F980}".utf8)
        harness.controller.peers[address]?.server.attributes.append(
            .init(handle: AttributeHandle(7), type: BluetoothUUID(0x2A00), value: bytes)
        )
        var peer = try PairingPeer(harness, isCentral: false)
        _ = harness.ask(.pair(Pairing.Policy()), of: link)
        peer.continuePairing(with: &harness)
        #expect(harness.core.bonds.map(\.name) == ["Cuff \u{1F980}"])
        #expect(harness.core.bonds.map(\.peer) == [address])
    }

    @Test("A request that was refused is repeated after pairing, before the name is read")
    func nameAfterDemand() throws {
        var harness = harness()
        let link = try harness.connect(address)
        let (name, secret) = (AttributeHandle(7), ModelServer.readableHandle)
        harness.controller.peers[address]?.server.attributes.append(
            .init(handle: name, type: BluetoothUUID(0x2A00), value: Array("Cuff".utf8))
        )
        harness.controller.peers[address]?.server.refusals = [secret: .insufficientAuthentication]
        var peer = try PairingPeer(harness, isCentral: false)
        _ = harness.ask(.gatt(.read(secret)), of: link)
        peer.continuePairing(with: &harness)
        try peer.agree(in: &harness)
        #expect(harness.core.bonds.map(\.name) == ["Cuff"])
        let received = harness.controller.peers[address]?.server.received ?? []
        let read = ATT.PDU.readRequest(.init(handle: secret))
        let type = BluetoothUUID(0x2A00)
        let nameRead = ATT.PDU.readByTypeRequest(.init(start: .first, end: .last, type: type))
        #expect(received.filter { $0.opcode != .exchangeMTURequest } == [read, read, nameRead])
    }

    @Test(
        "Repeated pairing requests get a limited number of responses"
    )
    func flood() throws {
        var harness = harness(hasDelegate: false)
        _ = try harness.accept(address)
        let handle = try #require(harness.controller.handle(of: address))
        harness.controller.keepsPackets = true
        for _ in 0..<1_000 { harness.controller.sendSecurity(Self.request, from: address) }
        for pdu: [UInt8] in [[], [0x0B, 1], [0x05, 1], [0xFF]] {
            harness.controller.sendSecurity(pdu, from: address)
        }
        harness.drive()
        harness.controller.keepsPackets = false
        harness.controller.releasePackets(2_000, on: handle)
        harness.drive()
        let answers = harness.security(receivedBy: address)
        #expect((2...60).contains(answers.count) && Set(answers) == [[0x05, 0x05]])
        #expect(harness.controller.violations.isEmpty)
    }
}
