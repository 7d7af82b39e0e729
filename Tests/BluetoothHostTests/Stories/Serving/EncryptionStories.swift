// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Encryption with keys that are known")
struct EncryptionStories {
    static let key = HCI.Key128((0..<16).map { UInt8($0) })
    private let peer: ModelPeer = {
        var peer = ModelPeer(1)
        peer.key = key
        return peer
    }()

    private func bond(_ change: (inout Bond) -> Void = { _ in }) throws -> Bond {
        var bond = Bond(peer: peer.address, longTermKey: try #require(Self.key))
        change(&bond)
        return bond
    }

    private func serving(
        bonds: [Bond]
    ) throws -> (Bench, LinkIdentifier, GATT.PublishedService) {
        var bench = Bench.ready(peers: [peer]) { $0.bonds = bonds }
        let service = try bench.publish(Clinic.definition)
        let link = try bench.connect(peer.address)
        return (bench, link, service)
    }

    @Test("A Central encrypts with the bond's key, and once is enough")
    func central() throws {
        var (bench, link, _) = try serving(bonds: [try bond()])
        #expect(bench.core.security(of: link) == LinkSecurity(isBonded: true))
        let id = bench.ask(.encrypt, of: link)
        #expect(bench.isPending(id))
        bench.drive()
        guard case .done = try bench.answer(id) else { throw Bench.UnexpectedAnswer() }
        let expected = LinkSecurity(
            isEncrypted: true,
            usesSecureConnections: true,
            keySize: 16,
            isBonded: true
        )
        #expect(bench.core.security(of: link) == expected)
        let again = bench.ask(.encrypt, of: link)
        #expect(!bench.isPending(again))
        #expect(bench.controller.commands.filter { $0 == .leEnableEncryption }.count == 1)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Without a bond, nothing is encrypted")
    func stranger() throws {
        var (bench, link, _) = try serving(bonds: [])
        #expect(bench.error(bench.ask(.encrypt, of: link)) == nil)
        let id = bench.ask(.encrypt, of: link)
        #expect(bench.error(id) == .notBonded)
        bench.controller.requestKey(from: peer.address)
        bench.drive()
        #expect(bench.controller.commands.last == .leLongTermKeyRequestNegativeReply)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.changeEncryption(on: handle)
        bench.drive()
        #expect(bench.core.security(of: link) == LinkSecurity.none, "whose key was that?")
    }

    @Test("A peer that has forgotten the key is told of, and the link stays")
    func forgotten() throws {
        var (bench, link, _) = try serving(bonds: [try bond()])
        bench.controller.peers[peer.address]?.key = nil
        let id = bench.ask(.encrypt, of: link)
        bench.drive()
        #expect(bench.error(id) == .encryptionFailed(.pinOrKeyMissing))
        #expect(bench.core.security(of: link)?.isEncrypted == false)
        #expect(bench.ends.isEmpty)
    }

    @Test("Different keys end the link, and who waits is told why")
    func differentKeys() throws {
        var (bench, link, _) = try serving(bonds: [try bond()])
        bench.controller.peers[peer.address]?.key = HCI.Key128([UInt8](repeating: 7, count: 16))
        let id = bench.ask(.encrypt, of: link)
        bench.drive()
        #expect(bench.error(id) == .disconnected(.messageIntegrityFailure))
        #expect(bench.ends[link] == [.disconnected(.messageIntegrityFailure)])
    }

    @Test("Encryption that never ends is given up, and may be asked for again")
    func endless() throws {
        var (bench, link, _) = try serving(bonds: [try bond()])
        bench.controller.endlessCommands.insert(.leEnableEncryption)
        let id = bench.ask(.encrypt, of: link)
        bench.drive()
        let second = bench.ask(.encrypt, of: link)
        #expect(bench.error(second) == .busy)
        bench.advance(by: .seconds(40))
        #expect(bench.error(id) == .timedOut)
        bench.controller.endlessCommands = []
        let third = bench.ask(.encrypt, of: link)
        bench.drive()
        guard case .done = try bench.answer(third) else { throw Bench.UnexpectedAnswer() }
    }

    @Test(
        "The key is given to who names it, and to nobody else",
        arguments: [(0x1234, 99, true), (0x1234, 98, false), (0x1235, 99, false), (0, 0, false)]
    )
    func keyRequest(_ diversifier: UInt16, _ random: UInt64, _ isNamed: Bool) throws {
        let bond = try bond {
            $0.localKey?.diversifier = 0x1234
            $0.localKey?.random = 99
            $0.usesSecureConnections = false
            $0.keySize = 7
        }
        var (bench, link, _) = try serving(bonds: [bond])
        bench.controller.requestKey(
            from: peer.address,
            random: random,
            encryptedDiversifier: diversifier
        )
        bench.drive()
        #expect(
            bench.controller.commands.last
                == (isNamed ? .leLongTermKeyRequestReply : .leLongTermKeyRequestNegativeReply)
        )
        #expect(bench.core.security(of: link)?.isEncrypted == isNamed)
        #expect(bench.core.security(of: link)?.keySize == (isNamed ? 7 : 0))
    }

    @Test("What is protected is given on an encrypted link only, and says what it needs")
    func protectedValues() throws {
        var (bench, link, service) = try serving(bonds: [])
        let handle = service.value(3)
        let refused = bench.read(handle, by: peer.address)
        #expect(refused == [.refusal(.readRequest, handle, .insufficientAuthentication)])
        bench.core.addBond(try bond(), now: bench.now)
        let bonded = bench.read(handle, by: peer.address)
        #expect(bonded == [.refusal(.readRequest, handle, .insufficientEncryption)])
        _ = bench.ask(.encrypt, of: link)
        bench.drive()
        #expect(bench.read(handle, by: peer.address) == [.value([9])])
        let written = bench.write([1], to: handle, by: peer.address)
        #expect(written == [.refusal(.writeRequest, handle, .insufficientAuthentication)])
    }

    @Test("A subscription that the link does not protect any more is not served")
    func protectedNotifications() throws {
        var (bench, link, service) = try serving(bonds: [try bond()])
        _ = bench.ask(.encrypt, of: link)
        bench.drive()
        let configured = bench.write([1, 0], to: try service.configuration(3), by: peer.address)
        #expect(configured == [.writeResponse])
        let first = bench.notify([(service.value(3), [1])], on: link)
        #expect(!bench.isPending(first) && bench.error(first) == nil)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.changeEncryption(on: handle, .success, .off)
        bench.drive()
        let second = bench.notify([(service.value(3), [2])], on: link)
        #expect(bench.error(second) == .notPermitted(.insufficientEncryption))
        bench.drive()
        #expect(bench.values(heardBy: peer.address) == [[1]])
    }

    @Test("A new key of an encrypted link changes nothing; a failure to get one is told")
    func keyRefresh() throws {
        var (bench, link, _) = try serving(bonds: [try bond()])
        let handle = try #require(bench.controller.handle(of: peer.address))
        _ = bench.ask(.encrypt, of: link)
        bench.drive()
        let before = bench.core.security(of: link)
        for status in [HCI.ErrorCode.success, .pinOrKeyMissing] {
            bench.controller.send(
                .encryptionKeyRefreshComplete(.init(status: status, connectionHandle: handle))
            )
            bench.drive()
            #expect(bench.core.security(of: link) == before)
        }
    }

    @Test("A bond that is taken away encrypts nothing any more")
    func removal() throws {
        var (bench, link, _) = try serving(bonds: [try bond()])
        bench.core.removeBond(with: peer.address, now: bench.now)
        #expect(bench.core.security(of: link) == LinkSecurity.none)
        let id = bench.ask(.encrypt, of: link)
        #expect(bench.error(id) == .notBonded)
    }

    @Test("A host holds so many bonds, the newest ones")
    func bounds() throws {
        var bench = Bench.ready(peers: [peer])
        for number in 0..<(HostCore.bondLimit + 10) {
            let address = DeviceAddress(value: UInt64(number), kind: .public)
            let bond = try bond { $0.peer = address }
            bench.core.addBond(bond, now: bench.now)
            bench.core.addBond(bond, now: bench.now)
        }
        #expect(bench.core.bonds.count == HostCore.bondLimit)
        #expect(bench.core.bonds.first?.peer.value == 10)
    }

    @Test("Whoever asks for pairing is refused, however often and fast")
    func pairing() throws {
        var (bench, _, service) = try serving(bonds: [])
        let handle = try #require(bench.controller.handle(of: peer.address))
        let request: [UInt8] = [0x01, 0x03, 0x00, 0x01, 0x10, 0x07, 0x07]
        bench.controller.sendSecurity(request, from: peer.address)
        bench.drive()
        #expect(bench.controller.peers[peer.address]?.securityPDUs == [[0x05, 0x05]])
        bench.controller.keepsPackets = true
        for _ in 0..<1_000 { bench.controller.sendSecurity(request, from: peer.address) }
        for pdu: [UInt8] in [[], [0x0B, 1], [0x05, 1], [0xFF]] {
            bench.controller.sendSecurity(pdu, from: peer.address)
        }
        bench.drive()
        bench.controller.keepsPackets = false
        bench.controller.releasePackets(2_000, on: handle)
        bench.drive()
        let answers = bench.controller.peers[peer.address]?.securityPDUs ?? []
        #expect((2...40).contains(answers.count) && Set(answers) == [[0x05, 0x05]])
        #expect(bench.read(service.value(0), by: peer.address) == [.value([1, 2, 3])])
        #expect(bench.controller.violations.isEmpty)
    }
}
