// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// Applications that connect to peers, use them and disconnect while faults occur. Apart from these
/// faults, the controller follows the specification, so that the states of both sides are
/// comparable.
@Suite("Seeded faults")
struct SeededFaultsTests {
    static let roundCount = 300

    @Test(
        "Every request ends once, and both sides have the same links unless the host gave one up",
        arguments: RunSeed.seeds(64)
    )
    func cycles(seed: UInt64) throws {
        var world = FaultyWorld(seed: seed)
        for _ in 0..<Self.roundCount {
            world.act()
            world.check()
        }
        world.calmDown()
        world.check()
        #expect(world.harness.core.state == .ready)
        #expect(world.linkedPeers == world.modelLinkedPeers || world.hasGivenUpLink)
        #expect(world.harness.unfinished(world.finite).isEmpty)
        world.harness.core.shutDown(now: world.harness.now)
        world.harness.advance(by: .seconds(2))
        #expect(world.harness.unfinished(world.requests).isEmpty)
        #expect(world.harness.core.linkList.isEmpty)
        #expect(world.harness.core.nextDeadline == nil)
        #expect(world.harness.controller.violations.isEmpty)
    }
}

/// A harness, its pending requests, and the random generator.
private struct FaultyWorld {
    var harness: Harness
    private var generator: SplitMix64
    private let peers = (1...5).map { ModelPeer($0) }
    /// The requests that have to end once. Canceled requests are not included.
    private(set) var requests: Set<RequestIdentifier> = []
    /// The requests in `requests` that end without further events.
    private(set) var finite: Set<RequestIdentifier> = []

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let profiles = [ModelProfile.rich, .poor, .shared]
        harness = .ready(profiles[Int(seed) % profiles.count], peers: peers)
    }

    var linkedPeers: Set<DeviceAddress> { Set(harness.core.linkList.map(\.peer)) }
    var modelLinkedPeers: Set<DeviceAddress> { Set(harness.controller.links.values.map(\.peer)) }

    /// Whether the host abandoned a link that the controller did not end.
    var hasGivenUpLink: Bool { harness.log.contains { $0.contains("counts as ended") } }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &generator) }

    // MARK: Actions

    mutating func act() {
        switch roll(10) {
        case 0...4: request()
        case 5...6: disturbPeer()
        case 7: disturbController()
        default: break
        }
        harness.drive(atMost: roll(30))
        if generator.happens(oneIn: 3) { harness.advance(by: .milliseconds(roll(3000))) }
    }

    private mutating func request() {
        let peer = peers[roll(peers.count)].address
        let link = harness.core.linkList.randomElement(using: &generator)?.identifier
        switch roll(6) {
        case 0: note(harness.requestConnection(peer))
        case 1: note(harness.requestConnection(peer, .whenAvailable), isFinite: false)
        case 2: note(harness.scan(), isFinite: false)
        case 3: cancelSomething()
        case 4:
            let requests = Exploration.requests() + Procedure.all.map(\.request)
            if let link { note(harness.ask(requests[roll(requests.count)], of: link)) }
        default: if let link { note(harness.ask(.disconnect, of: link)) }
        }
    }

    private mutating func note(_ request: RequestIdentifier, isFinite: Bool = true) {
        requests.insert(request)
        if isFinite { finite.insert(request) }
    }

    private mutating func cancelSomething() {
        let pending = requests.filter { harness.isPending($0) }
            .sorted { $0.rawValue < $1.rawValue }
        guard let request = pending.randomElement(using: &generator) else { return }
        requests.remove(request)
        finite.remove(request)
        harness.core.cancelConnectionRequest(request, now: harness.now)
        harness.core.stopScan(request, now: harness.now)
        for link in harness.core.linkList {
            harness.core.cancelRequest(request, of: link.identifier, now: harness.now)
        }
        harness.performActions()
    }

    private mutating func disturbPeer() {
        let address = peers[roll(peers.count)].address
        switch roll(6) {
        case 0: harness.controller.dropLink(to: address, .connectionTimeout)
        case 1: harness.controller.dropLink(to: address, .remoteUserTerminatedConnection)
        case 2: harness.controller.peers[address]?.isSilent.toggle()
        case 3: harness.controller.peers[address]?.presence = .neverEstablished
        case 4: harness.controller.peers[address]?.presence = .absent
        default:
            harness.controller.peers[address]?.presence = .connectable
            harness.controller.connectIfPossible()
            harness.controller.notify([1, 2, 3], from: address)
        }
    }

    private mutating func disturbController() {
        let opcodes = Procedure.all.map(\.opcode) + [.disconnect]
        let opcode = opcodes[roll(opcodes.count)]
        switch roll(9) {
        case 0: harness.controller.muteCommands = [opcode]
        case 1: harness.controller.refusals = [opcode: .controllerBusy]
        // Disconnect is never endless, since the two sides cannot agree on a link that never ends.
        case 2: harness.controller.endlessCommands = [opcode == .disconnect ? .leSetPHY : opcode]
        case 3: harness.controller.badEnds = [opcode: .unsupportedRemoteFeature]
        case 4: harness.controller.keepsPackets.toggle()
        case 5: harness.controller.restart()
        case 6: harness.controller.send(.hardwareError(.init(code: 1)))
        case 7: if harness.isOpen { harness.loseTransport() }
        default: releaseEverything()
        }
    }

    private mutating func releaseEverything() {
        harness.controller.muteCommands = []
        harness.controller.refusals = [:]
        harness.controller.endlessCommands = []
        harness.controller.badEnds = [:]
        harness.controller.keepsPackets = false
        for handle in harness.controller.links.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            harness.controller.releasePackets(100, on: handle)
        }
    }

    /// Stops all faults, and advances the time for everything that is pending.
    mutating func calmDown() {
        releaseEverything()
        for peer in peers {
            harness.controller.peers[peer.address]?.isSilent = false
            harness.controller.peers[peer.address]?.presence = .connectable
        }
        harness.controller.connectIfPossible()
        harness.advance(by: .seconds(100))
    }

    // MARK: Checks

    func check() {
        let core = harness.core
        let handles = core.links.cores.map(\.handle)
        #expect(Set(handles).count == handles.count)
        let deadlines = core.links.cores.compactMap { link in
            var link = link
            return link.readNextDeadline()
        }
        #expect(core.links.nextDeadline == deadlines.min())
        #expect(core.schedulerDeadline == core.scheduler.nextDeadline)
        #expect(core.advertiserDeadline == core.advertiser.nextDeadline)
        #expect(core.context.commandDeadline == core.context.commands.nextDeadline)
        #expect(core.links.cores.allSatisfy { $0.hasBond == ($0.bond != nil) })
        let outstanding = handles.map { core.context.transmitQueue.outstanding($0) }
        #expect(outstanding.allSatisfy { $0 >= 0 })
        #expect(outstanding.reduce(0, +) <= harness.controller.profile.aclPacketCount)
        #expect(harness.ends.values.allSatisfy { $0.count == 1 }, "Every link ends once")
        #expect(
            harness.completions.values.allSatisfy { $0.count == 1 },
            "Every request ends once"
        )
        #expect(harness.controller.violations.isEmpty)
    }
}
