// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Commands that we sign")
struct SigningStories {
    private static let signingKey = HCI.Key128((1...16).map { UInt8($0) })
    private let peer = ModelPeer(1)

    /// A link to a peer that took a key to check signatures with, and none to encrypt with.
    private func bench(
        _ change: (inout Bond) -> Void = { _ in }
    ) throws -> (Bench, LinkIdentifier) {
        var bond = Bond(peer: peer.address, longTermKey: try #require(Bonded.key))
        bond.peerKey = nil
        bond.localSigningKey = Self.signingKey
        change(&bond)
        var bench = Bench.ready(peers: [peer]) { [bond] in $0.bonds = [bond] }
        let link = try bench.connect(peer.address)
        return (bench, link)
    }

    private func commands(_ bench: Bench) -> [ATT.SignedWriteCommand] {
        bench.heard(by: peer.address).compactMap {
            if case .signedWriteCommand(let command) = $0 { command } else { nil }
        }
    }

    @Test("carry a signature that the peer finds good, and each another counter")
    func signed() throws {
        var (bench, link) = try bench()
        for value: UInt8 in 1...3 {
            let id = bench.ask(.writeSigned(AttributeHandle(5), [value]), of: link)
            bench.drive()
            guard case .gatt(.done) = try bench.answer(id) else { throw Bench.UnexpectedAnswer() }
        }
        var checker = try #require(Self.signingKey.map { SigningKey(key: $0.bytes.reversed()) })
        #expect(commands(bench).map { Array($0.value) } == [[1], [2], [3]])
        let verdicts = commands(bench).map { checker.accept($0) }
        #expect(verdicts == [true, true, true])
    }

    @Test("are refused without a bond")
    func stranger() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        let id = bench.ask(.writeSigned(AttributeHandle(5), [1]), of: link)
        #expect(bench.error(id) == .notBonded)
        #expect(commands(bench).isEmpty)
    }

    @Test("are ordinary commands on an encrypted link")
    func encrypted() throws {
        var peer = peer
        peer.key = Bonded.key
        var bond = Bond(peer: peer.address, longTermKey: try #require(peer.key))
        bond.localSigningKey = Self.signingKey
        var bench = Bench.ready(peers: [peer]) { [bond] in $0.bonds = [bond] }
        let link = try bench.connect(peer.address)
        let id = bench.ask(.writeSigned(AttributeHandle(5), [7]), of: link)
        bench.drive()
        guard case .gatt(.done) = try bench.answer(id) else { throw Bench.UnexpectedAnswer() }
        #expect(commands(bench).isEmpty)
        let plain = ATT.PDU.writeCommand(.init(handle: AttributeHandle(5), value: [7]))
        #expect(bench.heard(by: peer.address).contains(plain))
    }
}
