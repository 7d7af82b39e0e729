// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// A bonded peer with private addresses, and a controller that does not resolve them.
@Suite("A peer with private addresses")
struct PrivatePeerStories {
    private static let identity = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)
    private var generator = SplitMix64(seed: 7)
    private let key: HCI.Key128
    private let resolving: ResolvingKey

    init() throws {
        key = try #require(HCI.Key128(Array(1...16)))
        resolving = try #require(ResolvingKey(key))
    }

    /// Returns the peer with a new private address.
    private mutating func peer() throws -> ModelPeer {
        let address = try #require(resolving.makeAddress(using: &generator))
        var peer = ModelPeer(1, name: "Lamp", address: address)
        peer.key = key
        return peer
    }

    private func bench(_ profile: ModelProfile = .rich, peers: [ModelPeer] = []) -> Bench {
        Bench.ready(profile, peers: peers) { configuration in
            var bond = Bond(peer: Self.identity, longTermKey: key)
            bond.resolvingKey = key
            configuration.bonds = [bond]
        }
    }

    /// Replaces the peers in range with this peer.
    private func move(_ peer: ModelPeer, into bench: inout Bench) {
        bench.controller.peers = [peer.address: peer]
    }

    @Test("The peer is reported with its identity and its current address")
    mutating func sighting() throws {
        let peer = try peer()
        var bench = bench(peers: [peer])
        let scan = bench.scan(reportsDuplicates: true)
        bench.drive()
        let sighting = try #require(bench.sightings.first { $0.scan == scan }?.sighting)
        #expect(sighting.address == Self.identity && sighting.isIdentityResolved)
        #expect(sighting.privateAddress == peer.address)
    }

    @Test("The peer with another address counts as a duplicate")
    mutating func repeated() throws {
        var bench = bench(peers: [try peer()])
        _ = bench.scan()
        bench.drive()
        move(try peer(), into: &bench)
        bench.controller.advertise()
        bench.drive()
        #expect(bench.sightings.count == 1)
    }

    @Test("The host scans for the peer and connects to the discovered address")
    mutating func looking() throws {
        let peer = try peer()
        var bench = bench()
        let dial = bench.dial(Self.identity)
        bench.drive()
        #expect(bench.isPending(dial) && bench.controller.isScanning)
        #expect(bench.controller.initiation == nil)
        move(peer, into: &bench)
        bench.controller.advertise()
        bench.drive()
        _ = try bench.link(of: dial)
        #expect(bench.core.linkList.map(\.peer) == [Self.identity])
        #expect(!bench.controller.isScanning)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("The host connects at once to a peer that was just discovered")
    mutating func fresh() throws {
        var bench = bench(peers: [try peer()])
        let scan = bench.scan()
        bench.drive()
        bench.core.stopScan(scan, now: bench.now)
        bench.drive()
        let dial = bench.dial(Self.identity)
        #expect(!bench.controller.isScanning)
        bench.drive()
        _ = try bench.link(of: dial)
    }

    @Test("A peer that its controller does not resolve is connected by its current address")
    mutating func unrecognised() throws {
        var bench = bench(.pretending)
        #expect(bench.core.addresses.resolves(Self.identity))
        let dial = bench.dial(Self.identity)
        bench.drive()
        #expect(bench.controller.initiation?.target == Self.identity)
        move(try peer(), into: &bench)
        let scan = bench.scan()
        bench.drive()
        _ = try bench.link(of: dial)
        #expect(bench.core.addresses.resolves(Self.identity), "the list is still believed")
        bench.core.stopScan(scan, now: bench.now)
        bench.drive()
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("An address from the application does not count as discovered")
    mutating func remembered() throws {
        let address = try peer().address
        var bench = bench(.pretending)
        _ = bench.dial(address)
        bench.drive()
        #expect(bench.controller.initiation?.target == Self.identity)
    }

    @Test("Without an answer the host connects to the identity again and keeps no state")
    mutating func recognisedAgain() throws {
        var bench = bench(.pretending, peers: [try peer()])
        let scan = bench.scan()
        bench.drive()
        bench.core.stopScan(scan, now: bench.now)
        var absent = try peer()
        absent.presence = .absent
        move(absent, into: &bench)
        _ = bench.dial(Self.identity)
        bench.drive()
        #expect(bench.controller.initiation?.target != Self.identity)
        bench.advance(by: HostCore.trialLimit)
        #expect(bench.controller.initiation?.target == Self.identity)
        #expect(!bench.controller.isScanning)
        #expect(bench.controller.violations.isEmpty)
    }

    /// Discovers a peer, changes its address, and requests a connection.
    private mutating func dialWhoMoved(
        _ profile: ModelProfile
    ) throws -> (Bench, RequestIdentifier) {
        var bench = bench(profile, peers: [try peer()])
        let scan = bench.scan()
        bench.drive()
        bench.core.stopScan(scan, now: bench.now)
        bench.drive()
        move(try peer(), into: &bench)
        let dial = bench.dial(Self.identity)
        return (bench, dial)
    }

    @Test("While an old address is tried, the host scans and connects to the new address")
    mutating func changed() throws {
        var (bench, dial) = try dialWhoMoved(.rich)
        bench.drive()
        _ = try bench.link(of: dial)
        #expect(!bench.controller.isScanning)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A canceled request that connects and scans leaves no state")
    mutating func cancelledTrial() throws {
        var absent = try peer()
        absent.presence = .absent
        var bench = bench(peers: [absent])
        let dial = bench.dial(absent.address)
        bench.drive()
        #expect(bench.controller.initiation != nil && bench.controller.isScanning)
        bench.core.cancelDial(dial, now: bench.now)
        bench.drive()
        #expect(bench.controller.initiation == nil && !bench.controller.isScanning)
        #expect(bench.core.nextDeadline == nil && bench.controller.violations.isEmpty)
    }

    @Test("If scans exclude connecting, the old address is tried first and then scanned for")
    mutating func changedWithoutOverlap() throws {
        var profile = ModelProfile.rich
        profile.states = [.passiveScanning]
        var (bench, dial) = try dialWhoMoved(profile)
        bench.advance(by: HostCore.trialLimit - .milliseconds(1))
        #expect(bench.isPending(dial) && bench.controller.initiation != nil)
        #expect(!bench.controller.isScanning)
        bench.advance(by: .milliseconds(1))
        bench.controller.advertise()
        bench.drive()
        _ = try bench.link(of: dial)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A new address that is discovered while connecting is used")
    mutating func changedWhileScanning() throws {
        var first = try peer()
        first.presence = .absent
        var bench = bench(peers: [first])
        _ = bench.scan(reportsDuplicates: true)
        let dial = bench.dial(first.address)
        bench.drive()
        #expect(bench.controller.initiation != nil)
        move(try peer(), into: &bench)
        bench.controller.advertise()
        bench.drive()
        _ = try bench.link(of: dial)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A second request for the peer by any of its addresses is refused")
    mutating func twice() throws {
        var absent = try peer()
        absent.presence = .absent
        var bench = bench(peers: [absent])
        _ = bench.dial(absent.address)
        let second = bench.dial(Self.identity)
        #expect(bench.error(second) == .alreadyConnecting)
    }

    @Test("A direct request that finds no peer ends in time, and with its controller")
    mutating func vain() throws {
        var bench = bench()
        let first = bench.dial(Self.identity)
        bench.advance(by: .seconds(10))
        #expect(bench.error(first) == .timedOut)
        #expect(!bench.controller.isScanning && bench.core.nextDeadline == nil)
        let second = bench.dial(Self.identity)
        bench.drive()
        bench.controller.restart()
        bench.drive()
        #expect(bench.error(second) != nil)
        #expect(!bench.controller.isScanning)
    }

    @Test("A pending connection resumes scanning after a reset")
    mutating func standing() throws {
        var bench = bench()
        let dial = bench.dial(Self.identity, .whenAvailable)
        bench.drive()
        bench.controller.restart()
        bench.drive()
        #expect(bench.isPending(dial) && bench.controller.isScanning)
        move(try peer(), into: &bench)
        bench.controller.advertise()
        bench.drive()
        _ = try bench.link(of: dial)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A canceled request stops scanning")
    mutating func cancelled() throws {
        var bench = bench()
        let dial = bench.dial(Self.identity)
        bench.drive()
        bench.core.cancelDial(dial, now: bench.now)
        bench.drive()
        #expect(!bench.controller.isScanning && bench.core.nextDeadline == nil)
    }

    @Test("Without its bond the peer is not resolved any more")
    mutating func forgotten() throws {
        let peer = try peer()
        var bench = bench(peers: [peer])
        bench.core.dropBond(of: Self.identity, now: bench.now)
        _ = bench.scan()
        bench.drive()
        let sighting = try #require(bench.sightings.first?.sighting)
        #expect(sighting.address == peer.address && !sighting.isIdentityResolved)
    }
}
