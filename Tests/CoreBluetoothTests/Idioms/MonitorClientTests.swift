// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Testing
import VirtualAccessories

@testable import PlainClient

@Suite("A central in plain Swift 5")
struct MonitorClientTests {
    @Test("A monitor discovers a heart rate sensor, subscribes and receives the heart rate")
    func monitor() async throws {
        let fixture = try Fixture(.thermometer(name: "Shelf"), .heartRate(name: "Strap"))
        try await fixture.run {
            let queue = DispatchQueue(label: "monitor")
            let monitor = HeartRateMonitor()
            let journal = Journal()
            queue.sync {
                monitor.onRate = { journal.add("rate \($0)") }
                monitor.start(queue: queue, options: [CBManagerOptionAdapterKey: fixture.adapter])
            }
            await journal.wait(for: "rate", count: 3)
            queue.sync {
                #expect(monitor.rates.allSatisfy { (30...220).contains($0) })
                guard case .listening = monitor.phase else {
                    Issue.record("the monitor is \(monitor.phase)")
                    return
                }
                monitor.stop()
                #expect(monitor.phase == .idle)
            }
        }
    }
}
