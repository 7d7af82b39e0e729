// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("The time until a discovery")
struct DiscoveryTimeTests {
    /// Returns the mean time from the start of scanning to the first report, in seconds.
    private func meanDelay(interval: UInt16, window: UInt16, advertising: UInt16) throws -> Double {
        let world = World(seed: 21)
        let scanner = try TestHost(world, "scanner", at: 0)
        let advertiser = try TestHost(world, "advertiser", at: 1)
        try advertiser.advertise(.nonConnectable, interval: advertising)
        try scanner.perform(TestHost.scanParameters(interval: interval, window: window))
        var total = Duration.zero
        let count = 150
        for number in 0..<count {
            world.run(for: .milliseconds(217 + number))
            scanner.forget()
            let start = world.now
            let enable = HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: true)
            try scanner.perform(enable)
            world.run(until: { !scanner.events.isEmpty }, bound: .seconds(60))
            total += (scanner.instants.first ?? world.now) - start
            try scanner.stopScan()
        }
        return total / Duration.seconds(count)
    }

    @Test("A continuous scan takes half an advertising interval on average")
    func continuous() throws {
        let delay = try meanDelay(interval: 0x60, window: 0x60, advertising: 160)
        #expect((0.040...0.080).contains(delay))
    }

    @Test(
        "The time until a discovery follows from the duty cycle of the scan",
        arguments: [(96, 24), (96, 48), (160, 16)] as [(UInt16, UInt16)]
    )
    func part(interval: UInt16, window: UInt16) throws {
        let delay = try meanDelay(interval: interval, window: window, advertising: 160)
        let share = Double(window) / Double(interval)
        // On average, events are 105 ms apart, and the first event comes after half of that time.
        // Each event is received with the probability `share`.
        let expected = 0.105 * (1 / share - 0.5)
        #expect(delay > expected * 0.65 && delay < expected * 1.35)
    }

    @Test(
        "Only packets that fit completely into a window are received",
        arguments: [0x10, 0x40] as [UInt16]
    )
    func wholePackets(interval: UInt16) throws {
        let world = World(seed: 4)
        let scanner = try TestHost(world, "scanner", at: 0)
        let advertiser = try TestHost(world, "advertiser", at: 1)
        try advertiser.advertise(
            .nonConnectable,
            interval: 32,
            data: .init(repeating: 0, count: 31)
        )
        let start = world.now
        try scanner.scan(interval: interval, window: interval / 4)
        world.run(for: .seconds(60))
        #expect(scanner.instants.count > 300)
        for end in scanner.instants {
            let last = (end - start).nanoseconds % (Int64(interval) * 625_000)
            #expect(last >= 376_000 && last <= Int64(interval) / 4 * 625_000)
        }
    }
}
