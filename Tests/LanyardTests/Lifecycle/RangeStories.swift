// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

extension MachineBench {
    /// Returns a machine whose strap has disconnected so often that the next connection request
    /// pauses for a minute.
    fileprivate static func resting() -> MachineBench {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.closed, isReconnecting: false))
        for _ in 1...8 {
            bench.hear(.connected(known: []))
            bench.tell(.slot(.granted))
            bench.hear(.disconnected(.closed, isReconnecting: false))
        }
        return bench
    }
}

/// Lost links and reconnections.
struct RangeStories {
    @Test(arguments: [LinkFailure.lost, .closed])
    func `an accessory out of range is waited for, and holds no slot`(failure: LinkFailure) {
        var bench = MachineBench.ready()
        bench.now = .seconds(60)
        #expect(
            bench.hear(.disconnected(failure, isReconnecting: false)) == [
                .releaseSlot(limitReached: false), .connect("strap", .standing(after: .zero)),
                .report(.outOfRange, .lost(failure)),
            ]
        )
        #expect(bench.machine.state.countdown == nil)
    }

    @Test func `when it comes back it gets a slot, and is looked up again`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.lost, isReconnecting: false))
        bench.now = .seconds(1000)
        #expect(bench.hear(.connected(known: [])).contains(.reserveSlot(.arrived)))
        #expect(
            bench.tell(.slot(.granted)).contains(.discoverServices("strap", ["180D", "180F"]))
        )
        bench.getReady()
        #expect(bench.machine.accessoryState == .ready)
        #expect(bench.machine.log.records.last?.approach == .standing)
    }

    @Test func `what is saved is not saved again`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.lost, isReconnecting: false), .connected(known: []))
        bench.tell(.slot(.granted))
        #expect(!bench.getReady().contains(.save("strap")))
    }

    @Test func `what is known is not looked up again`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.lost, isReconnecting: false), .connected(known: .all))
        let actions = bench.tell(.slot(.granted))
        #expect(actions.reports == [.report(.subscribing, .databaseKnown)])
        #expect(actions.contains(.subscribe("strap", .battery)))
    }

    @Test func `where the system reconnects nothing is done`() {
        var bench = MachineBench.ready()
        #expect(
            bench.hear(.disconnected(.lost, isReconnecting: true)) == [
                .releaseSlot(limitReached: false),
                .report(.outOfRange, .systemReconnects(.lost)),
            ]
        )
        #expect(bench.hear(.connected(known: .all)).contains(.reserveSlot(.arrived)))
    }

    @Test func `where it gives up a connect of ours stands in`() {
        var bench = MachineBench.ready()
        bench.now = .seconds(60)
        bench.hear(.disconnected(.lost, isReconnecting: true))
        let actions = bench.hear(.disconnected(.lost, isReconnecting: false))
        #expect(actions.contains(.connect("strap", .standing(after: .zero))))
    }

    @Test func `a link that was ended on this device is not made again`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(bench.machine.state == .idle(.cancelled))
    }

    @Test func `an end that does not mean out of range is followed by an attempt soon`() {
        var bench = MachineBench.ready()
        bench.now = .seconds(60)
        let actions = bench.hear(.disconnected(.strange, isReconnecting: false))
        #expect(actions.contains(.releaseSlot(limitReached: false)))
        guard case .connecting("strap", .backingOff(let wait)) = bench.machine.state else {
            Issue.record("\(bench.machine.state)")
            return
        }
        #expect((.milliseconds(100)...Duration.seconds(1)).contains(wait.deadline - bench.now))
        bench.wait()
        #expect(bench.tell(.slot(.granted)).contains(.connect("strap", .dial)))
    }

    @Test func `which ends mean out of range can be changed`() {
        var settings = LifecycleSettings.strap
        settings.outOfRange = OutOfRangeRule([])
        settings.outOfRange.codes = [0]
        var bench = MachineBench.ready(settings)
        bench.hear(.disconnected(.strange, isReconnecting: false))
        #expect(bench.machine.accessoryState == .outOfRange)
    }

    @Test func `one that hangs up on everybody is left alone for a while`() {
        var bench = MachineBench.ready()
        for _ in 1...8 {
            bench.hear(.disconnected(.closed, isReconnecting: false))
            #expect(bench.machine.accessoryState == .outOfRange)
            bench.hear(.connected(known: []))
            bench.tell(.slot(.granted))
        }
        let actions = bench.hear(.disconnected(.closed, isReconnecting: false))
        #expect(actions.contains(.connect("strap", .standing(after: .seconds(60)))))
        #expect(bench.machine.state == .outOfRange("strap", .ours(from: bench.now + .seconds(60))))
        #expect(bench.machine.log.records.last?.next == .standing(after: .seconds(60)))
    }

    @Test func `no timer of ours stands between an accessory and its connect`() {
        var bench = MachineBench.resting()
        #expect(bench.machine.state.countdown == nil)
        bench.now += .seconds(60)
        #expect(bench.hear(.connected(known: [])).contains(.reserveSlot(.arrived)))
    }

    @Test func `a wish ends the pause, by another connect`() {
        var bench = MachineBench.resting()
        let wished = bench.tell(.wished(.connect))
        #expect(wished.contains(.cancelConnection("strap")) && wished.contains(.reserveSlot(.dial)))
        bench.tell(.slot(.granted))
        #expect(
            bench.hear(.disconnected(nil, isReconnecting: false)).contains(.connect("strap", .dial))
        )
    }

    @Test func `what is told late does not end the pause`() {
        var bench = MachineBench.resting()
        bench.now += .seconds(20)
        let actions = bench.hear(.disconnected(nil, isReconnecting: false))
        #expect(actions == [.connect("strap", .standing(after: .seconds(40)))])
        bench.now += .seconds(40)
        #expect(bench.tell(.wished(.connect)) == [])
    }

    @Test func `an accessory with a new identifier takes the place of the old one`() {
        var bench = MachineBench.ready()
        bench.hear(.disconnected(.lost, isReconnecting: false))
        #expect(bench.tell(.found("strap", rssi: -40)) == [])
        let actions = bench.tell(.found("new", rssi: -40))
        #expect(
            actions.deeds == [.cancelConnection("strap"), .reserveSlot(.dial)]
        )
        #expect(bench.hear(.disconnected(nil, isReconnecting: false)) == [])
        bench.tell(.slot(.granted), .link("new", .connected(known: .all)))
        bench.tell(.link("new", .subscriptionChanged(.measurement, .confirmed)))
        let last = bench.tell(.link("new", .subscriptionChanged(.battery, .confirmed)))
        #expect(last.contains(.save("new")))
    }

    @Test func `services that change are looked up again, and only those`() {
        var bench = MachineBench.ready()
        #expect(bench.hear(.servicesModified(["1805"])) == [])
        let actions = bench.hear(.servicesModified(["180F"]))
        #expect(actions.contains(.discoverServices("strap", ["180F"])))
        bench.hear(.servicesDiscovered(["180F"]))
        let next = bench.hear(.characteristicsDiscovered(of: "180F", ["2A19"]))
        #expect(next.contains(.subscribe("strap", .battery)))
        #expect(!next.contains(.subscribe("strap", .measurement)))
        bench.hear(.subscriptionChanged(.battery, .confirmed))
        #expect(bench.machine.accessoryState == .ready)
        #expect(bench.machine.log.records.last?.approach == .renewal)
    }

    @Test func `an accessory that changes all the time is not waited for`() {
        var bench = MachineBench.ready()
        bench.hear(.servicesModified(["180F"]))
        let countdown = bench.machine.state.countdown
        bench.now = .seconds(9)
        #expect(!bench.hear(.servicesModified(["180D"])).isEmpty)
        #expect(bench.machine.state.countdown == countdown)
    }

    @Test func `a subscription that ended is made again`() {
        var bench = MachineBench.ready()
        #expect(
            bench.hear(.subscriptionChanged(.battery, .ended)).contains(
                .subscribe("strap", .battery)
            )
        )
        bench.hear(.subscriptionChanged(.battery, .confirmed))
        #expect(bench.machine.accessoryState == .ready)
    }

    @Test(
        "A refused renewal ends the link, also while changed services are discovered",
        arguments: [LinkFailure.unauthenticated, .strange]
    )
    func refusedRenewal(failure: LinkFailure) {
        for isChanging in [false, true] {
            var bench = MachineBench.ready()
            bench.hear(.messagesRefused(.measurement, .subscription, .unauthenticated))
            if isChanging { bench.hear(.servicesModified(["180F"])) }
            let actions = bench.hear(.subscriptionChanged(.measurement, .failed(failure)))
            #expect(actions.contains(.cancelConnection("strap")))
            #expect(actions.reports == [.report(.disconnecting, .abandoned(failure))])
            let next = bench.hear(.disconnected(nil, isReconnecting: false))
            #expect(next.contains { $0.reports(.connecting) })
        }
    }

    @Test("After a renewal that succeeded, a subscription that needs pairing does not end the link")
    func renewed() {
        var bench = MachineBench.ready()
        bench.hear(.messagesRefused(.measurement, .subscription, .unauthenticated))
        bench.hear(.subscriptionChanged(.measurement, .ended))
        bench.hear(.subscriptionChanged(.measurement, .confirmed))
        #expect(bench.machine.accessoryState == .ready)
        bench.hear(.subscriptionChanged(.measurement, .ended))
        bench.hear(.subscriptionChanged(.measurement, .failed(.unauthenticated)))
        #expect(bench.machine.accessoryState == .connected)
    }
}
