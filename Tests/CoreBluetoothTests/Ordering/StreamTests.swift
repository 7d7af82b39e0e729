// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Testing
import VirtualAccessories

struct StreamTests {
    private static let names = ["One", "Two", "Three", "Four"]
    /// The number of values from each peripheral to each of two managers: ten thousand in all.
    private static let limit = 1_250

    @Test("1.2, 1.11, 7.1 Two managers receive all numbers of four peripherals, in order")
    func concurrentQueue() async throws {
        let (names, limit) = (Self.names, Self.limit)
        let profiles = names.map { SimpleAccessoryProfile.counter(name: $0, limit: limit) }
        let fixture = try Fixture(profiles[0], profiles[1], profiles[2], profiles[3])
        try await fixture.run {
            let queue = DispatchQueue(label: "application", attributes: .concurrent)
            let listeners = (0..<2).map { _ in
                Listener(on: fixture.adapter, queue: queue, limit: limit)
            }
            for listener in listeners {
                await listener.journal.wait(for: "ready", count: names.count)
            }
            for name in names {
                let start = try #require(
                    listeners[0].characteristic(OrderingUUID.start, of: name)
                )
                let peripheral = try #require(listeners[0].peripherals[name])
                peripheral.writeValue(Data([1]), for: start, type: .withResponse)
            }
            for listener in listeners {
                await listener.journal.wait(for: "done", count: names.count)
                for name in names {
                    #expect(listener.numbers[name] == Array(0..<UInt32(limit)), "\(name)")
                }
            }
        }
    }
}
