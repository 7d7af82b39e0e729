// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values that wait to be written to one accessory, in order.
///
/// Writes keep their order even if they are for different characteristics. No write begins while a
/// write with response is in progress; writes without response are made as long as there is room.
/// After every change, the owner of the queue performs the actions of `next(_:now:)` until it
/// returns `nil`.
struct WriteQueue {
    /// The maximum number of waiting values; a further one is refused.
    static let limit = 128

    private var jobs: [WriteJob] = []
    /// The job whose write awaits its confirmation. It can remain after the job has ended.
    private var awaited: WriteJob?
    /// The time at which the first job has made no progress for too long.
    private(set) var deadline: Duration?
    private var outcomes: [WriteAction] = []
    private let progressLimit: Duration

    /// Creates an empty queue.
    ///
    /// - Parameter progressLimit: The maximum time of the first job without progress.
    init(progressLimit: Duration) {
        self.progressLimit = progressLimit
    }

    /// Whether no value waits and no write is in progress.
    var isIdle: Bool { jobs.isEmpty && awaited == nil }

    /// The job whose write awaits its confirmation; `nil` if there is none.
    var jobUnderWay: Int? {
        jobs.first.flatMap { $0.isUnderWay ? $0.number : nil }
    }

    // MARK: Events

    /// Adds a value.
    mutating func add(_ job: WriteJob, now: Duration) throws(AccessoryError) {
        guard jobs.count < Self.limit else { throw .tooManyWrites(limit: Self.limit) }
        jobs.append(job)
        if jobs.count == 1 { deadline = now + progressLimit }
    }

    /// Handles the answer to the current write of this characteristic, if there is one.
    mutating func confirmed(
        _ path: CharacteristicPath,
        _ error: AccessoryError?,
        now: Duration
    ) {
        guard awaited?.path == path else { return }
        awaited = nil
        guard var job = jobs.first, job.isUnderWay else { return }
        job.isUnderWay = false
        jobs[0] = job
        if let error { return finish(throwing: error, now) }
        progressed(now)
    }

    /// Removes a canceled job. A write that is already in progress continues.
    mutating func cancel(_ number: Int, now: Duration) {
        guard let index = jobs.firstIndex(where: { $0.number == number }) else { return }
        jobs.remove(at: index)
        if index == 0 { deadline = jobs.isEmpty ? nil : now + progressLimit }
    }

    /// Ends the jobs of services that have changed. Their values are not written, and the current
    /// write is no longer confirmed. A job for a valid characteristic stays: another service with
    /// the same UUID has changed.
    mutating func servicesChanged(
        _ services: Set<BluetoothID>,
        unless isValid: (AttributeReference) -> Bool,
        now: Duration
    ) {
        func isLost(_ job: WriteJob) -> Bool {
            services.contains(job.path.service) && !isValid(job.characteristic)
        }
        if awaited.map(isLost) == true { awaited = nil }
        let lost = jobs.filter(isLost)
        guard !lost.isEmpty else { return }
        jobs.removeAll(where: isLost)
        for job in lost {
            let error = AccessoryError.writeInterrupted(sent: job.sent, of: job.value.count)
            outcomes.append(.finished(job: job.number, error))
        }
        deadline = jobs.isEmpty ? nil : now + progressLimit
    }

    /// Ends all jobs, because the link has ended.
    mutating func linkEnded() {
        for job in jobs {
            let error = AccessoryError.writeInterrupted(sent: job.sent, of: job.value.count)
            outcomes.append(.finished(job: job.number, error))
        }
        jobs = []
        awaited = nil
        deadline = nil
    }

    /// Ends the first job if it has made no progress for too long.
    mutating func deadlinePassed(now: Duration) {
        guard let deadline, deadline <= now else { return }
        finish(throwing: .requestTimedOut(after: progressLimit), now)
    }

    /// Returns whether the first job waits only for room.
    func waitsForRoom(_ capacity: WriteCapacity) -> Bool {
        guard let job = jobs.first, awaited == nil, outcomes.isEmpty else { return false }
        return !job.withResponse && capacity.withoutResponse > 0 && !capacity.canSendWithoutResponse
    }

    // MARK: Actions

    /// Returns the next action; `nil` if there is none until the next event.
    ///
    /// - Parameter capacity: The capacity for writes, which is read only if a job could be written.
    mutating func next(_ capacity: @autoclosure () -> WriteCapacity, now: Duration) -> WriteAction?
    {
        guard outcomes.isEmpty else { return outcomes.removeFirst() }
        guard let job = jobs.first, awaited == nil else { return nil }
        let capacity = capacity()
        let length = capacity.length(withResponse: job.withResponse, cut: job.mayBeCut)
        guard length > 0, job.withResponse || capacity.canSendWithoutResponse else { return nil }
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
        awaited = job.withResponse ? job : nil
        if !job.withResponse { progressed(now) }
        return .write(
            Data(chunk),
            to: job.characteristic,
            job.path,
            withResponse: job.withResponse
        )
    }

    /// Records that a chunk was written.
    private mutating func progressed(_ now: Duration) {
        let job = jobs[0]
        deadline = now + progressLimit
        outcomes.append(.progressed(job: job.number, sent: job.sent))
        if job.sent == job.value.count { finish(throwing: nil, now) }
    }

    private mutating func finish(throwing error: AccessoryError?, _ now: Duration) {
        let job = jobs.removeFirst()
        outcomes.append(.finished(job: job.number, error))
        deadline = jobs.isEmpty ? nil : now + progressLimit
    }
}
