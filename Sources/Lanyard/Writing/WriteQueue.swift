// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values that one accessory is to be written, one behind the other.
///
/// Writes keep their order also where they are for different characteristics: what an application writes
/// first arrives first. One write with response is under way at a time; those without go out for as long as
/// there is room. Whoever owns the queue does what `next(_:)` says until that has nothing more to say,
/// whenever something has happened.
struct WriteQueue {
    /// How many values wait at most; another is refused.
    static let limit = 128

    private var jobs: [WriteJob] = []
    /// The characteristic of which the confirmation of a write is awaited. That may outlive its job.
    private var awaited: CharacteristicPath?
    /// When the first job has had no progress for too long.
    private(set) var deadline: Duration?
    private var outcomes: [WriteAction] = []
    private let patience: Duration

    /// - Parameter patience: how long the first in the queue may be without progress.
    init(patience: Duration) {
        self.patience = patience
    }

    /// Whether nothing waits, and nothing is under way.
    var isIdle: Bool { jobs.isEmpty && awaited == nil }

    // MARK: What happens

    /// A value more.
    mutating func add(_ job: WriteJob, now: Duration) throws(AccessoryError) {
        guard jobs.count < Self.limit else { throw .tooManyWrites(limit: Self.limit) }
        jobs.append(job)
        if jobs.count == 1 { deadline = now + patience }
    }

    /// The accessory has answered the write of this characteristic that is under way, if one is.
    mutating func confirmed(
        _ path: CharacteristicPath,
        _ error: AccessoryError?,
        now: Duration
    ) {
        guard awaited == path else { return }
        awaited = nil
        guard var job = jobs.first, job.isUnderWay else { return }
        job.isUnderWay = false
        jobs[0] = job
        if let error { return finish(throwing: error, now) }
        progressed(now)
    }

    /// Somebody does not want a value written any more. What is under way of it is.
    mutating func cancel(_ number: Int, now: Duration) {
        guard let index = jobs.firstIndex(where: { $0.number == number }) else { return }
        jobs.remove(at: index)
        if index == 0 { deadline = jobs.isEmpty ? nil : now + patience }
    }

    /// These services are gone, or others: what waits for them is not written, and what is under way is not
    /// confirmed any more.
    mutating func servicesChanged(_ services: Set<BluetoothID>, now: Duration) {
        let lost = jobs.filter { services.contains($0.path.service) }
        if let awaited, services.contains(awaited.service) { self.awaited = nil }
        guard !lost.isEmpty else { return }
        jobs.removeAll { services.contains($0.path.service) }
        for job in lost {
            let error = AccessoryError.writeInterrupted(sent: job.sent, of: job.value.count)
            outcomes.append(.finished(job.number, error))
        }
        deadline = jobs.isEmpty ? nil : now + patience
    }

    /// The link has ended: nothing of what waits is written.
    mutating func linkEnded() {
        for job in jobs {
            let error = AccessoryError.writeInterrupted(sent: job.sent, of: job.value.count)
            outcomes.append(.finished(job.number, error))
        }
        jobs = []
        awaited = nil
        deadline = nil
    }

    /// Time has passed.
    mutating func deadlinePassed(now: Duration) {
        guard let deadline, deadline <= now else { return }
        finish(throwing: .requestTimedOut(after: patience), now)
    }

    /// Whether the first in the queue waits for nothing but room.
    func waitsForRoom(_ room: WriteRoom) -> Bool {
        guard let job = jobs.first, awaited == nil, outcomes.isEmpty else { return false }
        return !job.withResponse && room.withoutResponse > 0 && !room.isThere
    }

    // MARK: What is to be done

    /// What to do next; nil for nothing, until something happens.
    mutating func next(_ room: WriteRoom, now: Duration) -> WriteAction? {
        guard outcomes.isEmpty else { return outcomes.removeFirst() }
        guard let job = jobs.first, awaited == nil else { return nil }
        let length = room.length(withResponse: job.withResponse, cut: job.mayBeCut)
        guard length > 0, job.withResponse || room.isThere else { return nil }
        return write(job, atMost: length, now)
    }

    private mutating func write(
        _ job: WriteJob,
        atMost length: Int,
        _ now: Duration
    ) -> WriteAction? {
        guard job.mayBeCut || job.value.count <= length else {
            finish(throwing: .tooLong(length: job.value.count, maximum: length), now)
            return outcomes.removeFirst()
        }
        let chunk = job.value.dropFirst(job.sent).prefix(length)
        jobs[0].sent += chunk.count
        jobs[0].isUnderWay = job.withResponse
        awaited = job.withResponse ? job.path : nil
        if !job.withResponse { progressed(now) }
        return .write(Data(chunk), to: job.path, withResponse: job.withResponse)
    }

    /// A chunk is out.
    private mutating func progressed(_ now: Duration) {
        let job = jobs[0]
        deadline = now + patience
        outcomes.append(.progressed(job.number, job.sent))
        if job.sent == job.value.count { finish(throwing: nil, now) }
    }

    private mutating func finish(throwing error: AccessoryError?, _ now: Duration) {
        let job = jobs.removeFirst()
        outcomes.append(.finished(job.number, error))
        deadline = jobs.isEmpty ? nil : now + patience
    }
}
