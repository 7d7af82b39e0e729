// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import StoreTestSupport
import Testing

@testable import BluetoothHost

@Suite("Schedule of writes to the store")
struct ScheduleTests {
    private let client = RecordName.client(SampleBonds.peer(1))
    private let other = RecordName.client(SampleBonds.peer(2))

    @Test("A change is due at once, and is written once")
    func single() {
        var schedule = SaveSchedule()
        #expect(schedule.nextDeadline == nil && !schedule.hasChanges)
        schedule.request(client)
        schedule.request(client)
        #expect(schedule.hasChanges)
        #expect(schedule.nextDeadline == .zero)
        #expect(schedule.takeDue(now: .zero) == [client])
        #expect(schedule.takeDue(now: .zero) == [])
        #expect(schedule.nextDeadline == nil)
    }

    @Test("Endless changes cause a limited number of writes, and the last change is written")
    func limit() {
        var schedule = SaveSchedule()
        var now = Instant.zero
        var count = 0
        for tick in 0..<36_000 {
            now = .zero + .milliseconds(100 * tick)
            schedule.request(client)
            count += schedule.takeDue(now: now).count
        }
        // An hour has 120 intervals, the last of which has not ended.
        #expect(count == SaveSchedule.burstLimit + 119)
        #expect(schedule.waiting == [client], "The latest change waits to be written")
        let deadline = schedule.nextDeadline
        #expect(deadline.map { $0 > now && $0 <= now + SaveSchedule.interval } == true)
        schedule.request(other)
        #expect(schedule.takeDue(now: now) == [other], "Other records are written at once")
        #expect(schedule.takeDue(now: deadline ?? .zero) == [client])
    }

    @Test("A record of an application waits at most a second, until its burst limit is reached")
    func application() throws {
        let record = RecordName.application(try #require(ApplicationName("mine")))
        var schedule = SaveSchedule()
        var writes: [Instant] = []
        for tick in 0..<36_000 {
            let now = Instant.zero + .milliseconds(100 * tick)
            schedule.request(record)
            if schedule.takeDue(now: now) == [record] { writes.append(now) }
        }
        let quick = writes.prefix(SaveSchedule.applicationBurstLimit)
        let second = SaveSchedule.applicationInterval
        #expect(zip(quick, quick.dropFirst()).allSatisfy { $1 <= $0 + second })
        // An hour has 120 intervals, the last of which has not ended.
        #expect(writes.count == SaveSchedule.applicationBurstLimit + 119)
    }

    @Test("After a pause, a record has its full burst limit again")
    func recovery() {
        var schedule = SaveSchedule()
        let later = Instant.zero + SaveSchedule.interval * SaveSchedule.burstLimit
        for now in [Instant.zero, later] {
            for _ in 0..<SaveSchedule.burstLimit {
                schedule.request(client)
                #expect(schedule.takeDue(now: now) == [client])
            }
            schedule.request(client)
            #expect(schedule.takeDue(now: now) == [])
        }
        #expect(schedule.takeAll() == [client])
        #expect(schedule.takeAll() == [])
    }

    @Test("The order in which the bonds were used is written rarely")
    func order() {
        var schedule = SaveSchedule()
        schedule.request(.order)
        #expect(schedule.takeDue(now: .zero) == [.order])
        schedule.request(.order)
        #expect(schedule.takeDue(now: .zero) == [])
        #expect(schedule.nextDeadline == Instant.zero + SaveSchedule.orderInterval)
    }

    @Test("A failed write is repeated after a pause, unless its record was removed")
    func failure() {
        var schedule = SaveSchedule()
        for name in [client, other] {
            schedule.request(name)
            _ = schedule.takeDue(now: .zero)
            schedule.failed(name, now: .zero)
        }
        #expect(schedule.takeDue(now: .zero) == [])
        schedule.forget(other)
        #expect(schedule.nextDeadline == Instant.zero + SaveSchedule.interval)
        #expect(schedule.takeDue(now: .zero + SaveSchedule.interval) == [client])
    }

    @Test("The schedule forgets records without recent writes")
    func pruning() {
        var schedule = SaveSchedule()
        var now = Instant.zero
        for number in 0..<(4 * SaveSchedule.pruneLimit) {
            schedule.request(.client(SampleBonds.peer(number)))
            #expect(schedule.takeDue(now: now).count == 1)
            now = now + .seconds(1)
        }
        #expect(schedule.trackedCount <= SaveSchedule.pruneLimit + 1)
    }
}

@Suite("Counters of signed commands")
struct CounterTests {
    @Test(
        "Each counter is used once and reserved before its use",
        arguments: [0, 1, 255, 256, 1_000]
    )
    func taking(_ count: Int) {
        var counter = SignCounter()
        var stored: UInt32 = 0
        for expected in 0..<count {
            guard let taken = counter.take() else { return #expect(Bool(false)) }
            if taken.isBlockNew { stored = counter.reserved }
            #expect(taken.counter == expected && taken.counter < stored)
            #expect(taken.isBlockNew == expected.isMultiple(of: Int(SignCounter.blockLength)))
        }
        var next = SignCounter(next: stored, reserved: stored)
        #expect(next.take().map { $0.counter >= count && $0.isBlockNew } == true)
    }

    @Test("The last counter has no successor")
    func exhaustion() {
        let last = UInt32.max - 1
        var counter = SignCounter(next: last - 1, reserved: last - 1)
        #expect(counter.take()?.counter == last - 1)
        #expect(counter.reserved == .max)
        #expect(counter.take()?.counter == last)
        #expect(counter.take() == nil)
        #expect(counter.take() == nil)
    }

    @Test("A failed reservation is repeated")
    func failure() {
        var counter = SignCounter()
        #expect(counter.take()?.isBlockNew == true)
        counter.reservationFailed()
        #expect(counter.take().map { $0.counter == 1 && $0.isBlockNew } == true)
    }

    @Test("Counters of peers never exceed the stored limit, which is written rarely")
    func ceiling() {
        var ceiling = CounterCeiling()
        var stored: UInt32?
        var writes = 0
        for counter in stride(from: UInt32(3), to: 100_000, by: 1) {
            if ceiling.raise(above: counter) {
                stored = ceiling.ceiling
                writes += 1
            }
            #expect(stored.map { counter <= $0 } == true)
        }
        #expect(writes < 40)
        ceiling.removeLimit()
        #expect(ceiling.ceiling == nil)
        let isRaised = ceiling.raise(above: 100_001)
        #expect(isRaised)
    }

    @Test("A restart skips only a few counters of a peer that signs rarely")
    func shortBlock() {
        var ceiling = CounterCeiling()
        _ = ceiling.raise(above: 10)
        #expect(ceiling.ceiling == 18)
        _ = ceiling.raise(above: .max)
        #expect(ceiling.ceiling == .max)
    }
}
