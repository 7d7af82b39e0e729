// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualRadio

@Suite("Links that change while data flows")
struct LinkChangeTests {
    /// Two linked hosts that send numbered packets to each other, with possible losses.
    private struct Traffic {
        let harness: LinkHarness
        let link: LinkID
        let handles: [ConnectionHandle]
        private let sent = (0..<400).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] + [UInt8](0..<60) }

        init(loss: Double, seed: UInt64) throws {
            harness = try LinkHarness(seed: seed)
            for host in harness.hosts {
                host.command(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: .max >> 1)))
            }
            link = try harness.connect(0, 1, .milliseconds(15, timeout: .seconds(20)))
            harness.world.run(for: .seconds(1))
            harness.lose(loss)
            handles = [try harness.handle(link, .central), try harness.handle(link, .peripheral)]
            for (host, handle) in zip(harness.hosts, handles) { host.send(sent, on: handle) }
            harness.world.run(for: .milliseconds(100))
        }

        /// Runs the world, and checks that all packets have arrived.
        func finish() {
            harness.world.run(for: .seconds(90))
            let bytes = sent.flatMap { $0 }
            #expect(harness.hosts[0].bytes(handles[0]) == bytes)
            #expect(harness.hosts[1].bytes(handles[1]) == bytes)
            #expect(harness.hosts.allSatisfy { $0.disconnection == nil })
        }
    }

    private static let losses = [0, 0.2]

    @Test("Data arrives across a change of the interval", arguments: losses, RunSeed.seeds(4))
    func interval(loss: Double, seed: UInt64) throws {
        let traffic = try Traffic(loss: loss, seed: seed)
        let proposal = HCI.ConnectionParameters(
            intervalMinimum: HCI.ConnectionInterval(.milliseconds(30)),
            intervalMaximum: HCI.ConnectionInterval(.milliseconds(30)),
            supervisionTimeout: HCI.Timeout(.seconds(10))
        )
        traffic.harness.hosts[0].command(
            HCI.LEConnectionUpdate(connectionHandle: traffic.handles[0], parameters: proposal)
        )
        traffic.finish()
        for side in LinkSide.allCases {
            let settings = traffic.harness[traffic.link]?[side]?.settings
            #expect(settings?.parameters.interval == .milliseconds(30))
            #expect(settings?.parameters.supervisionTimeout == .seconds(10))
        }
    }

    @Test("Data arrives across a change of the PHY", arguments: losses, RunSeed.seeds(4))
    func modulation(loss: Double, seed: UInt64) throws {
        let traffic = try Traffic(loss: loss, seed: seed)
        traffic.harness.hosts[1].command(
            HCI.LESetPHY(
                connectionHandle: traffic.handles[1],
                preference: HCI.PHYPreference(transmit: .le2M, receive: .le2M)
            )
        )
        traffic.finish()
        for side in LinkSide.allCases {
            #expect(traffic.harness[traffic.link]?[side]?.settings.sending == .le2M)
        }
    }

    @Test("Data arrives across a change of the packet length", arguments: losses, RunSeed.seeds(4))
    func dataLength(loss: Double, seed: UInt64) throws {
        let traffic = try Traffic(loss: loss, seed: seed)
        for (host, handle) in zip(traffic.harness.hosts, traffic.handles) {
            host.command(
                HCI.LESetDataLength(
                    connectionHandle: handle,
                    transmitBytes: 251,
                    transmitTime: HCI.AirTime(.microseconds(2_120))
                )
            )
        }
        traffic.harness.world.run(for: .seconds(3))
        traffic.finish()
        let packets = traffic.harness.hosts[0].received[traffic.handles[0]] ?? []
        #expect(packets.last?.payload.count == 62)
    }

    @Test(
        "Data arrives across encryption and a change of the key",
        arguments: losses,
        RunSeed.seeds(4)
    )
    func encryption(loss: Double, seed: UInt64) throws {
        let traffic = try Traffic(loss: loss, seed: seed)
        let harness = traffic.harness
        for value in UInt8(1)...2 {
            let key = try #require(HCI.Key128([UInt8](repeating: value, count: 16)))
            harness.hosts[0].command(
                HCI.LEEnableEncryption(
                    connectionHandle: traffic.handles[0],
                    random: 0,
                    encryptedDiversifier: 0,
                    longTermKey: key
                )
            )
            harness.world.run(
                until: { harness.hosts[1].keyRequestCount == Int(value) },
                bound: .seconds(10)
            )
            harness.hosts[1].command(
                HCI.LELongTermKeyRequestReply(
                    connectionHandle: traffic.handles[1],
                    longTermKey: key
                )
            )
            harness.world.run(for: .seconds(2))
            let central = try #require(harness[traffic.link]?.central)
            #expect(central.sendingKey != nil)
            #expect(central.sendingKey == harness[traffic.link]?.peripheral?.receivingKey)
            #expect(central.receivingKey == harness[traffic.link]?.peripheral?.sendingKey)
        }
        traffic.finish()
    }

    @Test(
        "LL/CON/CEN/BV-08-C, LL/CON/PER/BV-11-C: Termination is reported with its reason",
        arguments: LinkSide.allCases,
        losses
    )
    func termination(side: LinkSide, loss: Double) throws {
        let traffic = try Traffic(loss: loss, seed: 3)
        let harness = traffic.harness
        let (own, peer) = side == .central ? (0, 1) : (1, 0)
        let before = harness.world.now
        harness.hosts[own].command(
            HCI.Disconnect(
                connectionHandle: traffic.handles[own],
                reason: .remoteDevicePowerOff
            )
        )
        harness.world.run(for: .seconds(2))
        #expect(harness.hosts[own].disconnection?.reason == .connectionTerminatedByLocalHost)
        let reported = try #require(harness.hosts[peer].disconnection)
        #expect(reported.reason == .remoteDevicePowerOff)
        // The waiting data is sent first.
        #expect(reported.instant - before < (loss == 0 ? .milliseconds(200) : .seconds(1)))
        #expect(harness.world.core.ether.links.count == 0)
        #expect(harness.world.core.ether.links.resources.allSatisfy { $0.heldPackets == 0 })
        #expect(harness.world.nextInstant == nil)
    }
}

extension StreamingHost {
    /// The number of times that the controller has requested a Long Term Key.
    fileprivate var keyRequestCount: Int {
        events.count { entry in
            guard case .longTermKeyRequest = entry.event else { return false }
            return true
        }
    }
}
