// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Launches of the app, and changes of Bluetooth's availability.
struct LaunchTests {
    @Test("A paired accessory has a pending connection request at the next launch")
    func nextLaunch() {
        var harness = MachineHarness(isRemembered: true)
        #expect(
            harness.send(.available) == [
                .retrieve(.remembered), .report(.restoring, .bluetoothAvailable),
            ]
        )
        #expect(
            harness.send(.retrieved("strap")) == [
                .connect("strap", .pending(after: .zero)), .report(.outOfRange, .remembered),
            ]
        )
    }

    @Test("If the saved identifier is unknown, the machine asks for connected peripherals")
    func heldBySystem() {
        var harness = MachineHarness(isRemembered: true)
        harness.send(.available)
        #expect(harness.send(.retrieved(nil)) == [.retrieve(.heldBySystem)])
        #expect(harness.send(.retrieved("strap")).contains(.reserveSlot(.request)))
    }

    @Test("An accessory unknown to the system connects when it is discovered")
    func discovered() {
        var harness = MachineHarness(isRemembered: true)
        harness.send(.available, .retrieved(nil), .retrieved(nil))
        #expect(harness.machine.state == .idle(.unknownToSystem))
        #expect(harness.send(.found("new", rssi: -50)).contains(.reserveSlot(.request)))
        harness.send(.slot(.granted), .link("new", .connected(known: .all)))
        harness.send(.link("new", .subscriptionChanged(.measurement, .confirmed)))
        let actions = harness.send(.link("new", .subscriptionChanged(.battery, .confirmed)))
        #expect(actions.contains(.save("new")))
    }

    @Test("A machine without a paired accessory is idle")
    func neverPaired() {
        var harness = MachineHarness()
        harness.send(.available)
        #expect(harness.machine.state == .idle(.neverPaired))
        #expect(harness.send(.command(.connect)) == [])
    }

    @Test("A restored connection request stays pending")
    func restoredRequest() {
        var harness = MachineHarness(isRemembered: true)
        #expect(
            harness.send(.restored("strap", .connecting)) == [.report(.restoring, .restored)]
        )
        #expect(
            harness.send(.available) == [
                .connect("strap", .pending(after: .zero)), .report(.outOfRange, .restored),
            ]
        )
    }

    @Test("A restored link with known services needs no discovery")
    func restoredLink() {
        var harness = MachineHarness(isRemembered: true)
        harness.send(.restored("strap", .connected(known: .all)))
        #expect(harness.send(.available).contains(.reserveSlot(.existingLink)))
        let actions = harness.send(.slot(.granted))
        #expect(actions.contains(.subscribe("strap", .measurement)))
        #expect(!actions.contains { $0.reports(.discoveringServices) })
        harness.linkReports(
            .subscriptionChanged(.measurement, .confirmed),
            .subscriptionChanged(.battery, .confirmed)
        )
        #expect(harness.machine.log.records.last?.approach == .restored)
    }

    @Test("A restored link without all services discovers them")
    func restoredDiscovery() {
        var harness = MachineHarness(isRemembered: true)
        harness.send(.restored("strap", .connected(known: [.measurement])), .available)
        let actions = harness.send(.slot(.granted))
        #expect(actions.contains(.discoverServices("strap", ["180D", "180F"])))
    }

    @Test("The machine applies the events between restoration and power-on")
    func restoringEvents() {
        var harness = MachineHarness(isRemembered: true)
        harness.send(.restored("strap", .connecting))
        harness.linkReports(.connected(known: .all))
        #expect(harness.machine.state == .restoring("strap", .connected(known: .all)))
        harness.linkReports(.servicesModified(["180F"]))
        #expect(
            harness.machine.state == .restoring("strap", .connected(known: [.measurement, .place]))
        )
        harness.linkReports(.disconnected(.lost, isReconnecting: false))
        #expect(harness.machine.state == .restoring("strap", .connecting))
    }

    @Test("A command to forget a restored accessory ends its link at power-on")
    func forgetRestored() {
        var harness = MachineHarness(isRemembered: true)
        harness.send(.restored("strap", .connected(known: [])))
        #expect(harness.send(.command(.forget)) == [.erase, .report(.restoring, .requested)])
        #expect(harness.send(.available).contains(.cancelConnection("strap")))
        harness.linkReports(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test(
        "The machine reports why Bluetooth is unavailable, and resumes afterward",
        arguments: Unavailability.allCases
    )
    func unavailable(why: Unavailability) {
        var harness = MachineHarness.ready()
        let actions = harness.send(.unavailable(why))
        let state: AccessoryState =
            switch why {
            case .unknown, .resetting: .waitingForBluetooth
            case .poweredOff: .poweredOff
            case .unauthorized: .unauthorized
            case .unsupported: .unsupported
            }
        #expect(
            actions == [.releaseSlot(limitReached: false), .report(state, .bluetoothUnavailable)]
        )
        #expect(harness.send(.available).contains(.retrieve(.remembered)))
    }

    @Test("An interrupted scan starts again when Bluetooth is available")
    func interruptedScan() {
        var harness = MachineHarness()
        harness.send(.available, .command(.pair), .retrieved(nil))
        #expect(harness.send(.unavailable(.poweredOff)).first == .stopScan)
        harness.send(.available)
        #expect(harness.send(.retrieved(nil)).contains(.scan))
    }

    @Test("A disconnected accessory stays disconnected after Bluetooth was off")
    func staysDisconnected() {
        var harness = MachineHarness.ready()
        harness.send(.command(.disconnect), .unavailable(.poweredOff), .available)
        #expect(harness.machine.state == .idle(.disconnected))
        #expect(harness.send(.command(.connect)).contains(.retrieve(.remembered)))
    }

    @Test("The machine reports that Bluetooth is off after a reset")
    func offAfterReset() {
        var harness = MachineHarness()
        harness.send(.unavailable(.resetting))
        #expect(harness.send(.unavailable(.resetting)) == [])
        #expect(
            harness.send(.unavailable(.poweredOff)) == [
                .report(.poweredOff, .bluetoothUnavailable)
            ]
        )
    }
}
