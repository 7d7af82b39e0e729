// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// A bonded peer under private addresses, and a controller that does not recognise them.
@Suite("A peer that changes its address")
struct PrivatePeerStories {
    private static let identity = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)
    private var generator = SplitMix64(seed: 7)
    private let key: HCI.Key128
    private let resolving: ResolvingKey

    init() throws {
        key = try #require(HCI.Key128(Array(1...16)))
        resolving = try #require(ResolvingKey(key))
    }

    /// A peer under a new private address.
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

    /// The peer is there, or is there under another address.
    private func move(_ peer: ModelPeer, into bench: inout Bench) {
        bench.controller.peers = [peer.address: peer]
    }

    @Test("It is told by its identity, with the address on the air beside")
    mutating func sighting() throws {
        let peer = try peer()
        var bench = bench(peers: [peer])
        let scan = bench.scan(reportsDuplicates: true)
        bench.drive()
        let sighting = try #require(bench.sightings.first { $0.scan == scan }?.sighting)
        #expect(sighting.address == Self.identity && sighting.isIdentityResolved)
        #expect(sighting.privateAddress == peer.address)
    }

    @Test("Under another address it says nothing new")
    mutating func repeated() throws {
        var bench = bench(peers: [try peer()])
        _ = bench.scan()
        bench.drive()
        move(try peer(), into: &bench)
        bench.controller.advertise()
        bench.drive()
        #expect(bench.sightings.count == 1)
    }

    @Test("It is looked for, and then dialled by the address that was heard")
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

    @Test("Just heard, it is dialled at once")
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

    @Test("Heard by a controller that should have recognised it, it is dialled by what was heard")
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

    @Test("An address that the application remembers is none that was heard")
    mutating func remembered() throws {
        let address = try peer().address
        var bench = bench(.pretending)
        _ = bench.dial(address)
        bench.drive()
        #expect(bench.controller.initiation?.target == Self.identity)
    }

    @Test("If it does not answer there, it is called by its identity again, and no trace is left")
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

    /// Was heard, has another address since, and is dialled.
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

    @Test("While an address that it had is tried, it is looked for, and dialled by its new one")
    mutating func changed() throws {
        var (bench, dial) = try dialWhoMoved(.rich)
        bench.drive()
        _ = try bench.link(of: dial)
        #expect(!bench.controller.isScanning)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A dial that tries and looks leaves nothing behind when it is taken back")
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

    @Test("Where scans stop dials, an old address is tried for a while, and then it is looked for")
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

    @Test("Heard under another address while it is dialled, it is dialled by that")
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

    @Test("Two wishes for it, by whatever address, are one too many")
    mutating func twice() throws {
        var absent = try peer()
        absent.presence = .absent
        var bench = bench(peers: [absent])
        _ = bench.dial(absent.address)
        let second = bench.dial(Self.identity)
        #expect(bench.error(second) == .alreadyConnecting)
    }

    @Test("A direct dial that looks in vain ends in time, and with its controller")
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

    @Test("A standing wish goes on looking after a reset")
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

    @Test("A wish that is taken back is not looked for any more")
    mutating func cancelled() throws {
        var bench = bench()
        let dial = bench.dial(Self.identity)
        bench.drive()
        bench.core.cancelDial(dial, now: bench.now)
        bench.drive()
        #expect(!bench.controller.isScanning && bench.core.nextDeadline == nil)
    }

    @Test("Once the bond is gone, it is nobody again")
    mutating func forgotten() throws {
        let peer = try peer()
        var bench = bench(peers: [peer])
        bench.core.removeBond(with: Self.identity, now: bench.now)
        _ = bench.scan()
        bench.drive()
        let sighting = try #require(bench.sightings.first?.sighting)
        #expect(sighting.address == peer.address && !sighting.isIdentityResolved)
    }
}
