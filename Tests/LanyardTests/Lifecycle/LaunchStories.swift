// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

/// Changes of Bluetooth's availability, and launches of the app.
struct LaunchStories {
    @Test func `an accessory that was paired is waited for at the next launch`() {
        var bench = MachineBench(isRemembered: true)
        #expect(
            bench.tell(.available) == [
                .retrieve(.remembered), .report(.restoring, .bluetoothAvailable),
            ]
        )
        #expect(
            bench.tell(.retrieved("strap")) == [
                .connect("strap", .standing(after: .zero)), .report(.outOfRange, .remembered),
            ]
        )
    }

    @Test func `one that the system does not know may be held by it`() {
        var bench = MachineBench(isRemembered: true)
        bench.tell(.available)
        #expect(bench.tell(.retrieved(nil)) == [.retrieve(.heldBySystem)])
        #expect(bench.tell(.retrieved("strap")).contains(.reserveSlot(.dial)))
    }

    @Test func `or else it is taken up when it is seen`() {
        var bench = MachineBench(isRemembered: true)
        bench.tell(.available, .retrieved(nil), .retrieved(nil))
        #expect(bench.machine.state == .idle(.unknownToSystem))
        #expect(bench.tell(.found("new", rssi: -50)).contains(.reserveSlot(.dial)))
        bench.tell(.slot(.granted), .link("new", .connected(known: .all)))
        bench.tell(.link("new", .subscriptionChanged(.measurement, .confirmed)))
        let actions = bench.tell(.link("new", .subscriptionChanged(.battery, .confirmed)))
        #expect(actions.contains(.save("new")))
    }

    @Test func `a machine without an accessory is idle, since it was never paired`() {
        var bench = MachineBench()
        bench.tell(.available)
        #expect(bench.machine.state == .idle(.neverPaired))
        #expect(bench.tell(.wished(.connect)) == [])
    }

    @Test func `one that was being connected to is waited for further`() {
        var bench = MachineBench(isRemembered: true)
        #expect(
            bench.tell(.restored("strap", .connecting)) == [.report(.restoring, .restored)]
        )
        #expect(
            bench.tell(.available) == [
                .connect("strap", .standing(after: .zero)), .report(.outOfRange, .restored),
            ]
        )
    }

    @Test func `one that was connected is used at once, if its services are known`() {
        var bench = MachineBench(isRemembered: true)
        bench.tell(.restored("strap", .connected(known: .all)))
        #expect(bench.tell(.available).contains(.reserveSlot(.arrived)))
        let actions = bench.tell(.slot(.granted))
        #expect(actions.contains(.subscribe("strap", .measurement)))
        #expect(!actions.contains { $0.reports(.discoveringServices) })
        bench.hear(
            .subscriptionChanged(.measurement, .confirmed),
            .subscriptionChanged(.battery, .confirmed)
        )
        #expect(bench.machine.log.records.last?.approach == .restored)
    }

    @Test func `else they are looked up`() {
        var bench = MachineBench(isRemembered: true)
        bench.tell(.restored("strap", .connected(known: [.measurement])), .available)
        let actions = bench.tell(.slot(.granted))
        #expect(actions.contains(.discoverServices("strap", ["180D", "180F"])))
    }

    @Test func `what happens between restoration and power-on counts`() {
        var bench = MachineBench(isRemembered: true)
        bench.tell(.restored("strap", .connecting))
        bench.hear(.connected(known: .all))
        #expect(bench.machine.state == .restoring("strap", .connected(known: .all)))
        bench.hear(.servicesModified(["180F"]))
        #expect(
            bench.machine.state == .restoring("strap", .connected(known: [.measurement, .place]))
        )
        bench.hear(.disconnected(.lost, isReconnecting: false))
        #expect(bench.machine.state == .restoring("strap", .connecting))
    }

    @Test func `a wish to forget what is being restored is carried out at power-on`() {
        var bench = MachineBench(isRemembered: true)
        bench.tell(.restored("strap", .connected(known: [])))
        #expect(bench.tell(.wished(.forget)) == [.erase, .report(.restoring, .wished)])
        #expect(bench.tell(.available).contains(.cancelConnection("strap")))
        bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(bench.machine.state == .idle(.forgotten))
    }

    @Test(arguments: Unavailability.allCases)
    func `each reason why there is no Bluetooth is told apart, and all resumes after it`(
        why: Unavailability
    ) {
        var bench = MachineBench.ready()
        let actions = bench.tell(.unavailable(why))
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
        #expect(bench.tell(.available).contains(.retrieve(.remembered)))
    }

    @Test func `a search that was cut short begins again`() {
        var bench = MachineBench()
        bench.tell(.available, .wished(.pair), .retrieved(nil))
        #expect(bench.tell(.unavailable(.poweredOff)).first == .stopScan)
        bench.tell(.available)
        #expect(bench.tell(.retrieved(nil)).contains(.scan))
    }

    @Test func `what was disconnected stays so while Bluetooth goes and comes`() {
        var bench = MachineBench.ready()
        bench.tell(.wished(.disconnect), .unavailable(.poweredOff), .available)
        #expect(bench.machine.state == .idle(.disconnected))
        #expect(bench.tell(.wished(.connect)).contains(.retrieve(.remembered)))
    }

    @Test func `off after resetting is told`() {
        var bench = MachineBench()
        bench.tell(.unavailable(.resetting))
        #expect(bench.tell(.unavailable(.resetting)) == [])
        #expect(
            bench.tell(.unavailable(.poweredOff)) == [
                .report(.poweredOff, .bluetoothUnavailable)
            ]
        )
    }
}
