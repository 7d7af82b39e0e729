// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Launches of the app, and changes of Bluetooth's availability.
struct LaunchStories {
    @Test("A paired accessory has a pending connection request at the next launch")
    func nextLaunch() {
        var harness = MachineHarness(isRemembered: true)
        #expect(
            harness.tell(.available) == [
                .retrieve(.remembered), .report(.restoring, .bluetoothAvailable),
            ]
        )
        #expect(
            harness.tell(.retrieved("strap")) == [
                .connect("strap", .pending(after: .zero)), .report(.outOfRange, .remembered),
            ]
        )
    }

    @Test("If the saved identifier is unknown, the machine asks for connected peripherals")
    func heldBySystem() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.available)
        #expect(harness.tell(.retrieved(nil)) == [.retrieve(.heldBySystem)])
        #expect(harness.tell(.retrieved("strap")).contains(.reserveSlot(.request)))
    }

    @Test("An accessory unknown to the system connects when it is discovered")
    func discovered() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.available, .retrieved(nil), .retrieved(nil))
        #expect(harness.machine.state == .idle(.unknownToSystem))
        #expect(harness.tell(.found("new", rssi: -50)).contains(.reserveSlot(.request)))
        harness.tell(.slot(.granted), .link("new", .connected(known: .all)))
        harness.tell(.link("new", .subscriptionChanged(.measurement, .confirmed)))
        let actions = harness.tell(.link("new", .subscriptionChanged(.battery, .confirmed)))
        #expect(actions.contains(.save("new")))
    }

    @Test("A machine without a paired accessory is idle")
    func neverPaired() {
        var harness = MachineHarness()
        harness.tell(.available)
        #expect(harness.machine.state == .idle(.neverPaired))
        #expect(harness.tell(.command(.connect)) == [])
    }

    @Test("A restored connection request stays pending")
    func restoredRequest() {
        var harness = MachineHarness(isRemembered: true)
        #expect(
            harness.tell(.restored("strap", .connecting)) == [.report(.restoring, .restored)]
        )
        #expect(
            harness.tell(.available) == [
                .connect("strap", .pending(after: .zero)), .report(.outOfRange, .restored),
            ]
        )
    }

    @Test("A restored link with known services needs no discovery")
    func restoredLink() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.restored("strap", .connected(known: .all)))
        #expect(harness.tell(.available).contains(.reserveSlot(.arrived)))
        let actions = harness.tell(.slot(.granted))
        #expect(actions.contains(.subscribe("strap", .measurement)))
        #expect(!actions.contains { $0.reports(.discoveringServices) })
        harness.hear(
            .subscriptionChanged(.measurement, .confirmed),
            .subscriptionChanged(.battery, .confirmed)
        )
        #expect(harness.machine.log.records.last?.approach == .restored)
    }

    @Test("A restored link without all services discovers them")
    func restoredDiscovery() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.restored("strap", .connected(known: [.measurement])), .available)
        let actions = harness.tell(.slot(.granted))
        #expect(actions.contains(.discoverServices("strap", ["180D", "180F"])))
    }

    @Test("The machine applies the events between restoration and power-on")
    func restoringEvents() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.restored("strap", .connecting))
        harness.hear(.connected(known: .all))
        #expect(harness.machine.state == .restoring("strap", .connected(known: .all)))
        harness.hear(.servicesModified(["180F"]))
        #expect(
            harness.machine.state == .restoring("strap", .connected(known: [.measurement, .place]))
        )
        harness.hear(.disconnected(.lost, isReconnecting: false))
        #expect(harness.machine.state == .restoring("strap", .connecting))
    }

    @Test("A command to forget a restored accessory ends its link at power-on")
    func forgetRestored() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.restored("strap", .connected(known: [])))
        #expect(harness.tell(.command(.forget)) == [.erase, .report(.restoring, .requested)])
        #expect(harness.tell(.available).contains(.cancelConnection("strap")))
        harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test(
        "The machine reports why Bluetooth is unavailable, and resumes afterward",
        arguments: Unavailability.allCases
    )
    func unavailable(why: Unavailability) {
        var harness = MachineHarness.ready()
        let actions = harness.tell(.unavailable(why))
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
        #expect(harness.tell(.available).contains(.retrieve(.remembered)))
    }

    @Test("An interrupted scan starts again when Bluetooth is available")
    func interruptedScan() {
        var harness = MachineHarness()
        harness.tell(.available, .command(.pair), .retrieved(nil))
        #expect(harness.tell(.unavailable(.poweredOff)).first == .stopScan)
        harness.tell(.available)
        #expect(harness.tell(.retrieved(nil)).contains(.scan))
    }

    @Test("A disconnected accessory stays disconnected after Bluetooth was off")
    func staysDisconnected() {
        var harness = MachineHarness.ready()
        harness.tell(.command(.disconnect), .unavailable(.poweredOff), .available)
        #expect(harness.machine.state == .idle(.disconnected))
        #expect(harness.tell(.command(.connect)).contains(.retrieve(.remembered)))
    }

    @Test("The machine reports that Bluetooth is off after a reset")
    func offAfterReset() {
        var harness = MachineHarness()
        harness.tell(.unavailable(.resetting))
        #expect(harness.tell(.unavailable(.resetting)) == [])
        #expect(
            harness.tell(.unavailable(.poweredOff)) == [
                .report(.poweredOff, .bluetoothUnavailable)
            ]
        )
    }
}
