// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("The duration of scans")
struct ScanPeriodTests {
    let world = World(seed: 9)
    let scanner: TestHost
    let advertiser: TestHost

    init() throws {
        scanner = try TestHost(world, "scanner", at: 0)
        advertiser = try TestHost(world, "advertiser", at: 1)
        try advertiser.advertise(.nonConnectable, interval: 160)
        try scanner.perform(TestHost.extendedScanParameters())
    }

    @Test("A scan without a duration does not end")
    func endless() throws {
        #expect(try scanner.enableExtendedScan() == .success)
        world.run(for: .seconds(100))
        #expect(scanner.scanTimeoutCount == 0)
        #expect(scanner.extendedReports.count > 700)
    }

    @Test("After the duration, the host is informed, and no more reports arrive")
    func once() throws {
        #expect(try scanner.enableExtendedScan(duration: 100) == .success)
        let start = world.now
        world.run(for: .seconds(5))
        #expect(scanner.scanTimeoutCount == 1)
        #expect(scanner.instants.last == start + .seconds(1))
        #expect((8...11).contains(scanner.extendedReports.count))
    }

    @Test("With a period, the scan restarts and does not end")
    func periodic() throws {
        #expect(try scanner.enableExtendedScan(duration: 50, period: 2) == .success)
        let start = world.now
        world.run(for: .milliseconds(25_600))
        #expect(scanner.scanTimeoutCount == 0)
        let offsets = scanner.instants.map { ($0 - start).nanoseconds % 2_560_000_000 }
        #expect(offsets.allSatisfy { $0 <= 500_000_000 })
        #expect((35...60).contains(offsets.count))
    }

    @Test("A duplicate filter that is reset passes every device once a period")
    func resetEachPeriod() throws {
        let status = try scanner.enableExtendedScan(
            duplicates: .onResetEachPeriod,
            duration: 64,
            period: 1
        )
        #expect(status == .success)
        world.run(for: .milliseconds(12_799))
        #expect(scanner.extendedReports.count == 10)
    }

    @Test("A duplicate filter that is not reset passes every device once")
    func keptThroughPeriods() throws {
        #expect(
            try scanner.enableExtendedScan(duplicates: .on, duration: 64, period: 1) == .success
        )
        world.run(for: .seconds(13))
        #expect(scanner.extendedReports.count == 1)
    }

    @Test("Disabling ends the scan without an event")
    func disabled() throws {
        #expect(try scanner.enableExtendedScan(duration: 100) == .success)
        world.run(for: .milliseconds(500))
        try scanner.perform(HCI.LESetExtendedScanEnable(isEnabled: false, duplicates: .off))
        scanner.forget()
        world.run(for: .seconds(3))
        #expect(scanner.events.isEmpty)
    }

    @Test("Enabling again begins a new duration")
    func enabledAgain() throws {
        #expect(try scanner.enableExtendedScan(duration: 100) == .success)
        world.run(for: .milliseconds(800))
        #expect(try scanner.enableExtendedScan(duration: 100) == .success)
        let start = world.now
        world.run(for: .seconds(3))
        #expect(scanner.scanTimeoutCount == 1)
        #expect(scanner.instants.last == start + .seconds(1))
    }
}
