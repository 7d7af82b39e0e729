// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Scan plans")
struct ScanPlanTests {
    private func plan() -> ScanPlan {
        var plan = ScanPlan()
        plan.setPossible(true)
        return plan
    }

    @Test("One scan covers the services of all requests, with duplicates if a request needs them")
    func union() {
        var plan = plan()
        #expect(plan.next() == nil)
        #expect(plan.set(PlannedScan(services: ["180D"]), for: 1) == true)
        #expect(plan.next() == .scan(PlannedScan(services: ["180D"])))
        #expect(plan.next() == nil)
        #expect(plan.set(PlannedScan(services: ["180F"], reportsDuplicates: true), for: 2) == true)
        let both = PlannedScan(services: ["180D", "180F"], reportsDuplicates: true)
        #expect(plan.next() == .scan(both))
        #expect(plan.set(PlannedScan(services: nil), for: 3) == true)
        #expect(plan.next() == .scan(PlannedScan(services: nil, reportsDuplicates: true)))
        #expect(plan.set(nil, for: 3) == true)
        #expect(plan.next() == .scan(both))
    }

    @Test("The scan stops once when there is no request left")
    func stop() {
        var plan = plan()
        #expect(plan.set(PlannedScan(services: ["180D"]), for: 1) == true)
        _ = plan.next()
        #expect(plan.set(nil, for: 1) == true)
        #expect(plan.next() == .stop)
        #expect(plan.next() == nil)
        #expect(plan.running == nil)
    }

    @Test("The scan restarts for a new request, because it reports each device only once")
    func anew() {
        var plan = plan()
        #expect(plan.set(PlannedScan(services: ["180D"]), for: 1) == true)
        _ = plan.next()
        #expect(plan.set(PlannedScan(services: ["180D"]), for: 2) == true)
        #expect(plan.next() == .scan(PlannedScan(services: ["180D"])))
        #expect(plan.next() == nil)
        #expect(plan.set(nil, for: 1) == true)
        #expect(plan.next() == nil)
    }

    @Test("The scan waits for Bluetooth, and starts again after Bluetooth was off")
    func power() {
        var plan = ScanPlan()
        #expect(plan.set(PlannedScan(services: ["180D"]), for: 1) == true)
        #expect(plan.next() == nil)
        plan.setPossible(true)
        #expect(plan.next() == .scan(PlannedScan(services: ["180D"])))
        plan.setPossible(false)
        #expect(plan.next() == nil)
        plan.setPossible(true)
        #expect(plan.next() == .scan(PlannedScan(services: ["180D"])))
    }

    @Test("The scan of an earlier process continues, changes or stops as the requests demand")
    func restored() {
        let former = PlannedScan(services: ["180D"], reportsDuplicates: true)
        var unwanted = ScanPlan()
        unwanted.restored(former)
        unwanted.setPossible(true)
        #expect(unwanted.next() == .stop)
        #expect(unwanted.next() == nil)
        var wanted = ScanPlan()
        wanted.restored(former)
        wanted.setPossible(true)
        #expect(wanted.set(former, for: 1) == true)
        #expect(wanted.next() == nil)
        #expect(wanted.set(PlannedScan(services: ["180F"]), for: 1) == true)
        #expect(wanted.next() == .scan(PlannedScan(services: ["180F"])))
    }

    @Test("In the background, a plan leaves out duplicates and requests without services")
    func background() {
        var plan = plan()
        #expect(plan.set(PlannedScan(services: nil, reportsDuplicates: true), for: 1) == true)
        #expect(plan.set(PlannedScan(services: ["180D"], reportsDuplicates: true), for: 2) == true)
        let all = PlannedScan(services: nil, reportsDuplicates: true)
        #expect(plan.next() == .scan(all))
        plan.setInBackground(true)
        #expect(plan.next() == .scan(PlannedScan(services: ["180D"])))
        #expect(plan.set(nil, for: 2) == true)
        #expect(plan.next() == .stop)
        plan.setInBackground(false)
        #expect(plan.next() == .scan(all))
    }

    @Test("A plan refuses requests beyond its limit but accepts changes")
    func bound() {
        var plan = plan()
        for number in 0..<ScanPlan.scanLimit {
            #expect(plan.set(PlannedScan(services: ["180D"]), for: number) == true)
        }
        #expect(plan.set(PlannedScan(services: ["180F"]), for: ScanPlan.scanLimit) == false)
        #expect(plan.set(PlannedScan(services: ["180F"]), for: 0) == true)
        #expect(plan.set(nil, for: ScanPlan.scanLimit) == true)
    }
}
