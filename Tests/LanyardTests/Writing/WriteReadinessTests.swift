// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Room for a write without response")
struct WriteReadinessTests {
    @Test("Room is checked repeatedly, at increasing intervals")
    func pauses() {
        var poll = WriteReadiness()
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<8 {
            poll.update(isWaiting: true, now: now)
            guard let next = poll.nextCheck else { break }
            pauses.append(next - now)
            now = next
        }
        let expected = [20, 40, 80, 160, 320, 640, 640, 640].map { Duration.milliseconds($0) }
        #expect(pauses == expected)
        poll.update(isWaiting: false, now: now)
        #expect(poll.nextCheck == nil)
    }

    @Test("A link that has never had room permits one write after each waiting time")
    func blindly() {
        var poll = WriteReadiness()
        let isPermittedAtFirst = poll.mayWrite(false, now: .zero)
        #expect(!isPermittedAtFirst)
        poll.update(isWaiting: true, now: .zero)
        let isPermittedEarly = poll.mayWrite(
            false,
            now: WriteReadiness.waitingLimit - .milliseconds(1)
        )
        #expect(!isPermittedEarly)
        let isPermittedInTime = poll.mayWrite(false, now: WriteReadiness.waitingLimit)
        #expect(isPermittedInTime)
        poll.wrote()
        let isPermittedAgain = poll.mayWrite(false, now: WriteReadiness.waitingLimit)
        #expect(!isPermittedAgain)
        poll.update(isWaiting: true, now: WriteReadiness.waitingLimit)
        let isPermittedLater = poll.mayWrite(false, now: WriteReadiness.waitingLimit * 2)
        #expect(isPermittedLater)
    }

    @Test("A link that has had room permits no write without room")
    func reliable() {
        var poll = WriteReadiness()
        let isPermittedWithRoom = poll.mayWrite(true, now: .zero)
        #expect(isPermittedWithRoom)
        poll.update(isWaiting: true, now: .zero)
        let isPermittedWithoutRoom = poll.mayWrite(false, now: .seconds(60))
        #expect(!isPermittedWithoutRoom)
    }
}
