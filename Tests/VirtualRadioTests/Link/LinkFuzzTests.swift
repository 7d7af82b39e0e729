// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualRadio

@Suite("Hosts with random requests")
struct LinkFuzzTests {
    @Test("Links violate no rule and release their resources", arguments: RunSeed.seeds(12))
    func fuzz(seed: UInt64) throws {
        let run = try RandomLinkRun(seed: seed)
        for _ in 0..<600 { try run.performStep() }
        run.endLinks()
        let harness = run.harness
        #expect(harness.world.violations.isEmpty, "seed \(seed): \(harness.world.violations)")
        #expect(harness.world.core.ether.links.count == 0, "seed \(seed)")
        #expect(harness.world.nextInstant == nil, "seed \(seed)")
        for resources in harness.world.core.ether.links.resources {
            #expect(resources.heldPackets == 0, "seed \(seed)")
            #expect(resources.linkCount == 0, "seed \(seed)")
        }
    }

    @Test("The same seed leads to the same packets") func deterministic() throws {
        let runs = try (0..<2).map { _ in
            let run = try RandomLinkRun(seed: 99)
            var log: [String] = []
            run.harness.world.observe { log.append("\($0)") }
            for _ in 0..<300 { try run.performStep() }
            return log
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].count > 500)
    }
}

/// Three hosts that make links to each other, with random requests.
private final class RandomLinkRun {
    let harness: LinkHarness
    private var generator: SplitMix64

    init(seed: UInt64) throws {
        generator = SplitMix64(seed: seed)
        harness = try LinkHarness(hosts: 0, seed: seed)
        harness.world.watchInvariants()
        for _ in 0..<3 { try harness.addHost { $0.faults.loss.constantLoss = 0.1 } }
        for host in harness.hosts { begin(host) }
    }

    private func begin(_ host: StreamingHost) {
        host.command(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
        host.command(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: .max >> 1)))
        host.command(HCI.LEReadBufferSize())
    }

    func performStep() throws {
        let host = harness.hosts[Int.random(in: harness.hosts.indices, using: &generator)]
        let handles = host.openHandles
        if let handle = handles.randomElement(using: &generator), !chance(12) {
            ask(host, handle)
        } else if chance(8) {
            host.command(HCI.Reset())
            host.forgetLinks()
            begin(host)
        } else {
            try connect(host)
        }
        if chance(2) { harness.world.run(for: .microseconds(Int64(generator.next() % 60_000))) }
    }

    /// Brings all hosts back into range, and has them disconnect their links.
    func endLinks() {
        for host in harness.hosts { setLoss(nil, host) }
        // The answers also deliver the events of the last links.
        for host in harness.hosts { host.command(HCI.LEReadBufferSize()) }
        for host in harness.hosts {
            for handle in host.openHandles {
                host.command(HCI.Disconnect(connectionHandle: handle))
            }
        }
        harness.world.run(for: .seconds(120))
        harness.world.finishWatching()
    }

    private func connect(_ host: StreamingHost) throws {
        guard let central = harness.hosts.firstIndex(where: { $0 === host }) else { return }
        let peripheral = (central + Int.random(in: 1...2, using: &generator)) % 3
        let pace = LinkParameters.milliseconds(
            [7.5, 30, 100][Int.random(in: 0..<3, using: &generator)],
            latency: Int.random(in: 0...4, using: &generator),
            timeout: .seconds(2)
        )
        let link = try harness.propose(central, peripheral, pace)
        let (joins, opens) = (!chance(8), !chance(8))
        if joins { harness.join(link, peripheral, peer: central) }
        if opens { harness.open(link, peer: peripheral) }
        if !joins, !opens { harness.world.core.ether.abandonLink(link) }
    }

    private func ask(_ host: StreamingHost, _ handle: ConnectionHandle) {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: host.command(HCI.Disconnect(connectionHandle: handle))
        case 1: host.command(HCI.ReadRemoteVersionInformation(connectionHandle: handle))
        case 2: host.command(HCI.LEReadRemoteFeatures(connectionHandle: handle))
        case 3, 4:
            host.command(
                HCI.LEConnectionUpdate(connectionHandle: handle, parameters: parameters)
            )
        case 5:
            host.command(
                HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: handle,
                    parameters: parameters
                )
            )
        case 6:
            host.command(
                HCI.LERemoteConnectionParameterRequestNegativeReply(
                    connectionHandle: handle,
                    reason: .unacceptableConnectionParameters
                )
            )
        case 7:
            host.command(
                HCI.LESetDataLength(
                    connectionHandle: handle,
                    transmitBytes: .random(in: 27...251, using: &generator),
                    transmitTime: HCI.AirTime(.microseconds(2_120))
                )
            )
        case 8:
            let sets: [HCI.PHYSet] = [.le1M, .le2M, .coded, [.le1M, .le2M]]
            let preference = HCI.PHYPreference(
                transmit: sets.randomElement(using: &generator),
                receive: sets.randomElement(using: &generator)
            )
            host.command(HCI.LESetPHY(connectionHandle: handle, preference: preference))
        case 9:
            host.command(
                HCI.LESetHostChannelClassification(
                    channels: HCI.ChannelMap(
                        rawValue: generator.next() % HCI.ChannelMap.all.rawValue
                    )
                )
            )
        case 10, 11: encrypt(host, handle)
        case 12:
            host.command(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle))
        case 13: setLoss(chance(3) ? 200 : nil, host)
        default:
            let length = Int.random(in: 0..<240, using: &generator)
            let frame: [UInt8] = [UInt8(length), 0, 0x40, 0] + [UInt8](repeating: 7, count: length)
            host.send([frame], on: handle)
        }
    }

    private func encrypt(_ host: StreamingHost, _ handle: ConnectionHandle) {
        guard let key = HCI.Key128([UInt8](repeating: chance(20) ? 1 : 0, count: 16)) else {
            return
        }
        host.command(
            HCI.LEEnableEncryption(
                connectionHandle: handle,
                random: 0,
                encryptedDiversifier: 0,
                longTermKey: key
            )
        )
        host.command(HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: key))
    }

    private var parameters: HCI.ConnectionParameters {
        let paces: [UInt16] = [6, 24, 80]
        let interval = HCI.ConnectionInterval(rawValue: paces.randomElement(using: &generator) ?? 6)
        return HCI.ConnectionParameters(
            intervalMinimum: interval,
            intervalMaximum: interval,
            peripheralLatency: .random(in: 0...3, using: &generator),
            supervisionTimeout: HCI.Timeout(.milliseconds(1_000))
        )
    }

    private func setLoss(_ decibels: Double?, _ host: StreamingHost) {
        for other in harness.hosts where other !== host {
            harness.world.core.ether.environment
                .setLoss(decibels, between: host.radio, and: other.radio)
        }
    }

    private func chance(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &generator) == 0 }
}

extension StreamingHost {
    /// The links of the host, in the order in which they were made.
    fileprivate var openHandles: [ConnectionHandle] {
        events.reduce(into: []) { open, entry in
            switch entry.event {
            case .connectionComplete(let event) where event.status == .success:
                open.append(event.connectionHandle)
            case .enhancedConnectionComplete(let event) where event.status == .success:
                open.append(event.connectionHandle)
            case .enhancedConnectionCompleteV2(let event) where event.connection.status == .success:
                open.append(event.connection.connectionHandle)
            case .disconnectionComplete(let event):
                open.removeAll { $0 == event.connectionHandle }
            default: break
            }
        }
    }
}
