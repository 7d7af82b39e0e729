// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Room for a write without response")
struct RoomWatchTests {
    @Test("Room is checked repeatedly, at increasing intervals")
    func pauses() {
        var watch = RoomWatch()
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<8 {
            watch.update(isWaiting: true, now: now)
            guard let next = watch.nextLook else { break }
            pauses.append(next - now)
            now = next
        }
        let expected = [20, 40, 80, 160, 320, 640, 640, 640].map { Duration.milliseconds($0) }
        #expect(pauses == expected)
        watch.update(isWaiting: false, now: now)
        #expect(watch.nextLook == nil)
    }

    @Test("A link that has never had room permits one write after each waiting time")
    func blindly() {
        var watch = RoomWatch()
        let isPermittedAtFirst = watch.mayWrite(false, now: .zero)
        #expect(!isPermittedAtFirst)
        watch.update(isWaiting: true, now: .zero)
        let isPermittedEarly = watch.mayWrite(false, now: RoomWatch.waitingLimit - .milliseconds(1))
        #expect(!isPermittedEarly)
        let isPermittedInTime = watch.mayWrite(false, now: RoomWatch.waitingLimit)
        #expect(isPermittedInTime)
        watch.wrote()
        let isPermittedAgain = watch.mayWrite(false, now: RoomWatch.waitingLimit)
        #expect(!isPermittedAgain)
        watch.update(isWaiting: true, now: RoomWatch.waitingLimit)
        let isPermittedLater = watch.mayWrite(false, now: RoomWatch.waitingLimit * 2)
        #expect(isPermittedLater)
    }

    @Test("A link that has had room permits no write without room")
    func reliable() {
        var watch = RoomWatch()
        let isPermittedWithRoom = watch.mayWrite(true, now: .zero)
        #expect(isPermittedWithRoom)
        watch.update(isWaiting: true, now: .zero)
        let isPermittedWithoutRoom = watch.mayWrite(false, now: .seconds(60))
        #expect(!isPermittedWithoutRoom)
    }
}
