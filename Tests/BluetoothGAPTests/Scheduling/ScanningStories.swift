// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Scanning")
struct ScanningStories {
    let parameters = ScanParameters()

    @Test("A scan is configured, enabled, reported, and stopped")
    func simple() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters)
        #expect(
            bench.orders == [.setScanParameters(parameters), .enableScan(filtersDuplicates: true)]
        )
        #expect(bench.announcements == [.scanStateChanged(isScanning: true)])
        try bench.scan(nil)
        #expect(bench.orders.last == .disableScan)
        #expect(bench.announcements.last == .scanStateChanged(isScanning: false))
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test("A repeated scan needs no parameters")
    func again() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters)
        try bench.scan(nil)
        try bench.scan(parameters)
        #expect(bench.orders.filter(\.isSetParameters).count == 1)
        #expect(bench.controller.isScanning)
    }

    @Test("Another scan replaces the first, with the scanner off in between")
    func replaced() throws {
        var bench = try SchedulerBench()
        var passive = parameters
        passive.isActive = false
        try bench.scan(parameters)
        try bench.scan(passive)
        #expect(bench.controller.scanParameters == passive)
        #expect(bench.controller.isScanning)
        #expect(bench.announcements == [.scanStateChanged(isScanning: true)], "it never stopped")
    }

    @Test("A scan that is withdrawn while it is enabled is disabled")
    func withdrawnEarly() throws {
        var bench = try SchedulerBench()
        bench.answersAtOnce = false
        try bench.scan(parameters)
        try bench.answer()
        try bench.scan(nil)
        bench.answersAtOnce = true
        try bench.answer()
        #expect(!bench.controller.isScanning)
        #expect(bench.announcements.isEmpty, "nobody was told that it ran")
    }

    @Test("The duration ends the scan")
    func duration() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters, duration: .seconds(10))
        try bench.advance(by: .seconds(9))
        #expect(bench.controller.isScanning)
        try bench.advance(by: .seconds(1))
        #expect(!bench.controller.isScanning)
        #expect(
            bench.announcements == [
                .scanStateChanged(isScanning: true), .scanEnded,
                .scanStateChanged(isScanning: false),
            ]
        )
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test("The duration ends a scan even while an order is pending")
    func durationWithOrderOutstanding() throws {
        var bench = try SchedulerBench()
        bench.answersAtOnce = false
        try bench.scan(parameters, duration: .seconds(10))
        try bench.advance(by: .seconds(20))
        #expect(bench.announcements == [.scanEnded])
    }

    @Test("The controller's duplicate filter is cleared at the requested interval")
    func restart() throws {
        var bench = try SchedulerBench()
        var restarting = parameters
        restarting.duplicateFilterRestart = .seconds(5)
        try bench.scan(restarting)
        try bench.advance(by: .seconds(21))
        #expect(bench.controller.enableCount == 5)
        #expect(bench.announcements == [.scanStateChanged(isScanning: true)])
    }

    @Test("A restart interval is at least the minimum, and connections get their turn")
    func absurdRestart() throws {
        var bench = try SchedulerBench()
        var restarting = parameters
        restarting.duplicateFilterRestart = .zero
        try bench.scan(restarting)
        try bench.dial(1, .accessory(1))
        try bench.advance(by: .seconds(10))
        #expect(bench.controller.enableCount == 11)
        #expect(bench.controller.initiation == .peer(.accessory(1)))
    }

    @Test("A scan without the duplicate filter is not restarted")
    func noRestart() throws {
        var bench = try SchedulerBench()
        var all = parameters
        all.filtersDuplicates = false
        all.duplicateFilterRestart = .seconds(5)
        try bench.scan(all)
        #expect(bench.scheduler.nextDeadline == nil)
        #expect(bench.orders.last == .enableScan(filtersDuplicates: false))
    }

    @Test("A scan that joins another makes the controller report all devices again")
    func joining() throws {
        var bench = try SchedulerBench()
        try bench.renewScan()
        #expect(bench.controller.enableCount == 0)
        try bench.scan(parameters)
        try bench.renewScan()
        #expect(bench.controller.isScanning)
        #expect(bench.controller.enableCount == 2)
        #expect(bench.announcements == [.scanStateChanged(isScanning: true)])
    }

    @Test("A scan that the controller ends by itself is started again")
    func timeout() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters)
        try bench.scanTimesOut()
        #expect(bench.controller.isScanning)
        #expect(bench.controller.enableCount == 2)
    }

    @Test("Scanning and initiating run together if the controller supports it")
    func overlap() throws {
        var bench = try SchedulerBench()
        try bench.scan(parameters)
        try bench.dial(1, .accessory(1))
        #expect(bench.controller.isScanning)
        #expect(bench.controller.initiation == .peer(.accessory(1)))
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test(
        "Scanning and initiating take turns if the controller cannot combine them",
        arguments: [true, false],
        [true, false]
    )
    func slices(saysSo: Bool, scanFirst: Bool) throws {
        var bench = try SchedulerBench(canOverlap: false, saysSo: saysSo)
        if scanFirst { try bench.scan(parameters) }
        try bench.dial(1, .accessory(1))
        if !scanFirst { try bench.scan(parameters) }
        var scanned = 0
        var initiated = 0
        for _ in 0..<40 {
            try bench.advance(by: CentralScheduler.sliceDuration / 2)
            if bench.controller.isScanning { scanned += 1 }
            if bench.controller.initiation != nil { initiated += 1 }
        }
        #expect(scanned + initiated == 40, "the radio is never idle")
        #expect(abs(scanned - initiated) <= 2, "and shared evenly")
        #expect(bench.announcements == [.scanStateChanged(isScanning: true)], "pauses are silent")
        try bench.scan(nil)
        #expect(bench.controller.initiation == .peer(.accessory(1)))
        #expect(bench.scheduler.nextDeadline == nil)
    }

    @Test("Several connections take turns with a scan that excludes them")
    func slicesAndTurns() throws {
        var bench = try SchedulerBench(canOverlap: false)
        try bench.scan(parameters)
        for number in 1...3 { try bench.dial(UInt64(number), .accessory(UInt64(number))) }
        var heard: [DeviceAddress: Int] = [:]
        for _ in 0..<60 {
            for address in bench.controller.listensFor { heard[address, default: 0] += 1 }
            try bench.advance(by: CentralScheduler.sliceDuration / 2)
        }
        for number in 1...3 { #expect(heard[.accessory(UInt64(number)), default: 0] >= 8) }
    }

    @Test("After a connection the scan resumes at once")
    func backToScan() throws {
        var bench = try SchedulerBench(canOverlap: false)
        try bench.scan(parameters)
        try bench.advance(by: .seconds(60))
        try bench.dial(1, .accessory(1))
        #expect(!bench.controller.isScanning, "the scan has had its slice")
        try bench.appear(.accessory(1))
        #expect(bench.controller.isScanning)
    }
}
