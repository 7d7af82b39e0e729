// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Long links")
struct LongLinkTests {
    /// A change that takes effect at an instant.
    enum Change: CaseIterable {
        case parameters, phys, channels
    }

    @Test(
        "A change takes effect at its instant even if the event counter wraps before it",
        arguments: Change.allCases,
        [0, 0.2]
    )
    func wrap(change: Change, loss: Double) throws {
        for start in UInt16(65_524)...65_535 {
            let harness = try LinkHarness(seed: UInt64(start)) {
                $0.faults.loss.constantLoss = loss
            }
            let link = try harness.connect(0, 1, .milliseconds(7.5, timeout: .seconds(10)))
            harness.world.run(for: .milliseconds(200))
            harness[link]?.eventCounter = start
            let handle = try harness.handle(link, .central)
            harness.hosts[0].send((0..<20).map { [$0] }, on: handle)
            make(change, harness.hosts[0], handle)
            harness.world.run(for: .seconds(5))
            let ends = try #require(harness[link], "\(start)")
            #expect(ends.eventCounter < 1_000)
            #expect(ends.central?.procedures.updates.isEmpty == true)
            #expect(ends.central?.procedures.own == nil)
            for side in LinkSide.allCases {
                #expect(try #require(ends[side]).hasChanged(change), "\(start) \(side)")
            }
            #expect(
                harness.hosts[1].bytes(try harness.handle(link, .peripheral)) == [UInt8](0..<20)
            )
            #expect(harness.hosts.allSatisfy { $0.disconnection == nil })
        }
    }

    private func make(_ change: Change, _ host: StreamingHost, _ handle: ConnectionHandle) {
        switch change {
        case .parameters:
            let interval = HCI.ConnectionInterval(.milliseconds(15))
            let parameters = HCI.ConnectionParameters(
                intervalMinimum: interval,
                intervalMaximum: interval,
                supervisionTimeout: HCI.Timeout(.seconds(6))
            )
            host.command(
                HCI.LEConnectionUpdate(connectionHandle: handle, parameters: parameters)
            )
        case .phys:
            let preference = HCI.PHYPreference(transmit: .le2M, receive: .le2M)
            host.command(HCI.LESetPHY(connectionHandle: handle, preference: preference))
        case .channels:
            host.command(
                HCI.LESetHostChannelClassification(channels: HCI.ChannelMap(rawValue: 0xFF))
            )
        }
    }

    @Test("A link of ten minutes wraps its event counter and uses limited memory")
    func tenMinutes() throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(7.5))
        let handle = try harness.handle(link, .central)
        for minute in UInt8(0)..<10 {
            harness.hosts[0].send([[minute]], on: handle)
            harness.world.run(for: .seconds(60))
            #expect(harness.world.core.timeline.eventCount <= 4)
            let air = harness.world.core.ether.air
            #expect(
                (0..<RadioChannel.count).allSatisfy { index in
                    RadioChannel(index).map { air.transmissionCount(on: $0) < 16 } ?? false
                }
            )
        }
        #expect(harness[link]?.eventCounter == UInt16(truncatingIfNeeded: 80_000))
        #expect(harness.hosts[1].bytes(try harness.handle(link, .peripheral)) == [UInt8](0..<10))
    }
}

extension LinkEnd {
    fileprivate func hasChanged(_ change: LongLinkTests.Change) -> Bool {
        switch change {
        case .parameters: settings.parameters.interval == .milliseconds(15)
        case .phys: settings.sending == .le2M && settings.receiving == .le2M
        case .channels: settings.channelMap.rawValue == 0xFF
        }
    }
}
