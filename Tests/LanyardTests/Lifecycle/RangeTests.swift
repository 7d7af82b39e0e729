// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

extension MachineHarness {
    /// Returns a machine whose accessory has disconnected so often that the next connection request
    /// starts after a pause of a minute.
    fileprivate static func resting() -> MachineHarness {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.closed, isReconnecting: false))
        for _ in 1...8 {
            harness.linkReports(.connected(known: []))
            harness.send(.slot(.granted))
            harness.linkReports(.disconnected(.closed, isReconnecting: false))
        }
        return harness
    }
}

/// Lost links and reconnections.
struct RangeTests {
    @Test(
        "An accessory out of range has a pending connection request and no slot",
        arguments: [LinkFailure.lost, .closed]
    )
    func outOfRange(failure: LinkFailure) {
        var harness = MachineHarness.ready()
        harness.now = .seconds(60)
        #expect(
            harness.linkReports(.disconnected(failure, isReconnecting: false)) == [
                .releaseSlot(limitReached: false), .connect("strap", .pending(after: .zero)),
                .report(.outOfRange, .lost(failure)),
            ]
        )
        #expect(harness.machine.state.countdown == nil)
    }

    @Test("An accessory that returns gets a slot, and its services are discovered again")
    func returning() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false))
        harness.now = .seconds(1000)
        #expect(harness.linkReports(.connected(known: [])).contains(.reserveSlot(.existingLink)))
        #expect(
            harness.send(.slot(.granted)).contains(.discoverServices("strap", ["180D", "180F"]))
        )
        harness.getReady()
        #expect(harness.machine.accessoryState == .ready)
        #expect(harness.machine.log.records.last?.approach == .pending)
    }

    @Test("A saved accessory is not saved again")
    func savedOnce() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        harness.send(.slot(.granted))
        #expect(!harness.getReady().contains(.save("strap")))
    }

    @Test("Known services are not discovered again")
    func knownServices() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false), .connected(known: .all))
        let actions = harness.send(.slot(.granted))
        #expect(actions.reports == [.report(.subscribing, .databaseKnown)])
        #expect(actions.contains(.subscribe("strap", .battery)))
    }

    @Test("The machine makes no connection request while the system reconnects")
    func systemReconnects() {
        var harness = MachineHarness.ready()
        #expect(
            harness.linkReports(.disconnected(.lost, isReconnecting: true)) == [
                .releaseSlot(limitReached: false),
                .report(.outOfRange, .systemReconnects(.lost)),
            ]
        )
        #expect(harness.linkReports(.connected(known: .all)).contains(.reserveSlot(.existingLink)))
    }

    @Test("The machine makes a connection request when the system stops reconnecting")
    func systemStops() {
        var harness = MachineHarness.ready()
        harness.now = .seconds(60)
        harness.linkReports(.disconnected(.lost, isReconnecting: true))
        let actions = harness.linkReports(.disconnected(.lost, isReconnecting: false))
        #expect(actions.contains(.connect("strap", .pending(after: .zero))))
    }

    @Test("A link that this device ended is not restored")
    func endedHere() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.cancelled))
    }

    @Test("After a disconnection for a reason other than range, an attempt follows within a second")
    func quickRetry() {
        var harness = MachineHarness.ready()
        harness.now = .seconds(60)
        let actions = harness.linkReports(.disconnected(.strange, isReconnecting: false))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
        guard case .connecting("strap", .backingOff(let wait)) = harness.machine.state else {
            Issue.record("\(harness.machine.state)")
            return
        }
        #expect((.milliseconds(100)...Duration.seconds(1)).contains(wait.deadline - harness.now))
        harness.wait()
        #expect(harness.send(.slot(.granted)).contains(.connect("strap", .direct)))
    }

    @Test("The settings determine which disconnections mean out of range")
    func outOfRangeRule() {
        var settings = LifecycleSettings.strap
        settings.outOfRange = OutOfRangeRule([])
        settings.outOfRange.codes = [0]
        var harness = MachineHarness.ready(settings)
        harness.linkReports(.disconnected(.strange, isReconnecting: false))
        #expect(harness.machine.accessoryState == .outOfRange)
    }

    @Test("After the ninth disconnection in a row, the next connection request has a pause")
    func pausedRequest() {
        var harness = MachineHarness.ready()
        for _ in 1...8 {
            harness.linkReports(.disconnected(.closed, isReconnecting: false))
            #expect(harness.machine.accessoryState == .outOfRange)
            harness.linkReports(.connected(known: []))
            harness.send(.slot(.granted))
        }
        let actions = harness.linkReports(.disconnected(.closed, isReconnecting: false))
        #expect(actions.contains(.connect("strap", .pending(after: .seconds(60)))))
        #expect(
            harness.machine.state
                == .outOfRange("strap", .library(from: harness.now + .seconds(60)))
        )
        #expect(harness.machine.log.records.last?.next == .pending(after: .seconds(60)))
    }

    @Test("A paused connection request needs no timer of the machine")
    func noTimer() {
        var harness = MachineHarness.resting()
        #expect(harness.machine.state.countdown == nil)
        harness.now += .seconds(60)
        #expect(harness.linkReports(.connected(known: [])).contains(.reserveSlot(.existingLink)))
    }

    @Test("A command to connect replaces the paused request with a direct one")
    func commandDuringPause() {
        var harness = MachineHarness.resting()
        let requested = harness.send(.command(.connect))
        #expect(
            requested.contains(.cancelConnection("strap"))
                && requested.contains(.reserveSlot(.request))
        )
        harness.send(.slot(.granted))
        #expect(
            harness.linkReports(.disconnected(nil, isReconnecting: false)).contains(
                .connect("strap", .direct)
            )
        )
    }

    @Test("A late disconnection does not end the pause")
    func lateDisconnection() {
        var harness = MachineHarness.resting()
        harness.now += .seconds(20)
        let actions = harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(actions == [.connect("strap", .pending(after: .seconds(40)))])
        harness.now += .seconds(40)
        #expect(harness.send(.command(.connect)) == [])
    }

    @Test("A new identifier of the accessory replaces the old identifier")
    func newIdentifier() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false))
        #expect(harness.send(.found("strap", rssi: -40)) == [])
        let actions = harness.send(.found("new", rssi: -40))
        #expect(
            actions.effects == [.cancelConnection("strap"), .reserveSlot(.request)]
        )
        #expect(harness.linkReports(.disconnected(nil, isReconnecting: false)) == [])
        harness.send(.slot(.granted), .link("new", .connected(known: .all)))
        harness.send(.link("new", .subscriptionChanged(.measurement, .confirmed)))
        let last = harness.send(.link("new", .subscriptionChanged(.battery, .confirmed)))
        #expect(last.contains(.save("new")))
    }

    @Test("Only the changed services are discovered again")
    func changedServices() {
        var harness = MachineHarness.ready()
        #expect(harness.linkReports(.servicesModified(["1805"])) == [])
        let actions = harness.linkReports(.servicesModified(["180F"]))
        #expect(actions.contains(.discoverServices("strap", ["180F"])))
        harness.linkReports(.servicesDiscovered(["180F"]))
        let next = harness.linkReports(.characteristicsDiscovered(of: "180F", ["2A19"]))
        #expect(next.contains(.subscribe("strap", .battery)))
        #expect(!next.contains(.subscribe("strap", .measurement)))
        harness.linkReports(.subscriptionChanged(.battery, .confirmed))
        #expect(harness.machine.accessoryState == .ready)
        #expect(harness.machine.log.records.last?.approach == .renewal)
    }

    @Test("A service that is added during a discovery is found by the next one")
    func addedDuringDiscovery() {
        var harness = MachineHarness.ready()
        harness.linkReports(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        harness.send(.slot(.granted))
        harness.linkReports(.servicesModified([]), .servicesDiscovered(["180D"]))
        #expect(
            harness.linkReports(.servicesDiscovered(["180D", "180F"]))
                == [.discoverCharacteristics("strap", of: "180F", ["2A19"])]
        )
        harness.linkReports(
            .characteristicsDiscovered(of: "180D", ["2A37", "2A38"]),
            .characteristicsDiscovered(of: "180F", ["2A19"]),
            .subscriptionChanged(.measurement, .confirmed),
            .subscriptionChanged(.battery, .confirmed)
        )
        #expect(harness.machine.knownBefore == .all)
    }

    @Test("Repeated service changes do not extend the timeout of discovery")
    func repeatedChanges() {
        var harness = MachineHarness.ready()
        harness.linkReports(.servicesModified(["180F"]))
        let countdown = harness.machine.state.countdown
        harness.now = .seconds(9)
        #expect(!harness.linkReports(.servicesModified(["180D"])).isEmpty)
        #expect(harness.machine.state.countdown == countdown)
    }

    @Test("The machine renews a subscription that has ended")
    func endedSubscription() {
        var harness = MachineHarness.ready()
        #expect(
            harness.linkReports(.subscriptionChanged(.battery, .ended)).contains(
                .subscribe("strap", .battery)
            )
        )
        harness.linkReports(.subscriptionChanged(.battery, .confirmed))
        #expect(harness.machine.accessoryState == .ready)
    }

    @Test("The machine renews each of two subscriptions that end one after the other")
    func twoEndedSubscriptions() {
        var harness = MachineHarness.ready()
        harness.linkReports(.subscriptionChanged(.battery, .ended))
        let actions = harness.linkReports(.subscriptionChanged(.measurement, .ended))
        #expect(actions.effects == [.subscribe("strap", .measurement)])
        harness.linkReports(.subscriptionChanged(.battery, .confirmed))
        #expect(harness.machine.accessoryState == .subscribing)
        harness.linkReports(.subscriptionChanged(.measurement, .confirmed))
        #expect(harness.machine.accessoryState == .ready)
    }

    @Test("The machine renews a subscription that has ended during a discovery")
    func endedWhileDiscovering() {
        var harness = MachineHarness.ready()
        harness.linkReports(.servicesModified(["180F"]))
        harness.linkReports(.subscriptionChanged(.measurement, .ended))
        let actions = harness.linkReports(.servicesDiscovered(["180D"]))
        #expect(actions.contains(.subscribe("strap", .measurement)))
        #expect(harness.machine.accessoryState == .subscribing)
    }

    @Test(
        "A refused renewal ends the link, even while changed services are discovered",
        arguments: [LinkFailure.unauthenticated, .strange]
    )
    func refusedRenewal(failure: LinkFailure) {
        for isChanging in [false, true] {
            var harness = MachineHarness.ready()
            harness.linkReports(.messagesRefused(.measurement, .subscription, .unauthenticated))
            if isChanging { harness.linkReports(.servicesModified(["180F"])) }
            let actions = harness.linkReports(.subscriptionChanged(.measurement, .failed(failure)))
            #expect(actions.contains(.cancelConnection("strap")))
            #expect(actions.reports == [.report(.disconnecting, .abandoned(failure))])
            let next = harness.linkReports(.disconnected(nil, isReconnecting: false))
            #expect(next.contains { $0.reports(.connecting) })
        }
    }

    @Test("After a renewal that succeeded, a subscription that needs pairing does not end the link")
    func renewed() {
        var harness = MachineHarness.ready()
        harness.linkReports(.messagesRefused(.measurement, .subscription, .unauthenticated))
        harness.linkReports(.subscriptionChanged(.measurement, .ended))
        harness.linkReports(.subscriptionChanged(.measurement, .confirmed))
        #expect(harness.machine.accessoryState == .ready)
        harness.linkReports(.subscriptionChanged(.measurement, .ended))
        harness.linkReports(.subscriptionChanged(.measurement, .failed(.unauthenticated)))
        #expect(harness.machine.accessoryState == .connected)
    }
}
