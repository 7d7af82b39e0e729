// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import Testing

@testable import BluetoothHost

@Suite("Pairing with a full store")
struct FullStoreTests {
    private let address = Bonded.peer.address
    private static let keyRejected: [UInt8] = [
        0x05, Pairing.FailureReason.keyRejected.rawValue,
    ]

    private func harness(_ store: [StoreKey: [UInt8]] = [:]) -> Harness {
        var harness = Harness(peers: [ModelPeer(1)]) { configuration in
            configuration.store = MemoryStore()
            configuration.pairingDelegate = SilentDelegate()
        }
        harness.store = store
        harness.openStore()
        harness.open()
        harness.drive()
        return harness
    }

    private func error(_ request: RequestIdentifier, in harness: Harness) throws -> HostError {
        guard case .failure(let error)? = harness.result(request) else {
            throw Harness.UnexpectedAnswer()
        }
        return try #require(error as? HostError)
    }

    @Test("A central's pairing fails for both sides, because the last keys are not sent")
    func asCentral() throws {
        var harness = harness()
        let link = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false)
        harness.isStoreFull = true
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        peer.continuePairing(with: &harness)
        guard case .bondNotStored(let reason) = try error(request, in: harness) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(reason.contains("disk full"))
        #expect(peer.keys == nil && peer.failures == [.refusedByPeer(.keyRejected)])
        #expect(harness.security(receivedBy: address).last == Self.keyRejected)
        #expect(harness.core.bonds.isEmpty && !harness.bondEvents.contains("bonded"))
        #expect(harness.core.security(of: link) == LinkSecurity.none)
        harness.advance(by: LinkCore.refusalPause)
        guard case .bondNotStored? = harness.ends[link]?.first else {
            throw Harness.UnexpectedAnswer()
        }
    }

    @Test("A peripheral ends the link with Low Resources, because the peer has all keys already")
    func asPeripheral() throws {
        var harness = harness()
        let link = try harness.accept(address)
        var peer = try PairingPeer(harness, isCentral: true)
        harness.isStoreFull = true
        peer.pair(with: &harness)
        try peer.agree(in: &harness)
        #expect(peer.keys != nil, "The peer has all keys")
        guard case .bondNotStored? = harness.ends[link]?.first else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(harness.controller.disconnectReasons == [.remoteDeviceLowResources])
        #expect(harness.core.bonds.isEmpty && !harness.bondEvents.contains("bonded"))
    }

    /// Pairs as a central with numeric comparison. The store must refuse the bond.
    private func expectRefusal(
        in harness: inout Harness,
        when storeFails: (inout Harness) -> Void
    ) throws {
        let link = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false) {
            $0.ioCapability = .displayYesNo
        }
        var policy = Pairing.Policy()
        policy.ioCapability = .displayYesNo
        policy.requiresAuthentication = true
        let request = harness.ask(.pair(policy), of: link)
        peer.continuePairing(with: &harness)
        storeFails(&harness)
        try peer.agree(in: &harness)
        guard case .bondNotStored = try error(request, in: harness) else {
            throw Harness.UnexpectedAnswer()
        }
    }

    private func keepEarlierBond(in harness: inout Harness) throws {
        harness.core.keepBond(try Bonded.bond(), now: harness.now)
        harness.performActions()
        harness.controller.peers[address]?.key = Bonded.key
    }

    @Test("The previous bond remains, in the store and in use")
    func earlierBond() throws {
        var harness = harness()
        try keepEarlierBond(in: &harness)
        let key = RecordName.bond(address).key
        let before = (harness.core.bonds, harness.store[key])
        try expectRefusal(in: &harness) { $0.isStoreFull = true }
        #expect(harness.core.bonds == before.0)
        #expect(before.1 != nil && harness.store[key] == before.1)
    }

    @Test("A bond whose write failed does not stay in the store", arguments: [false, true])
    func writtenAndFailed(hasEarlierBond: Bool) throws {
        var harness = harness()
        if hasEarlierBond { try keepEarlierBond(in: &harness) }
        let key = RecordName.bond(address).key
        let before = (harness.core.bonds, harness.store[key])
        #expect((before.1 != nil) == hasEarlierBond)
        try expectRefusal(in: &harness) { $0.failsAfterWriting = key }
        #expect(harness.failsAfterWriting == nil, "The new bond was written")
        #expect(harness.store[key] == before.1)
        #expect(harness.core.bonds == before.0)
    }

    @Test("A failed pairing does not remove an entry that could not be set aside")
    func notSetAside() throws {
        let key = RecordName.bond(address).key
        let other = try Bonded.bond { $0.localIdentity = DeviceAddress(value: 9, kind: .random) }
        let bytes = other.encode(localIdentity: address)
        var harness = harness([key: bytes])
        #expect(harness.core.bonds.isEmpty)
        try expectRefusal(in: &harness) {
            $0.failsToSetAside = true
            $0.isStoreFull = true
        }
        #expect(harness.store[key] == bytes)
    }

    @Test("Once the store has space, a pairing succeeds, and its bond is stored")
    func roomAgain() throws {
        var harness = harness()
        let first = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false)
        harness.isStoreFull = true
        _ = harness.ask(.pair(Pairing.Policy()), of: first)
        peer.continuePairing(with: &harness)
        harness.advance(by: .seconds(60))
        #expect(harness.store[RecordName.bond(address).key] == nil)
        harness.isStoreFull = false
        let link = try harness.connect(address)
        peer = try PairingPeer(harness, isCentral: false)
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        peer.continuePairing(with: &harness)
        #expect(throws: Never.self) { try harness.answer(request) }
        #expect(harness.store[RecordName.bond(address).key] != nil)
        #expect(harness.core.bonds.count == 1 && peer.keys != nil)
    }

    @Test("A bond is not kept if its local identity cannot be stored")
    func identity() throws {
        var harness = harness()
        harness.core.context.storeState.isIdentityUnsaved = true
        let link = try harness.connect(address)
        var peer = try PairingPeer(harness, isCentral: false)
        harness.isStoreFull = true
        let request = harness.ask(.pair(Pairing.Policy()), of: link)
        peer.continuePairing(with: &harness)
        guard case .bondNotStored = try error(request, in: harness) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(harness.store.isEmpty && harness.core.bonds.isEmpty)
        harness.isStoreFull = false
        harness.advance(by: .seconds(31))
        #expect(
            harness.store[RecordName.identity.key] != nil,
            "The identity is saved by a later attempt"
        )
        #expect(!harness.core.context.storeState.isIdentityUnsaved)
    }
}
