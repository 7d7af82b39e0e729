// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualRadio

@Suite("A controller with a random host") struct FuzzTests {
    /// The number of packets that each seed sends.
    private static let packetCount = 25_000
    /// The number of packets between checks of the other hosts.
    private static let roundCount = 250

    /// Hosts 0 and 1 have a link. Host 2 sends random packets, and is connected to host 3 again
    /// whenever host 2 has no link.
    @Test(
        "The controller neither traps nor hangs, and other links are not affected",
        arguments: RunSeed.seeds(4)
    )
    func fuzz(seed: UInt64) throws {
        let harness = try LinkHarness(hosts: 4, seed: seed)
        let link = try harness.connect(0, 1)
        let central = try harness.handle(link, .central)
        let peripheral = try harness.handle(link, .peripheral)
        let host = RandomHost(harness.world, harness.hosts[2].id, seed: seed)
        for number in 0..<(Self.packetCount / Self.roundCount) {
            if harness.world.core.ether.linkCount(of: harness.hosts[2].radio) == 0 {
                try harness.connect(2, 3)
            }
            harness.hosts[0].send([[UInt8(truncatingIfNeeded: number)]], on: central)
            for _ in 0..<Self.roundCount { host.send() }
        }
        harness.world.run(for: .seconds(1))
        let received = harness.hosts[1].bytes(peripheral).count
        #expect(received == Self.packetCount / Self.roundCount, "seed \(seed)")
        #expect(harness[link] != nil, "seed \(seed)")
        #expect(
            host.answerCount > Self.packetCount / 2,
            "The controller answers most commands"
        )
        try expectAnswer(harness, seed)
    }

    /// Checks that the controller still answers, in any state that its host has caused.
    private func expectAnswer(_ harness: LinkHarness, _ seed: UInt64) throws {
        var answers: [[UInt8]] = []
        let id = harness.hosts[2].id
        let reset = HCI.EncodedCommand(HCI.Reset()).h4Packet
        // The first resets may be lost in an incomplete packet. This number of resets completes it.
        let enough = (HostStream.dataLengthLimit * 4 + 1_024) / reset.count
        harness.world.attach(id) { answers.append($0) }
        harness.world.send([0x00], to: id)
        for _ in 0..<enough { harness.world.send(reset, to: id) }
        harness.world.run(for: .milliseconds(1))
        #expect(answers.last == HCI.Event.completed(.reset, [0]).packet.h4Bytes, "seed \(seed)")
    }
}

/// A host that sends random packets, and checks that the answers are valid.
private final class RandomHost {
    private let world: World
    private let id: ControllerID
    private var fuzzer: PacketFuzzer
    private var hasLostFraming = false
    private(set) var answerCount = 0

    init(_ world: World, _ id: ControllerID, seed: UInt64) {
        self.world = world
        self.id = id
        fuzzer = PacketFuzzer(generator: SplitMix64(seed: seed))
        world.attach(id) { [unowned self] in receive($0) }
    }

    /// Sends one packet, and sometimes lets the world run.
    func send() {
        if hasLostFraming, fuzzer.chance(4) {
            hasLostFraming = false
            world.send(HCI.EncodedCommand(HCI.Reset()).h4Packet, to: id)
        } else {
            world.send(fuzzer.next(), to: id)
        }
        guard fuzzer.chance(4) else { return }
        world.run(for: .microseconds(Int64(fuzzer.generator.next() % 4_000)))
    }

    /// Checks that a packet from the controller is data, or an event that can be decoded.
    private func receive(_ bytes: [UInt8]) {
        switch try? HCI.Packet(h4: bytes[...]) {
        case .acl: break
        case .event(let code, let parameters):
            let event = try? HCI.Event(code: code, parameters: parameters)
            switch event {
            case .commandComplete, .commandStatus: answerCount += 1
            case nil: Issue.record("Malformed event: \(bytes)")
            default: hasLostFraming = hasLostFraming || event == HardwareErrorCode.framingLost.event
            }
        default: Issue.record("Neither event nor data: \(bytes)")
        }
    }
}
