// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Throughput of a link")
struct ThroughputTests {
    /// A cell of the table of limits.
    struct Limit: CustomTestStringConvertible, Sendable {
        let modulation: Modulation
        let isEncrypted: Bool
        let milliseconds: Double
        /// The number of notifications of 244 bytes that fit into a connection event.
        let count: Int

        init(
            _ modulation: Modulation,
            encrypted: Bool = false,
            _ milliseconds: Double,
            _ count: Int
        ) {
            self.modulation = modulation
            isEncrypted = encrypted
            self.milliseconds = milliseconds
            self.count = count
        }

        var testDescription: String {
            "\(modulation)\(isEncrypted ? " encrypted" : "") at \(milliseconds) ms: \(count)"
        }

        static let table = [
            Limit(.le1M, 7.5, 3), Limit(.le1M, encrypted: true, 7.5, 3),
            Limit(.le2M, 7.5, 5), Limit(.le2M, encrypted: true, 7.5, 5),
            Limit(.le1M, 15, 6), Limit(.le1M, encrypted: true, 15, 6),
            Limit(.le2M, 15, 10), Limit(.le2M, encrypted: true, 15, 10),
            Limit(.le1M, 30, 12), Limit(.le1M, encrypted: true, 30, 12),
            Limit(.le2M, 30, 21), Limit(.le2M, encrypted: true, 30, 21),
            Limit(.le1M, 50, 20), Limit(.le1M, encrypted: true, 50, 20),
            Limit(.le2M, 50, 35), Limit(.le2M, encrypted: true, 50, 35),
            Limit(.codedS2, 50, 9), Limit(.codedS8, 50, 2),
        ]
    }

    @Test("Notifications fill the connection events", arguments: Limit.table, LinkSide.allCases)
    func saturated(limit: Limit, side: LinkSide) throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(limit.milliseconds))
        harness.tune(link, limit.modulation, encrypted: limit.isEncrypted)
        let sender = harness.hosts[side == .central ? 0 : 1]
        let receiver = harness.hosts[side == .central ? 1 : 0]
        sender.stream([UInt8](repeating: 7, count: 251), on: try harness.handle(link, side))

        let interval = Duration.microseconds(Int64(limit.milliseconds * 1_000))
        harness.world.run(for: interval * 10)
        receiver.forget()
        harness.world.run(for: interval * 100)

        let count = receiver.received[try harness.handle(link, side.other)]?.count ?? 0
        let share = Double(count) / Double(limit.count * 100)
        #expect((0.97...1.0).contains(share), "\(count) of \(limit.count * 100)")
    }

    @Test("Data in both directions shares the exchanges", arguments: [Modulation.le1M, .le2M])
    func bothSides(modulation: Modulation) throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(50))
        harness.tune(link, modulation)
        let payload = [UInt8](repeating: 7, count: 251)
        for (host, side) in zip(harness.hosts, LinkSide.allCases) {
            host.stream(payload, on: try harness.handle(link, side))
        }
        harness.world.run(for: .seconds(5))

        let packet = DataPDU(payloadLength: 251).airTime(modulation) + FrameSpace.betweenFrames
        let count = Int(Duration.milliseconds(50) / (packet * 2))
        for (host, side) in zip(harness.hosts, LinkSide.allCases) {
            let received = host.received[try harness.handle(link, side)]?.count ?? 0
            #expect((0.97...1.0).contains(Double(received) / Double(count * 100)))
        }
    }

    @Test("Without longer packets, a notification takes ten exchanges")
    func shortPackets() throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(7.5))
        harness.hosts[1].stream(
            [UInt8](repeating: 7, count: 247),
            on: try harness.handle(link, .peripheral)
        )
        harness.world.run(for: .milliseconds(75))
        harness.hosts[0].forget()
        harness.world.run(for: .seconds(3))

        // At most 11 packets of 27 bytes fit in 7.5 ms. The tenth packet of each frame is short.
        let packets = harness.hosts[0].received[try harness.handle(link, .central)] ?? []
        let rate = Double(packets.reduce(0) { $0 + $1.payload.count }) * 8 / 3_000
        #expect((0.97 * 278...1.0 * 317).contains(rate), "\(rate) kbit/s")
        #expect(packets.allSatisfy { $0.payload.count <= 27 })
    }
}
