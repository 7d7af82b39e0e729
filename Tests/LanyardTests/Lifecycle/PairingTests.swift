// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Pairing, from the command of the app until the accessory is ready.
struct PairingTests {
    @Test("Pairing scans, connects, discovers, subscribes, and saves the accessory")
    func steps() {
        var harness = MachineHarness()
        #expect(harness.send(.available) == [.report(.idle, .bluetoothAvailable)])
        #expect(
            harness.send(.command(.pair)) == [
                .retrieve(.heldBySystem), .report(.restoring, .requested),
            ]
        )
        let scanning = Countdown(number: 1, deadline: .seconds(10))
        #expect(
            harness.send(.retrieved(nil)) == [
                .scan, .arm(scanning), .report(.scanning, .requested),
            ]
        )
        harness.now = .seconds(1)
        #expect(
            harness.send(.found("strap", rssi: -60)) == [
                .stopScan, .cancelCountdown(scanning), .reserveSlot(.request),
                .report(.connecting, .found),
            ]
        )
        let requested = Countdown(number: 2, deadline: .seconds(11))
        #expect(
            harness.send(.slot(.granted)) == [
                .connect("strap", .direct), .arm(requested), .report(.connecting, .slotGranted),
            ]
        )
        harness.now = .seconds(2)
        let services = Countdown(number: 3, deadline: .seconds(12))
        #expect(
            harness.linkReports(.connected(known: [])) == [
                .cancelCountdown(requested), .discoverServices("strap", ["180D", "180F"]),
                .arm(services), .report(.discoveringServices, .linked),
            ]
        )
        let characteristics = Countdown(number: 4, deadline: .seconds(12))
        #expect(
            harness.linkReports(.servicesDiscovered(["180D", "180F"])) == [
                .cancelCountdown(services),
                .discoverCharacteristics("strap", of: "180D", ["2A37", "2A38"]),
                .discoverCharacteristics("strap", of: "180F", ["2A19"]),
                .arm(characteristics), .report(.discoveringCharacteristics, .servicesFound),
            ]
        )
        #expect(
            harness.linkReports(.characteristicsDiscovered(of: "180D", ["2A37", "2A38"])) == []
        )
        let subscribing = Countdown(number: 5, deadline: .seconds(12))
        #expect(
            harness.linkReports(.characteristicsDiscovered(of: "180F", ["2A19"])) == [
                .cancelCountdown(characteristics), .subscribe("strap", .measurement),
                .subscribe("strap", .battery), .arm(subscribing),
                .report(.subscribing, .databaseKnown),
            ]
        )
        #expect(harness.linkReports(.subscriptionChanged(.measurement, .confirmed)) == [])
        harness.now = .seconds(3)
        let actions = harness.linkReports(.subscriptionChanged(.battery, .confirmed))
        #expect(actions.effects == [.cancelCountdown(subscribing), .save("strap")])
        #expect(actions.reports == [.report(.ready, .usable)])
        #expect(harness.machine.isRemembered)
    }

    @Test("The record of a successful attempt contains its phases")
    func successRecord() throws {
        let record = try #require(MachineHarness.ready().machine.log.records.first)
        #expect(
            record.steps.map(\.phase) == [
                .waitingForSlot, .connecting, .discoveringServices, .discoveringCharacteristics,
                .subscribing,
            ]
        )
        #expect(record.failure == nil)
        #expect(record.next == .ready)
        #expect(record.rssi == -60)
        #expect(record.approach == .direct)
        #expect(record.reached == .subscribing)
    }

    @Test("A scan ends at its timeout")
    func scanTimeout() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved(nil))
        let countdown = harness.machine.state.countdown
        #expect(
            harness.wait() == [
                .stopScan, .cancelCountdown(Countdown(number: 1, deadline: .seconds(10))),
                .report(.idle, .resting(.notFound)),
            ]
        )
        #expect(countdown?.deadline == .seconds(10))
    }

    @Test("An accessory connected to the system is paired without a scan")
    func heldBySystem() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair))
        #expect(
            harness.send(.retrieved("strap")) == [
                .reserveSlot(.request), .report(.connecting, .found),
            ]
        )
    }

    @Test("A command to pair takes effect when Bluetooth becomes available")
    func earlyCommand() {
        var harness = MachineHarness()
        #expect(harness.send(.command(.pair)) == [])
        #expect(
            harness.send(.available) == [
                .retrieve(.heldBySystem), .report(.restoring, .bluetoothAvailable),
            ]
        )
    }

    @Test("A first pairing fails if an attempt exceeds its timeout, after the attempt has ended")
    func attemptTimeout() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved(nil), .found("strap", rssi: nil))
        harness.send(.slot(.granted))
        let requested = Countdown(number: 2, deadline: .seconds(10))
        let ending = Countdown(number: 3, deadline: .seconds(15))
        let tooLong = LinkFailure(.timeout, "connecting took longer than 10.00 s")
        #expect(
            harness.wait() == [
                .cancelCountdown(requested), .cancelConnection("strap"), .arm(ending),
                .report(.disconnecting, .abandoned(tooLong)),
            ]
        )
        let actions = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
        #expect(actions.compactMap(\.record).first?.failure == tooLong)
        #expect(harness.machine.state == .idle(.failed(tooLong)))
    }

    @Test("The total limit of a first pairing ends a scan or a link")
    func totalLimit() {
        let tooLong = LinkFailure(.timeout, "pairing took longer than 30.00 s")
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved(nil))
        #expect(harness.send(.pairingLimitReached(.seconds(30))).contains(.stopScan))
        #expect(harness.machine.state == .idle(.failed(tooLong)))
        harness.send(.command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: []))
        let actions = harness.send(.pairingLimitReached(.seconds(30)))
        #expect(actions.contains(.cancelConnection("strap")))
        #expect(actions.last == .report(.disconnecting, .abandoned(tooLong)))
        harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.failed(tooLong)))
    }

    @Test("The total limit does not apply to an accessory that was ready before")
    func totalLimitAfterPairing() {
        var harness = MachineHarness.ready()
        let state = harness.machine.state
        #expect(harness.send(.pairingLimitReached(.seconds(30))).isEmpty)
        #expect(harness.machine.state == state)
    }

    @Test("A failed attempt is recorded with its error and is not canceled")
    func failedAttempt() throws {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved(nil), .found("strap", rssi: nil))
        harness.send(.slot(.granted))
        let actions = harness.linkReports(.failedToConnect(.strange))
        #expect(!actions.contains(.cancelConnection("strap")))
        #expect(actions.compactMap(\.record).first?.failure == .strange)
    }

    @Test("Pairing fails after four hard failures")
    func hardFailures() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved(nil), .found("strap", rssi: nil))
        for _ in 1...3 {
            harness.send(.slot(.granted))
            harness.linkReports(.failedToConnect(.strange))
            #expect(harness.machine.accessoryState == .connecting)
            harness.wait()
        }
        harness.send(.slot(.granted))
        harness.linkReports(.failedToConnect(.strange))
        #expect(harness.machine.state == .idle(.failed(.strange)))
        #expect(harness.machine.log.records.count == 4)
        #expect(harness.machine.log.records.last?.next == .rest(.failed(.strange)))
        #expect(!harness.machine.isRemembered)
    }

    @Test("Pairing rejects an accessory without a required service")
    func missingService() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: []), .servicesDiscovered(["180F"]))
        let lacking = LinkFailure(.incomplete, "it lacks Heart Rate (180D)")
        #expect(harness.machine.reason == .abandoned(lacking))
        harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.failed(lacking)))
    }

    @Test("Pairing rejects an accessory without a required characteristic")
    func missingCharacteristic() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: []), .servicesDiscovered(["180D"]))
        harness.linkReports(.characteristicsDiscovered(of: "180D", ["2A38"]))
        harness.linkReports(.disconnected(nil, isReconnecting: false))
        let text = "it lacks Heart Rate Measurement (2A37)"
        #expect(harness.machine.state == .idle(.failed(LinkFailure(.incomplete, text))))
    }

    @Test("An accessory without its optional parts becomes ready")
    func optionalParts() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: []), .servicesDiscovered(["180D"]))
        harness.linkReports(.characteristicsDiscovered(of: "180D", ["2A37"]))
        harness.linkReports(.subscriptionChanged(.measurement, .confirmed))
        #expect(harness.machine.accessoryState == .ready)
    }

    @Test("An accessory without described services is ready once it is connected")
    func noServices() {
        var harness = MachineHarness(LifecycleSettings())
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        #expect(harness.linkReports(.connected(known: [])).contains(.report(.ready, .usable)))
    }

    @Test("A service without described characteristics needs discovery only")
    func emptyService() {
        var settings = LifecycleSettings()
        settings.services = [ServiceDescription("180D", [])]
        var harness = MachineHarness(settings)
        harness.send(.available, .command(.pair), .retrieved("strap"), .slot(.granted))
        harness.linkReports(.connected(known: []))
        #expect(harness.machine.accessoryState == .discoveringServices)
        #expect(
            harness.linkReports(.servicesDiscovered(["180D"])).contains(.report(.ready, .usable))
        )
    }
}
