// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTesting
import Synchronization
import Testing

@testable import Lanyard

@Suite("Presence on the virtual radio")
struct AirPresenceTests {
    /// The presence events with their times.
    private final class PresenceLog: Sendable {
        let events = Mutex<[(event: PresenceEvent, time: Duration)]>([])

        func count(_ predicate: (PresenceEvent) -> Bool) -> Int {
            events.withLock { $0.count { predicate($0.event) } }
        }
    }

    @Test("With 20 % loss, only absent accessories are reported lost, and each of them in time")
    func presence() async throws {
        let app = try AppHarness(
            seed: 5,
            straps: 4,
            interval: .milliseconds(1022),
            isWritten: false
        )
        try await app.run(for: .seconds(3600)) {
            let log = PresenceLog()
            let world = app.world
            world.phone.disturb(losing: 0.2)
            let events = try app.central.withLock { try $0?.presence(matching: .service("180D")) }
            let listener = Task {
                guard let events else { return }
                for await event in events { log.events.withLock { $0.append((event, world.now)) } }
            }
            try await world.advance(by: .seconds(1200))
            #expect(log.count { if case .discovered = $0 { true } else { false } } == 4)
            #expect(log.count { if case .lost = $0 { true } else { false } } == 0)

            let leaving = world.now
            for strap in app.straps { strap.walk(to: .outOfRange) }
            try await world.advance(by: .seconds(60))
            listener.cancel()
            await listener.value
            let all = log.events.withLock { $0 }
            for case (.lost(let device, .silent), let time) in all {
                let learned = try #require(device.learnedInterval)
                #expect(time - leaving <= learned * 2 + .seconds(5))
            }
            #expect(log.count { if case .lost = $0 { true } else { false } } == 4)
        }
    }
}
