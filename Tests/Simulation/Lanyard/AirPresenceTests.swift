// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTesting
import Synchronization
import Testing

@testable import Lanyard

@Suite("Presence on the virtual radio")
struct AirPresenceTests {
    /// The presence events with their times.
    private final class Tale: Sendable {
        let events = Mutex<[(event: PresenceEvent, time: Duration)]>([])

        func count(_ predicate: (PresenceEvent) -> Bool) -> Int {
            events.withLock { $0.count { predicate($0.event) } }
        }
    }

    @Test("With 20 % loss, no present accessory is reported lost, and each absent one is, in time")
    func presence() async throws {
        let life = try Life(seed: 5, straps: 4, interval: .milliseconds(1022), isWritten: false)
        try await life.live(for: .seconds(3600)) {
            let tale = Tale()
            let world = life.world
            world.phone.disturb(losing: 0.2)
            let events = try life.central.withLock { try $0?.presence(matching: .service("180D")) }
            let listener = Task {
                guard let events else { return }
                for await event in events { tale.events.withLock { $0.append((event, world.now)) } }
            }
            try await world.advance(by: .seconds(1200))
            #expect(tale.count { if case .discovered = $0 { true } else { false } } == 4)
            #expect(tale.count { if case .lost = $0 { true } else { false } } == 0)

            let leaving = world.now
            for strap in life.straps { strap.walk(to: .outOfRange) }
            try await world.advance(by: .seconds(60))
            listener.cancel()
            await listener.value
            let all = tale.events.withLock { $0 }
            for case (.lost(let device, .silent), let time) in all {
                let learned = try #require(device.learnedInterval)
                #expect(time - leaving <= learned * 2 + .seconds(5))
            }
            #expect(tale.count { if case .lost = $0 { true } else { false } } == 4)
        }
    }
}
