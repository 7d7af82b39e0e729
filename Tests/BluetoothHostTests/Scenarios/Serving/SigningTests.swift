// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import Testing

@testable import BluetoothHost

@Suite("Commands that the host signs")
struct SigningTests {
    private static let signingKey = HCI.Key128((1...16).map { UInt8($0) })
    private let peer = ModelPeer(1)

    /// Returns a link to a peer whose bond has a key for signatures and none for encryption.
    private func harness(
        _ change: (inout Bond) -> Void = { _ in }
    ) throws -> (Harness, LinkIdentifier) {
        var bond = Bond(peer: peer.address, longTermKey: try #require(Bonded.key))
        bond.peerKey = nil
        bond.localSigningKey = Self.signingKey
        change(&bond)
        var harness = Harness.ready(peers: [peer]) { [bond] in $0.bonds = [bond] }
        let link = try harness.connect(peer.address)
        return (harness, link)
    }

    private func commands(_ harness: Harness) -> [ATT.SignedWriteCommand] {
        harness.received(by: peer.address).compactMap {
            if case .signedWriteCommand(let command) = $0 { command } else { nil }
        }
    }

    @Test("Each command has a valid signature and a new counter")
    func signed() throws {
        var (harness, link) = try harness()
        for value: UInt8 in 1...3 {
            let id = harness.ask(.writeSigned(AttributeHandle(5), [value]), of: link)
            harness.drive()
            guard case .gatt(.done) = try harness.answer(id) else {
                throw Harness.UnexpectedAnswer()
            }
        }
        var checker = try #require(Self.signingKey.map { SigningKey(key: $0.bytes.reversed()) })
        #expect(commands(harness).map { Array($0.value) } == [[1], [2], [3]])
        let results = commands(harness).map { checker.accept($0) }
        #expect(results == [true, true, true])
    }

    @Test("Signing without a bond is refused")
    func withoutBond() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        let id = harness.ask(.writeSigned(AttributeHandle(5), [1]), of: link)
        #expect(harness.error(id) == .notBonded)
        #expect(commands(harness).isEmpty)
    }

    @Test("On an encrypted link, a signed command is sent as an ordinary command")
    func encrypted() throws {
        var peer = peer
        peer.key = Bonded.key
        var bond = Bond(peer: peer.address, longTermKey: try #require(peer.key))
        bond.localSigningKey = Self.signingKey
        var harness = Harness.ready(peers: [peer]) { [bond] in $0.bonds = [bond] }
        let link = try harness.connect(peer.address)
        let id = harness.ask(.writeSigned(AttributeHandle(5), [7]), of: link)
        harness.drive()
        guard case .gatt(.done) = try harness.answer(id) else { throw Harness.UnexpectedAnswer() }
        #expect(commands(harness).isEmpty)
        let plain = ATT.PDU.writeCommand(.init(handle: AttributeHandle(5), value: [7]))
        #expect(harness.received(by: peer.address).contains(plain))
    }
}

@Suite("Signed commands of bonded clients")
struct SignedClientTests {
    private let key: HCI.Key128
    private let resolving: ResolvingKey
    private var generator = SplitMix64(seed: 7)

    init() throws {
        key = try #require(HCI.Key128((1...16).map { UInt8($0) }))
        resolving = try #require(ResolvingKey(key))
    }

    private func harness(
        _ store: [StoreKey: [UInt8]] = [:]
    ) throws -> (Harness, GATT.DiscoveredService) {
        let bond = try Bonded.bond {
            $0.peerSigningKey = key
            $0.resolvingKey = key
        }
        var harness = try Harness.bonded([bond]) { $0.store = MemoryStore() }
        harness.store = store
        let value = GATT.CharacteristicDefinition(
            BluetoothUUID(0x2A1D),
            [.read, .authenticatedSignedWrites],
            value: .stored([0])
        )
        let service = try harness.publish(.init(BluetoothUUID(0x1809), [value]))
        return (harness, service)
    }

    /// Adds the client under a new private address, and returns the address.
    private mutating func move(_ harness: inout Harness) throws -> DeviceAddress {
        let made = resolving.makeAddress(using: &generator)
        let address = try #require(made)
        harness.controller.peers[address] = ModelPeer(1, address: address)
        return address
    }

    private func command(
        _ value: UInt8,
        to handle: AttributeHandle,
        counter: UInt32
    ) throws -> ATT.PDU {
        let zeros = [UInt8](repeating: 0, count: ATT.SignedWriteCommand.signatureLength)
        let draft = ATT.SignedWriteCommand(handle: handle, value: [value], signature: zeros[...])
        let signer = SigningKey(key: key.bytes.reversed())
        let signature = try #require(signer.signature(of: draft.signedBytes, counter: counter))
        return .signedWriteCommand(
            .init(handle: handle, value: [value], signature: signature[...])
        )
    }

    @Test("A second link cannot replay a signed command")
    mutating func secondLink() throws {
        var (harness, service) = try harness()
        let value = service.value(0)
        let (first, second) = (try move(&harness), try move(&harness))
        _ = try harness.accept(first)
        _ = try harness.accept(second)
        let old = try command(1, to: value, counter: 5)
        _ = harness.exchange(old, from: first)
        #expect(harness.core.value(of: value) == [1])
        _ = harness.exchange(try command(2, to: value, counter: 6), from: first)
        _ = harness.exchange(old, from: second)
        #expect(harness.core.value(of: value) == [2])
        _ = harness.exchange(try command(3, to: value, counter: 7), from: second)
        #expect(
            harness.core.value(of: value) == [3],
            "The server accepts a command with a new counter"
        )
        #expect(harness.core.context.clientRecords[Bonded.peer.address]?.lastSignCounter == 7)
    }

    @Test(
        "Signed commands are refused if the counter of the client cannot be read",
        arguments: [2, 20]
    )
    mutating func lostCounter(_ missing: Int) throws {
        let record = ClientRecord().encode(for: Bonded.peer.address)
        let name = RecordName.client(Bonded.peer.address).key
        var (harness, service) = try harness([name: Array(record.dropLast(missing))])
        let address = try move(&harness)
        _ = try harness.accept(address)
        _ = harness.exchange(try command(1, to: service.value(0), counter: 5), from: address)
        #expect(harness.core.value(of: service.value(0)) == [0])
    }

    @Test("A stored counter that the host must keep does not apply to a new signing key")
    mutating func keptCounter() throws {
        var record = ClientRecord()
        record.lastSignCounter = 500
        let name = RecordName.client(Bonded.peer.address).key
        var (harness, service) = try harness([name: record.encode(for: Bonded.peer.address)])
        harness.core.listingFailed(StoreFault(text: "not readable"))
        let formerKey = HCI.Key128((2...17).map { UInt8($0) })
        for signingKey in [formerKey, key] {
            let bond = try Bonded.bond {
                $0.peerSigningKey = signingKey
                $0.resolvingKey = key
            }
            harness.core.keepBond(bond, now: harness.now)
        }
        let address = try move(&harness)
        _ = try harness.accept(address)
        _ = harness.exchange(try command(1, to: service.value(0), counter: 0), from: address)
        #expect(harness.core.value(of: service.value(0)) == [1])
    }

    @Test("After a restart, signed commands are still refused if the counter was damaged")
    mutating func damagedCounter() throws {
        let name = RecordName.client(Bonded.peer.address).key
        var (harness, _) = try harness([name: [1, 2, 3]])
        _ = try harness.accept(try move(&harness))
        harness.drive()
        var (next, service) = try self.harness(harness.store)
        let address = try move(&next)
        _ = try next.accept(address)
        _ = next.exchange(try command(1, to: service.value(0), counter: 5), from: address)
        #expect(next.core.value(of: service.value(0)) == [0])
    }
}
