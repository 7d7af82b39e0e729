// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The requests of all managers to the peripheral of one link.
///
/// The core sends one request at a time, in the order of the calls, and waits for its result. The
/// results therefore come in the same order. Only a request that fails early can overtake others:
/// because too many requests wait, or because the database changed.
///
/// The core sends a write without response when it has sent all earlier requests. It waits for the
/// result of the request before it only if that is a write, or a reading of the database after a
/// change. Written values therefore arrive in the order of the calls.
struct ClientCore: Sendable {
    /// The maximum number of requests that wait on one link. Further ones are refused at once.
    static let waitingLimit = 4_096
    /// The number of times in a row that the core reads the database because the peripheral reports
    /// changes. Another waiting request then comes first, so that the reports cannot block all
    /// requests.
    static let refreshLimit = 8

    /// The identifier of a request. Unique on its link.
    typealias JobIdentifier = UInt64

    enum Action: Sendable {
        /// Send a request to the host, and report its result with `completed`.
        case begin(PortRequest, JobIdentifier)
        case post(RemoteEvent, to: SessionIdentifier)
        /// Send an event to every manager that uses the link.
        case postToAll(RemoteEvent)
        /// Record the services of the peripheral.
        case servicesKnown([GATT.Service])
    }

    /// The result that a request waits for.
    enum Stage: Sendable {
        /// The peripheral's database, to answer a search or to find an attribute.
        case table
        /// A part of the database, if the peripheral does not allow reading the whole database.
        case part
        /// The descriptors of a characteristic, to subscribe without the database.
        case descriptors
        case value
    }

    struct Job: Sendable {
        let id: JobIdentifier
        /// The manager that gets the result; `nil` if the manager no longer uses the link or the
        /// core made the request.
        var session: SessionIdentifier?
        let request: ClientRequest
        var stage = Stage.value
        /// Whether the request was already repeated after a change of the database.
        var isRepeated = false
        /// Whether a change of the database invalidated the attribute while the host had the
        /// request. The request was answered then, so its result is dropped.
        var isStale = false
    }

    private var lastJob: JobIdentifier = 0
    private(set) var waiting: [Job] = []
    /// The number of times in a row that the database was read.
    private var refreshCount = 0
    var active: Job?
    /// The writes without response that were given to the host and have no result yet.
    private var commands: [JobIdentifier: (session: SessionIdentifier?, window: WriteWindow)] = [:]
    var subscriptions = Subscriptions()
    /// Whether reading the peripheral's database failed.
    var isTableUnreadable = false
    /// The handles of the services in the database that was read last.
    private var services: [ClosedRange<AttributeHandle>] = []
    /// Whether the managers' attributes are known to be valid on this link. They may be from an
    /// earlier link and have changed since, so the core reads the database before the first
    /// request.
    private var isVerified: Bool

    init(isVerified: Bool = false) {
        self.isVerified = isVerified
    }
}

// Requests and events.
extension ClientCore {
    mutating func ask(_ request: ClientRequest, for session: SessionIdentifier?) -> [Action] {
        if !isVerified {
            isVerified = true
            if !request.readsTable { enqueue(.refresh, for: nil) }
        }
        guard waiting.count < Self.waitingLimit || session == nil else {
            return refuse(request, for: session, ClientError.failed(.outOfSpace))
        }
        enqueue(request, for: session)
        return proceed()
    }

    /// Handles a change of the peripheral's services in these ranges. If the peripheral reported
    /// the change, the database is read again.
    mutating func servicesChanged(
        _ ranges: [ClosedRange<AttributeHandle>],
        isReported: Bool
    ) -> [Action] {
        let stale = ranges + services.filter { $0.overlaps(anyOf: ranges) }
        // The failures come first, because the change invalidates the application's objects of
        // these attributes.
        var actions = failRequests(in: stale)
        subscriptions.end(in: stale)
        actions.append(.postToAll(.servicesModified(ranges, isReportedByPeer: isReported)))
        return actions + (isReported ? tableOutdated() : proceed())
    }

    /// Reads the database again, because it changed.
    mutating func tableOutdated() -> [Action] {
        isVerified = true
        insertRefresh()
        return proceed()
    }

    /// Removes a manager that no longer uses the link.
    mutating func left(_ session: SessionIdentifier) -> [Action] {
        for job in waiting where job.session == session { releaseWindow(of: job.request) }
        waiting.removeAll { $0.session == session }
        if active?.session == session { active?.session = nil }
        for id in commands.keys where commands[id]?.session == session {
            commands[id]?.session = nil
        }
        for characteristic in subscriptions.remove(session) {
            enqueue(.unsubscribe(characteristic), for: nil)
        }
        return proceed()
    }

    mutating func enqueue(_ request: ClientRequest, for session: SessionIdentifier?) {
        lastJob += 1
        waiting.append(Job(id: lastJob, session: session, request: request))
    }

    /// Adds a reading of the database before the other requests. One reading covers any number of
    /// changes. After `refreshLimit` readings in a row, another request comes first.
    private mutating func insertRefresh() {
        guard !waiting.prefix(2).contains(where: \.request.isRefresh) else { return }
        lastJob += 1
        let place = refreshCount < Self.refreshLimit ? 0 : min(1, waiting.count)
        waiting.insert(Job(id: lastJob, request: .refresh), at: place)
    }

    /// Returns the event for a request that is not sent. A write without response gets no error.
    func refuse(
        _ request: ClientRequest,
        for session: SessionIdentifier?,
        _ error: ClientError
    ) -> [Action] {
        guard let session else { return [] }
        if case .command(_, _, let window) = request {
            return window.release() ? [.post(.readyToWrite, to: session)] : []
        }
        return request.failed(error).map { [.post($0, to: session)] } ?? []
    }

    /// Removes the waiting requests for which the condition holds, and returns them in order.
    mutating func takeWaiting(where isTaken: (Job) -> Bool) -> [Job] {
        let taken = waiting.filter(isTaken)
        waiting.removeAll(where: isTaken)
        return taken
    }

    private func releaseWindow(of request: ClientRequest) {
        if case .command(_, _, let window) = request { _ = window.release() }
    }
}

// The order of requests.
extension ClientCore {
    /// Handles the result of a request to the host.
    mutating func completed(
        _ id: JobIdentifier,
        _ result: Result<PortAnswer, any Error>
    ) -> [Action] {
        if let command = commands.removeValue(forKey: id) {
            return commandDone(command.session, command.window, result) + proceed()
        }
        guard let job = active, job.id == id else { return [] }
        if job.isStale { return drop(result) + proceed() }
        if case .failure(let error) = result, ClientFailure.error(error) == nil {
            // The link ended, and its requests are not answered. The waiting requests end in the
            // same way.
            return end(job, nil) + proceed()
        }
        return advance(job, result) + proceed()
    }

    private mutating func commandDone(
        _ session: SessionIdentifier?,
        _ window: WriteWindow,
        _ result: Result<PortAnswer, any Error>
    ) -> [Action] {
        let isReady = window.release()
        if case .failure(let error) = result, ClientFailure.error(error) == nil { return [] }
        guard let session, isReady else { return [] }
        return [.post(.readyToWrite, to: session)]
    }

    private mutating func proceed() -> [Action] {
        var actions: [Action] = []
        while let next = waiting.first, mayStart(next) {
            waiting.removeFirst()
            actions += start(next)
        }
        return actions
    }

    private func mayStart(_ job: Job) -> Bool {
        guard job.request.isCommand else { return active == nil }
        return active?.request.delaysCommands != true && commands.count < WriteWindow.limit
    }

    private mutating func start(_ job: Job) -> [Action] {
        refreshCount = job.request.isRefresh ? refreshCount + 1 : 0
        switch job.request {
        case .find(let search):
            return isTableUnreadable ? findPart(search, job) : wait(.database, .table, job)
        case .command(let characteristic, let value, let window):
            commands[job.id] = (job.session, window)
            let operation = GATT.Operation.writeWithoutResponse(characteristic.valueHandle, value)
            return [.begin(.gatt(operation), job.id)]
        case .setNotifying(true, let characteristic), .renotify(let characteristic):
            return startSubscribing(to: characteristic, job)
        case .setNotifying(false, let characteristic):
            return stopSubscribing(to: characteristic, job)
        case .unsubscribe(let characteristic): return unsubscribe(from: characteristic, job)
        case .refresh: return wait(.database, .table, job)
        case .read, .write, .readDescriptor, .writeDescriptor: return startOperation(job)
        }
    }

    /// Sends a request to the host, and makes the job wait for its result.
    mutating func wait(_ request: PortRequest, _ stage: Stage, _ job: Job) -> [Action] {
        active = job
        active?.stage = stage
        return [.begin(request, job.id)]
    }

    /// Ends a job with an event for its manager, or without one.
    mutating func end(_ job: Job, _ event: RemoteEvent?) -> [Action] {
        active = nil
        guard let session = job.session, let event else { return [] }
        return [.post(event, to: session)]
    }

    mutating func fail(_ job: Job, _ error: ClientError) -> [Action] {
        end(job, job.request.failed(error))
    }

    /// Records the services of the database that was read.
    mutating func note(_ services: [GATT.Service]) -> [Action] {
        self.services = services.map(\.handles)
        return [.servicesKnown(services)]
    }
}
