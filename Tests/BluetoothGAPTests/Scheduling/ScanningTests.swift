// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Scanning")
struct ScanningTests {
    let parameters = ScanParameters()

    @Test("A scan is configured, enabled, reported, and stopped")
    func simple() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters)
        #expect(
            harness.operations == [
                .setScanParameters(parameters), .enableScan(filtersDuplicates: true),
            ]
        )
        #expect(harness.announcements == [.scanStateChanged(isScanning: true)])
        try harness.scan(nil)
        #expect(harness.operations.last == .disableScan)
        #expect(harness.announcements.last == .scanStateChanged(isScanning: false))
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test("A repeated scan does not set its parameters again")
    func again() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters)
        try harness.scan(nil)
        try harness.scan(parameters)
        #expect(harness.operations.filter(\.isSetParameters).count == 1)
        #expect(harness.controller.isScanning)
    }

    @Test("Another scan replaces the first, with the scanner off in between")
    func replaced() throws {
        var harness = try SchedulerHarness()
        var passive = parameters
        passive.isActive = false
        try harness.scan(parameters)
        try harness.scan(passive)
        #expect(harness.controller.scanParameters == passive)
        #expect(harness.controller.isScanning)
        #expect(
            harness.announcements == [.scanStateChanged(isScanning: true)],
            "The scan is not reported as stopped"
        )
    }

    @Test("A scan that is canceled while it is enabled is disabled")
    func withdrawnEarly() throws {
        var harness = try SchedulerHarness()
        harness.answersAtOnce = false
        try harness.scan(parameters)
        try harness.answer()
        try harness.scan(nil)
        harness.answersAtOnce = true
        try harness.answer()
        #expect(!harness.controller.isScanning)
        #expect(harness.announcements.isEmpty, "The state of the scan is not reported")
    }

    @Test("The duration ends the scan")
    func duration() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters, duration: .seconds(10))
        try harness.advance(by: .seconds(9))
        #expect(harness.controller.isScanning)
        try harness.advance(by: .seconds(1))
        #expect(!harness.controller.isScanning)
        #expect(
            harness.announcements == [
                .scanStateChanged(isScanning: true), .scanEnded,
                .scanStateChanged(isScanning: false),
            ]
        )
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test("The duration ends a scan even while a command is pending")
    func durationDuringCommand() throws {
        var harness = try SchedulerHarness()
        harness.answersAtOnce = false
        try harness.scan(parameters, duration: .seconds(10))
        try harness.advance(by: .seconds(20))
        #expect(harness.announcements == [.scanEnded])
    }

    @Test("The controller's duplicate filter is cleared at the requested interval")
    func restart() throws {
        var harness = try SchedulerHarness()
        var restarting = parameters
        restarting.duplicateFilterRestart = .seconds(5)
        try harness.scan(restarting)
        try harness.advance(by: .seconds(21))
        #expect(harness.controller.enableCount == 5)
        #expect(harness.announcements == [.scanStateChanged(isScanning: true)])
    }

    @Test("A restart interval is at least the minimum, and connections get their turn")
    func minimumRestart() throws {
        var harness = try SchedulerHarness()
        var restarting = parameters
        restarting.duplicateFilterRestart = .zero
        try harness.scan(restarting)
        try harness.requestConnection(1, .accessory(1))
        try harness.advance(by: .seconds(10))
        #expect(harness.controller.enableCount == 11)
        #expect(harness.controller.initiation == .peer(.accessory(1)))
    }

    @Test("A scan without the duplicate filter is not restarted")
    func noRestart() throws {
        var harness = try SchedulerHarness()
        var all = parameters
        all.filtersDuplicates = false
        all.duplicateFilterRestart = .seconds(5)
        try harness.scan(all)
        #expect(harness.scheduler.nextDeadline == nil)
        #expect(harness.operations.last == .enableScan(filtersDuplicates: false))
    }

    @Test("Renewing a scan restarts it, so that the controller reports all devices again")
    func joining() throws {
        var harness = try SchedulerHarness()
        try harness.renewScan()
        #expect(harness.controller.enableCount == 0)
        try harness.scan(parameters)
        try harness.renewScan()
        #expect(harness.controller.isScanning)
        #expect(harness.controller.enableCount == 2)
        #expect(harness.announcements == [.scanStateChanged(isScanning: true)])
    }

    @Test("A scan that the controller ends without a command is started again")
    func timeout() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters)
        try harness.scanTimesOut()
        #expect(harness.controller.isScanning)
        #expect(harness.controller.enableCount == 2)
    }

    @Test("Scanning and initiating run together if the controller supports it")
    func overlap() throws {
        var harness = try SchedulerHarness()
        try harness.scan(parameters)
        try harness.requestConnection(1, .accessory(1))
        #expect(harness.controller.isScanning)
        #expect(harness.controller.initiation == .peer(.accessory(1)))
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test(
        "Scanning and initiating take turns if the controller cannot combine them",
        arguments: [true, false],
        [true, false]
    )
    func slices(reportsStates: Bool, scanFirst: Bool) throws {
        var harness = try SchedulerHarness(canOverlap: false, reportsStates: reportsStates)
        if scanFirst { try harness.scan(parameters) }
        try harness.requestConnection(1, .accessory(1))
        if !scanFirst { try harness.scan(parameters) }
        var scanned = 0
        var initiated = 0
        for _ in 0..<40 {
            try harness.advance(by: CentralScheduler.sliceDuration / 2)
            if harness.controller.isScanning { scanned += 1 }
            if harness.controller.initiation != nil { initiated += 1 }
        }
        #expect(scanned + initiated == 40, "The radio is always in use")
        #expect(abs(scanned - initiated) <= 2, "Scanning and initiating share the radio evenly")
        #expect(
            harness.announcements == [.scanStateChanged(isScanning: true)],
            "Pauses of the scan are not reported"
        )
        try harness.scan(nil)
        #expect(harness.controller.initiation == .peer(.accessory(1)))
        #expect(harness.scheduler.nextDeadline == nil)
    }

    @Test("Several connections take turns with a scan that the controller cannot combine with them")
    func slicesAndTurns() throws {
        var harness = try SchedulerHarness(canOverlap: false)
        try harness.scan(parameters)
        for number in 1...3 {
            try harness.requestConnection(UInt64(number), .accessory(UInt64(number)))
        }
        var listened: [DeviceAddress: Int] = [:]
        for _ in 0..<60 {
            for address in harness.controller.listensFor { listened[address, default: 0] += 1 }
            try harness.advance(by: CentralScheduler.sliceDuration / 2)
        }
        for number in 1...3 { #expect(listened[.accessory(UInt64(number)), default: 0] >= 8) }
    }

    @Test("After a connection, the scan resumes at once")
    func backToScan() throws {
        var harness = try SchedulerHarness(canOverlap: false)
        try harness.scan(parameters)
        try harness.advance(by: .seconds(60))
        try harness.requestConnection(1, .accessory(1))
        #expect(!harness.controller.isScanning, "The slice of the scan has ended")
        try harness.appear(.accessory(1))
        #expect(harness.controller.isScanning)
    }
}
