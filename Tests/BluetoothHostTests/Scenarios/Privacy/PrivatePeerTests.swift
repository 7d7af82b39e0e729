// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// A bonded peer with private addresses. The controller has no resolving list, or does not resolve
/// addresses with it.
@Suite("A peer with private addresses")
struct PrivatePeerTests {
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

    private func harness(_ profile: ModelProfile = .rich, peers: [ModelPeer] = []) -> Harness {
        Harness.ready(profile, peers: peers) { configuration in
            var bond = Bond(peer: Self.identity, longTermKey: key)
            bond.resolvingKey = key
            configuration.bonds = [bond]
        }
    }

    /// Replaces the peers in range with this peer.
    private func move(_ peer: ModelPeer, into harness: inout Harness) {
        harness.controller.peers = [peer.address: peer]
    }

    @Test("The peer is reported with its identity and its current address")
    mutating func entry() throws {
        let peer = try peer()
        var harness = harness(peers: [peer])
        let scan = harness.scan(reportsDuplicates: true)
        harness.drive()
        let entry = try #require(harness.advertisements.first { $0.scan == scan }?.entry)
        #expect(entry.address == Self.identity && entry.isIdentityResolved)
        #expect(entry.privateAddress == peer.address)
    }

    @Test("An advertisement of the peer from a new address counts as a duplicate")
    mutating func repeated() throws {
        var harness = harness(peers: [try peer()])
        _ = harness.scan()
        harness.drive()
        move(try peer(), into: &harness)
        harness.controller.advertise()
        harness.drive()
        #expect(harness.advertisements.count == 1)
    }

    @Test("The host scans for the peer and connects to the discovered address")
    mutating func searching() throws {
        let peer = try peer()
        var harness = harness()
        let pending = harness.requestConnection(Self.identity)
        harness.drive()
        #expect(harness.isPending(pending) && harness.controller.isScanning)
        #expect(harness.controller.initiation == nil)
        move(peer, into: &harness)
        harness.controller.advertise()
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(harness.core.linkList.map(\.peer) == [Self.identity])
        #expect(!harness.controller.isScanning)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The host connects at once to a peer that was just discovered")
    mutating func fresh() throws {
        var harness = harness(peers: [try peer()])
        let scan = harness.scan()
        harness.drive()
        harness.core.stopScan(scan, now: harness.now)
        harness.drive()
        let pending = harness.requestConnection(Self.identity)
        #expect(!harness.controller.isScanning)
        harness.drive()
        _ = try harness.link(of: pending)
    }

    @Test("The host connects to the current address of a peer that the controller fails to resolve")
    mutating func unresolved() throws {
        var harness = harness(.pretending)
        #expect(harness.core.addresses.resolves(Self.identity))
        let pending = harness.requestConnection(Self.identity)
        harness.drive()
        #expect(harness.controller.initiation?.target == Self.identity)
        move(try peer(), into: &harness)
        let scan = harness.scan()
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(
            harness.core.addresses.resolves(Self.identity),
            "The host still uses the resolving list"
        )
        harness.core.stopScan(scan, now: harness.now)
        harness.drive()
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("An address from the application does not count as discovered")
    mutating func remembered() throws {
        let address = try peer().address
        var harness = harness(.pretending)
        _ = harness.requestConnection(address)
        harness.drive()
        #expect(harness.controller.initiation?.target == Self.identity)
    }

    @Test("If the peer does not answer at its current address, the host connects to its identity")
    mutating func recognizedAgain() throws {
        var harness = harness(.pretending, peers: [try peer()])
        let scan = harness.scan()
        harness.drive()
        harness.core.stopScan(scan, now: harness.now)
        var absent = try peer()
        absent.presence = .absent
        move(absent, into: &harness)
        _ = harness.requestConnection(Self.identity)
        harness.drive()
        #expect(harness.controller.initiation?.target != Self.identity)
        harness.advance(by: HostCore.trialLimit)
        #expect(harness.controller.initiation?.target == Self.identity)
        #expect(!harness.controller.isScanning)
        #expect(harness.controller.violations.isEmpty)
    }

    /// Discovers a peer, changes its address, and requests a connection.
    private mutating func requestMovedPeer(
        _ profile: ModelProfile
    ) throws -> (Harness, RequestIdentifier) {
        var harness = harness(profile, peers: [try peer()])
        let scan = harness.scan()
        harness.drive()
        harness.core.stopScan(scan, now: harness.now)
        harness.drive()
        move(try peer(), into: &harness)
        let pending = harness.requestConnection(Self.identity)
        return (harness, pending)
    }

    @Test("While the host tries an old address, it scans, and then connects to the new address")
    mutating func changed() throws {
        var (harness, pending) = try requestMovedPeer(.rich)
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(!harness.controller.isScanning)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Canceling a request stops both its connection attempt and its scan")
    mutating func cancelledTrial() throws {
        var absent = try peer()
        absent.presence = .absent
        var harness = harness(peers: [absent])
        let pending = harness.requestConnection(absent.address)
        harness.drive()
        #expect(harness.controller.initiation != nil && harness.controller.isScanning)
        harness.core.cancelConnectionRequest(pending, now: harness.now)
        harness.drive()
        #expect(harness.controller.initiation == nil && !harness.controller.isScanning)
        #expect(harness.core.nextDeadline == nil && harness.controller.violations.isEmpty)
    }

    @Test("If scanning excludes initiating, the host tries the old address before it scans")
    mutating func changedWithoutOverlap() throws {
        var profile = ModelProfile.rich
        profile.states = [.passiveScanning]
        var (harness, pending) = try requestMovedPeer(profile)
        harness.advance(by: HostCore.trialLimit - .milliseconds(1))
        #expect(harness.isPending(pending) && harness.controller.initiation != nil)
        #expect(!harness.controller.isScanning)
        harness.advance(by: .milliseconds(1))
        harness.controller.advertise()
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The host connects to a new address that it discovers while it tries the old address")
    mutating func changedWhileScanning() throws {
        var first = try peer()
        first.presence = .absent
        var harness = harness(peers: [first])
        _ = harness.scan(reportsDuplicates: true)
        let pending = harness.requestConnection(first.address)
        harness.drive()
        #expect(harness.controller.initiation != nil)
        move(try peer(), into: &harness)
        harness.controller.advertise()
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A second request for the peer by any of its addresses is refused")
    mutating func twice() throws {
        var absent = try peer()
        absent.presence = .absent
        var harness = harness(peers: [absent])
        _ = harness.requestConnection(absent.address)
        let second = harness.requestConnection(Self.identity)
        #expect(harness.error(second) == .alreadyConnecting)
    }

    @Test("A direct request to an absent peer times out, and fails if the controller restarts")
    mutating func vain() throws {
        var harness = harness()
        let first = harness.requestConnection(Self.identity)
        harness.advance(by: .seconds(10))
        #expect(harness.error(first) == .timedOut)
        #expect(!harness.controller.isScanning && harness.core.nextDeadline == nil)
        let second = harness.requestConnection(Self.identity)
        harness.drive()
        harness.controller.restart()
        harness.drive()
        #expect(harness.error(second) != nil)
        #expect(!harness.controller.isScanning)
    }

    @Test("A pending connection resumes scanning after the controller restarts")
    mutating func pending() throws {
        var harness = harness()
        let pending = harness.requestConnection(Self.identity, .whenAvailable)
        harness.drive()
        harness.controller.restart()
        harness.drive()
        #expect(harness.isPending(pending) && harness.controller.isScanning)
        move(try peer(), into: &harness)
        harness.controller.advertise()
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A canceled request stops scanning")
    mutating func cancelled() throws {
        var harness = harness()
        let pending = harness.requestConnection(Self.identity)
        harness.drive()
        harness.core.cancelConnectionRequest(pending, now: harness.now)
        harness.drive()
        #expect(!harness.controller.isScanning && harness.core.nextDeadline == nil)
    }

    /// Returns a host, and a peer that was paired with a fixed address that is not its identity
    /// address.
    private func dualHarness(_ profile: ModelProfile) throws -> (Harness, ModelPeer) {
        let address = DeviceAddress(value: 0xF2B0_0000_0001, kind: .random)
        var peer = ModelPeer(1, name: "Lamp", address: address)
        peer.key = key
        var harness = harness(profile)
        let identifier = harness.core.context.peerCipher.identifier(of: address)
        harness.core.context.bonds[0].identifier = identifier
        harness.core.bondsChanged(now: harness.now)
        harness.drive()
        return (harness, peer)
    }

    @Test(
        "The host connects to the fixed address with which the peer was paired",
        arguments: [ModelProfile.rich, .pretending]
    )
    func otherFixedAddress(profile: ModelProfile) throws {
        var (harness, peer) = try dualHarness(profile)
        let pending = harness.requestConnection(Self.identity)
        harness.drive()
        #expect(harness.isPending(pending) && harness.controller.isScanning)
        move(peer, into: &harness)
        harness.controller.advertise()
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(harness.core.linkList.map(\.peer) == [Self.identity])
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "A peer that uses the fixed address with which it was paired has its bond",
        arguments: [ModelProfile.rich, .pretending]
    )
    func otherFixedAddressRequested(profile: ModelProfile) throws {
        var (harness, peer) = try dualHarness(profile)
        move(peer, into: &harness)
        let scan = harness.scan()
        harness.drive()
        let entry = try #require(harness.advertisements.first?.entry)
        #expect(entry.address == Self.identity && entry.isIdentityResolved)
        harness.core.stopScan(scan, now: harness.now)
        harness.drive()
        let pending = harness.requestConnection(peer.address)
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(harness.core.linkList.map(\.peer) == [Self.identity])
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A peer that was paired with another fixed address connects with private addresses too")
    mutating func otherFixedAddressUnused() throws {
        let peer = try peer()
        var (harness, _) = try dualHarness(.rich)
        let pending = harness.requestConnection(Self.identity)
        harness.drive()
        move(peer, into: &harness)
        harness.controller.advertise()
        harness.drive()
        _ = try harness.link(of: pending)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The host does not resolve the peer's address after the bond is removed")
    mutating func forgotten() throws {
        let peer = try peer()
        var harness = harness(peers: [peer])
        harness.core.dropBond(of: Self.identity, now: harness.now)
        _ = harness.scan()
        harness.drive()
        let entry = try #require(harness.advertisements.first?.entry)
        #expect(entry.address == peer.address && !entry.isIdentityResolved)
    }
}
