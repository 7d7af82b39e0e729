// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// From a call of the app to a usable accessory.
struct PairingStories {
    @Test func `a new accessory is found, connected to, looked up, subscribed to, and saved`() {
        var bench = MachineBench()
        #expect(bench.tell(.available) == [.report(.idle, .bluetoothAvailable)])
        #expect(
            bench.tell(.wished(.pair)) == [
                .retrieve(.heldBySystem), .report(.restoring, .wished),
            ]
        )
        let scanning = Countdown(number: 1, deadline: .seconds(10))
        #expect(
            bench.tell(.retrieved(nil)) == [.scan, .arm(scanning), .report(.scanning, .wished)]
        )
        bench.now = .seconds(1)
        #expect(
            bench.tell(.found("strap", rssi: -60)) == [
                .stopScan, .cancelCountdown(scanning), .reserveSlot(.dial),
                .report(.connecting, .found),
            ]
        )
        let dialling = Countdown(number: 2, deadline: .seconds(11))
        #expect(
            bench.tell(.slot(.granted)) == [
                .connect("strap", .dial), .arm(dialling), .report(.connecting, .slotGranted),
            ]
        )
        bench.now = .seconds(2)
        let services = Countdown(number: 3, deadline: .seconds(12))
        #expect(
            bench.hear(.connected(known: [])) == [
                .cancelCountdown(dialling), .discoverServices("strap", ["180D", "180F"]),
                .arm(services), .report(.discoveringServices, .linked),
            ]
        )
        let characteristics = Countdown(number: 4, deadline: .seconds(12))
        #expect(
            bench.hear(.servicesDiscovered(["180D", "180F"])) == [
                .cancelCountdown(services),
                .discoverCharacteristics("strap", of: "180D", ["2A37", "2A38"]),
                .discoverCharacteristics("strap", of: "180F", ["2A19"]),
                .arm(characteristics), .report(.discoveringCharacteristics, .servicesFound),
            ]
        )
        #expect(bench.hear(.characteristicsDiscovered(of: "180D", ["2A37", "2A38"])) == [])
        let subscribing = Countdown(number: 5, deadline: .seconds(12))
        #expect(
            bench.hear(.characteristicsDiscovered(of: "180F", ["2A19"])) == [
                .cancelCountdown(characteristics), .subscribe("strap", .measurement),
                .subscribe("strap", .battery), .arm(subscribing),
                .report(.subscribing, .databaseKnown),
            ]
        )
        #expect(bench.hear(.subscriptionChanged(.measurement, .confirmed)) == [])
        bench.now = .seconds(3)
        let actions = bench.hear(.subscriptionChanged(.battery, .confirmed))
        #expect(actions.deeds == [.cancelCountdown(subscribing), .save("strap")])
        #expect(actions.reports == [.report(.ready, .usable)])
        #expect(bench.machine.isRemembered)
    }

    @Test func `an attempt that succeeded is recorded with its phases`() throws {
        let record = try #require(MachineBench.ready().machine.log.records.first)
        #expect(
            record.steps.map(\.phase) == [
                .waitingForSlot, .connecting, .discoveringServices, .discoveringCharacteristics,
                .subscribing,
            ]
        )
        #expect(record.failure == nil)
        #expect(record.next == .ready)
        #expect(record.rssi == -60)
        #expect(record.approach == .dial)
        #expect(record.reached == .subscribing)
    }

    @Test func `a search ends after its time-out`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved(nil))
        let countdown = bench.machine.state.countdown
        #expect(
            bench.wait() == [
                .stopScan, .cancelCountdown(Countdown(number: 1, deadline: .seconds(10))),
                .report(.idle, .resting(.notFound)),
            ]
        )
        #expect(countdown?.deadline == .seconds(10))
    }

    @Test func `one that the system holds is not looked for`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair))
        #expect(
            bench.tell(.retrieved("strap")) == [
                .reserveSlot(.dial), .report(.connecting, .found),
            ]
        )
    }

    @Test func `a wish before Bluetooth is there is fulfilled when it is`() {
        var bench = MachineBench()
        #expect(bench.tell(.wished(.pair)) == [])
        #expect(
            bench.tell(.available) == [
                .retrieve(.heldBySystem), .report(.restoring, .bluetoothAvailable),
            ]
        )
    }

    @Test func `an attempt that takes too long is ended, and only then tried again`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved(nil), .found("strap", rssi: nil))
        bench.tell(.slot(.granted))
        let dialling = Countdown(number: 2, deadline: .seconds(10))
        let ending = Countdown(number: 3, deadline: .seconds(15))
        let tooLong = LinkFailure(.timeout, "connecting took longer than 10.00 s")
        #expect(
            bench.wait() == [
                .cancelCountdown(dialling), .cancelConnection("strap"), .arm(ending),
                .report(.disconnecting, .abandoned(tooLong)),
            ]
        )
        let actions = bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
        #expect(actions.compactMap(\.record).first?.failure == tooLong)
        #expect(bench.wait().contains(.reserveSlot(.dial)))
    }

    @Test func `a failed attempt is told from one that takes too long`() throws {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved(nil), .found("strap", rssi: nil))
        bench.tell(.slot(.granted))
        let actions = bench.hear(.failedToConnect(.strange))
        #expect(!actions.contains(.cancelConnection("strap")))
        #expect(actions.compactMap(\.record).first?.failure == .strange)
    }

    @Test func `after four hard failures a new accessory is given up`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved(nil), .found("strap", rssi: nil))
        for _ in 1...3 {
            bench.tell(.slot(.granted))
            bench.hear(.failedToConnect(.strange))
            #expect(bench.machine.accessoryState == .connecting)
            bench.wait()
        }
        bench.tell(.slot(.granted))
        bench.hear(.failedToConnect(.strange))
        #expect(bench.machine.state == .idle(.failed(.strange)))
        #expect(bench.machine.log.records.count == 4)
        #expect(bench.machine.log.records.last?.next == .rest(.failed(.strange)))
        #expect(!bench.machine.isRemembered)
    }

    @Test func `an accessory that lacks a required service is none of ours`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: []), .servicesDiscovered(["180F"]))
        let lacking = LinkFailure(.incomplete, "it lacks 180D")
        #expect(bench.machine.reason == .abandoned(lacking))
        bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(bench.machine.state == .idle(.failed(lacking)))
    }

    @Test func `so is one that lacks a required characteristic`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: []), .servicesDiscovered(["180D"]))
        bench.hear(.characteristicsDiscovered(of: "180D", ["2A38"]))
        bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(
            bench.machine.state == .idle(.failed(LinkFailure(.incomplete, "it lacks 2A37")))
        )
    }

    @Test func `what is not required may be missing`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: []), .servicesDiscovered(["180D"]))
        bench.hear(.characteristicsDiscovered(of: "180D", ["2A37"]))
        bench.hear(.subscriptionChanged(.measurement, .confirmed))
        #expect(bench.machine.accessoryState == .ready)
    }

    @Test func `where nothing is wanted a link is enough`() {
        var bench = MachineBench(LifecycleSettings())
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        #expect(bench.hear(.connected(known: [])).contains(.report(.ready, .usable)))
    }

    @Test func `a service without characteristics has only to be there`() {
        var settings = LifecycleSettings()
        settings.services = [ServiceDescription("180D", [])]
        var bench = MachineBench(settings)
        bench.tell(.available, .wished(.pair), .retrieved("strap"), .slot(.granted))
        bench.hear(.connected(known: []))
        #expect(bench.machine.accessoryState == .discoveringServices)
        #expect(bench.hear(.servicesDiscovered(["180D"])).contains(.report(.ready, .usable)))
    }
}
