// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Changes of Bluetooth's availability, and launches of the app.
struct LaunchStories {
    @Test func `an accessory that was paired is waited for at the next launch`() {
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

    @Test func `one that the system does not know may be held by it`() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.available)
        #expect(harness.tell(.retrieved(nil)) == [.retrieve(.heldBySystem)])
        #expect(harness.tell(.retrieved("strap")).contains(.reserveSlot(.request)))
    }

    @Test func `or else it is taken up when it is seen`() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.available, .retrieved(nil), .retrieved(nil))
        #expect(harness.machine.state == .idle(.unknownToSystem))
        #expect(harness.tell(.found("new", rssi: -50)).contains(.reserveSlot(.request)))
        harness.tell(.slot(.granted), .link("new", .connected(known: .all)))
        harness.tell(.link("new", .subscriptionChanged(.measurement, .confirmed)))
        let actions = harness.tell(.link("new", .subscriptionChanged(.battery, .confirmed)))
        #expect(actions.contains(.save("new")))
    }

    @Test func `a machine without an accessory is idle, since it was never paired`() {
        var harness = MachineHarness()
        harness.tell(.available)
        #expect(harness.machine.state == .idle(.neverPaired))
        #expect(harness.tell(.command(.connect)) == [])
    }

    @Test func `one that was being connected to is waited for further`() {
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

    @Test func `one that was connected is used at once, if its services are known`() {
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

    @Test func `else they are looked up`() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.restored("strap", .connected(known: [.measurement])), .available)
        let actions = harness.tell(.slot(.granted))
        #expect(actions.contains(.discoverServices("strap", ["180D", "180F"])))
    }

    @Test func `what happens between restoration and power-on counts`() {
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

    @Test func `a command to forget what is being restored is carried out at power-on`() {
        var harness = MachineHarness(isRemembered: true)
        harness.tell(.restored("strap", .connected(known: [])))
        #expect(harness.tell(.command(.forget)) == [.erase, .report(.restoring, .requested)])
        #expect(harness.tell(.available).contains(.cancelConnection("strap")))
        harness.hear(.disconnected(nil, isReconnecting: false))
        #expect(harness.machine.state == .idle(.forgotten))
    }

    @Test(arguments: Unavailability.allCases)
    func `each reason why there is no Bluetooth is told apart, and all resumes after it`(
        why: Unavailability
    ) {
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

    @Test func `a search that was cut short begins again`() {
        var harness = MachineHarness()
        harness.tell(.available, .command(.pair), .retrieved(nil))
        #expect(harness.tell(.unavailable(.poweredOff)).first == .stopScan)
        harness.tell(.available)
        #expect(harness.tell(.retrieved(nil)).contains(.scan))
    }

    @Test func `what was disconnected stays so while Bluetooth goes and comes`() {
        var harness = MachineHarness.ready()
        harness.tell(.command(.disconnect), .unavailable(.poweredOff), .available)
        #expect(harness.machine.state == .idle(.disconnected))
        #expect(harness.tell(.command(.connect)).contains(.retrieve(.remembered)))
    }

    @Test func `off after resetting is told`() {
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
