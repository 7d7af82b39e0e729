// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHost

/// Applications that connect to peers, use them and disconnect for hours while faults occur. The
/// controller follows the specification, so that the states of both sides are comparable.
@Suite("Seeded faults")
struct SeededFaults {
    static let roundCount = 300

    @Test(
        "Every request ends once, every buffer is free, and both sides agree",
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
        #expect(world.bench.core.state == .ready)
        #expect(world.linkedPeers == world.modelLinkedPeers || world.hasGivenUpLink)
        #expect(world.bench.unfinished(world.finite).isEmpty)
        world.bench.core.shutDown(now: world.bench.now)
        world.bench.advance(by: .seconds(2))
        #expect(world.bench.unfinished(world.requests).isEmpty)
        #expect(world.bench.core.linkList.isEmpty)
        #expect(world.bench.core.nextDeadline == nil)
        #expect(world.bench.controller.violations.isEmpty)
    }
}

/// A harness, its pending requests, and the random generator.
private struct FaultyWorld {
    var bench: Bench
    private var generator: SplitMix64
    private let peers = (1...5).map { ModelPeer($0) }
    /// The requests that have to end once. Canceled requests are not included.
    private(set) var requests: Set<RequestIdentifier> = []
    /// The requests among them that end without further events.
    private(set) var finite: Set<RequestIdentifier> = []

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        let profiles = [ModelProfile.rich, .poor, .shared]
        bench = .ready(profiles[Int(seed) % profiles.count], peers: peers)
    }

    var linkedPeers: Set<DeviceAddress> { Set(bench.core.linkList.map(\.peer)) }
    var modelLinkedPeers: Set<DeviceAddress> { Set(bench.controller.links.values.map(\.peer)) }

    /// Whether the host gave up a link that the controller did not end.
    var hasGivenUpLink: Bool { bench.log.contains { $0.contains("counts as ended") } }

    private mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &generator) }

    // MARK: Actions

    mutating func act() {
        switch roll(10) {
        case 0...4: wish()
        case 5...6: disturbPeer()
        case 7: disturbController()
        default: break
        }
        bench.drive(atMost: roll(30))
        if generator.happens(oneIn: 3) { bench.advance(by: .milliseconds(roll(3000))) }
    }

    private mutating func wish() {
        let peer = peers[roll(peers.count)].address
        let link = bench.core.linkList.randomElement(using: &generator)?.identifier
        switch roll(6) {
        case 0: note(bench.dial(peer))
        case 1: note(bench.dial(peer, .whenAvailable), isFinite: false)
        case 2: note(bench.scan(), isFinite: false)
        case 3: cancelSomething()
        case 4:
            let wishes = Exploration.requests() + Procedure.all.map(\.request)
            if let link { note(bench.ask(wishes[roll(wishes.count)], of: link)) }
        default: if let link { note(bench.ask(.disconnect, of: link)) }
        }
    }

    private mutating func note(_ request: RequestIdentifier, isFinite: Bool = true) {
        requests.insert(request)
        if isFinite { finite.insert(request) }
    }

    private mutating func cancelSomething() {
        let pending = requests.filter { bench.isPending($0) }
            .sorted { $0.rawValue < $1.rawValue }
        guard let request = pending.randomElement(using: &generator) else { return }
        requests.remove(request)
        finite.remove(request)
        bench.core.cancelDial(request, now: bench.now)
        bench.core.stopScan(request, now: bench.now)
        for link in bench.core.linkList {
            bench.core.cancelRequest(request, of: link.identifier, now: bench.now)
        }
        bench.performActions()
    }

    private mutating func disturbPeer() {
        let address = peers[roll(peers.count)].address
        switch roll(6) {
        case 0: bench.controller.dropLink(to: address, .connectionTimeout)
        case 1: bench.controller.dropLink(to: address, .remoteUserTerminatedConnection)
        case 2: bench.controller.peers[address]?.isSilent.toggle()
        case 3: bench.controller.peers[address]?.presence = .neverJoins
        case 4: bench.controller.peers[address]?.presence = .absent
        default:
            bench.controller.peers[address]?.presence = .connectable
            bench.controller.meet()
            bench.controller.notify([1, 2, 3], from: address)
        }
    }

    private mutating func disturbController() {
        let opcodes = Procedure.all.map(\.opcode) + [.disconnect]
        let opcode = opcodes[roll(opcodes.count)]
        switch roll(9) {
        case 0: bench.controller.muteCommands = [opcode]
        case 1: bench.controller.refusals = [opcode: .controllerBusy]
        // Disconnect always ends, since the two sides cannot agree on a link that never ends.
        case 2: bench.controller.endlessCommands = [opcode == .disconnect ? .leSetPHY : opcode]
        case 3: bench.controller.badEnds = [opcode: .unsupportedRemoteFeature]
        case 4: bench.controller.keepsPackets.toggle()
        case 5: bench.controller.restart()
        case 6: bench.controller.send(.hardwareError(.init(code: 1)))
        case 7: if bench.isOpen { bench.loseTransport() }
        default: releaseEverything()
        }
    }

    private mutating func releaseEverything() {
        bench.controller.muteCommands = []
        bench.controller.refusals = [:]
        bench.controller.endlessCommands = []
        bench.controller.badEnds = [:]
        bench.controller.keepsPackets = false
        for handle in bench.controller.links.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            bench.controller.releasePackets(100, on: handle)
        }
    }

    /// Stops all faults, and advances the time for everything that is pending.
    mutating func calmDown() {
        releaseEverything()
        for peer in peers {
            bench.controller.peers[peer.address]?.isSilent = false
            bench.controller.peers[peer.address]?.presence = .connectable
        }
        bench.controller.meet()
        bench.advance(by: .seconds(100))
    }

    // MARK: Checks

    func check() {
        let core = bench.core
        let handles = core.links.cores.map(\.handle)
        #expect(Set(handles).count == handles.count)
        #expect(core.links.nextDeadline == core.links.cores.compactMap(\.nextDeadline).min())
        let outstanding = handles.map { core.context.transmitQueue.outstanding($0) }
        #expect(outstanding.allSatisfy { $0 >= 0 })
        #expect(outstanding.reduce(0, +) <= bench.controller.profile.aclPacketCount)
        #expect(bench.ends.values.allSatisfy { $0.count == 1 }, "a link that ended twice")
        #expect(bench.completions.values.allSatisfy { $0.count == 1 }, "a request that ended twice")
        #expect(bench.controller.violations.isEmpty)
    }
}
