// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import Testing

@testable import BluetoothHost

@Suite("Pairing with a full store")
struct FullStoreStories {
    private let address = Bonded.peer.address
    private static let keyRejected: [UInt8] = [
        0x05, Pairing.FailureReason.keyRejected.rawValue,
    ]

    private func bench(_ store: [StoreKey: [UInt8]] = [:]) -> Bench {
        var bench = Bench(peers: [ModelPeer(1)]) { configuration in
            configuration.store = MemoryStore()
            configuration.pairingDelegate = SilentDelegate()
        }
        bench.store = store
        bench.openStore()
        bench.open()
        bench.drive()
        return bench
    }

    private func error(_ wish: RequestIdentifier, in bench: Bench) throws -> HostError {
        guard case .failure(let error)? = bench.result(wish) else { throw Bench.UnexpectedAnswer() }
        return try #require(error as? HostError)
    }

    @Test("As the Central, pairing fails for both sides, since the last keys are not sent")
    func asCentral() throws {
        var bench = bench()
        let link = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false)
        bench.isStoreFull = true
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        peer.goOn(with: &bench)
        guard case .bondNotKept(let reason) = try error(wish, in: bench) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(reason.contains("disk full"))
        #expect(peer.keys == nil && peer.failures == [.refusedByPeer(.keyRejected)])
        #expect(bench.security(heardBy: address).last == Self.keyRejected)
        #expect(bench.core.bonds.isEmpty && !bench.toldOfBonds.contains("bonded"))
        #expect(bench.core.security(of: link) == LinkSecurity.none)
        bench.advance(by: LinkCore.refusalPause)
        guard case .bondNotKept? = bench.ends[link]?.first else { throw Bench.UnexpectedAnswer() }
    }

    @Test("As the Peripheral, the link ends with low resources, since the peer has all keys")
    func asPeripheral() throws {
        var bench = bench()
        let link = try bench.accept(address)
        var peer = try PairingPeer(bench, isCentral: true)
        bench.isStoreFull = true
        peer.pair(with: &bench)
        try peer.agree(in: &bench)
        #expect(peer.keys != nil, "it cannot be told any more")
        guard case .bondNotKept? = bench.ends[link]?.first else { throw Bench.UnexpectedAnswer() }
        #expect(bench.controller.disconnectReasons == [.remoteDeviceLowResources])
        #expect(bench.core.bonds.isEmpty && !bench.toldOfBonds.contains("bonded"))
    }

    @Test("The previous bond remains, in the store and in use")
    func earlierBond() throws {
        let earlier = try Bonded.bond()
        var bench = bench()
        bench.core.keepBond(earlier, now: bench.now)
        bench.performActions()
        let key = RecordName.bond(address).key
        let before = (bench.core.bonds, bench.store[key])
        bench.controller.peers[address]?.key = Bonded.key
        let link = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false) {
            $0.ioCapability = .displayYesNo
        }
        bench.isStoreFull = true
        var policy = Pairing.Policy()
        policy.ioCapability = .displayYesNo
        policy.requiresAuthentication = true
        let wish = bench.ask(.pair(policy), of: link)
        peer.goOn(with: &bench)
        try peer.agree(in: &bench)
        guard case .bondNotKept = try error(wish, in: bench) else { throw Bench.UnexpectedAnswer() }
        #expect(bench.core.bonds == before.0)
        #expect(before.1 != nil && bench.store[key] == before.1)
    }

    @Test("The peer pairs once the store has space, and the bond is stored first")
    func roomAgain() throws {
        var bench = bench()
        let first = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false)
        bench.isStoreFull = true
        _ = bench.ask(.pair(Pairing.Policy()), of: first)
        peer.goOn(with: &bench)
        bench.advance(by: .seconds(60))
        #expect(bench.saves.isEmpty, "nothing is left to be tried again")
        bench.isStoreFull = false
        let link = try bench.connect(address)
        peer = try PairingPeer(bench, isCentral: false)
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        peer.goOn(with: &bench)
        #expect(throws: Never.self) { try bench.answer(wish) }
        #expect(bench.store[RecordName.bond(address).key] != nil)
        #expect(bench.core.bonds.count == 1 && peer.keys != nil)
    }

    @Test("A bond is not kept without its local identity")
    func identity() throws {
        var bench = bench()
        bench.core.context.storeState.isIdentityUnsaved = true
        let link = try bench.connect(address)
        var peer = try PairingPeer(bench, isCentral: false)
        bench.isStoreFull = true
        let wish = bench.ask(.pair(Pairing.Policy()), of: link)
        peer.goOn(with: &bench)
        guard case .bondNotKept = try error(wish, in: bench) else { throw Bench.UnexpectedAnswer() }
        #expect(bench.store.isEmpty && bench.core.bonds.isEmpty)
        bench.isStoreFull = false
        bench.advance(by: .seconds(31))
        #expect(bench.store[RecordName.identity.key] != nil, "it is tried again")
        #expect(!bench.core.context.storeState.isIdentityUnsaved)
    }
}
