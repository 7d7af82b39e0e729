// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost

/// What is asked of one link's peripheral, by all managers that use it.
///
/// One request at a time, in the order of the calls, so that answers come in that order as well. Writes
/// without response do not wait for the answer to a request that was asked for before them, unless that is
/// a write itself: what is written arrives in the order of the calls.
struct ClientCore: Sendable {
    /// How many requests may wait for their turn on one link; one more is refused at once.
    static let waitingLimit = 4_096
    /// How often in a row the table may be looked at because the peripheral says that it has changed;
    /// then something else that waits has its turn.
    static let refreshLimit = 8

    /// Names a request, for as long as the process lives.
    typealias JobIdentifier = UInt64

    enum Action: Sendable {
        /// Ask the host for this, and tell what comes of it.
        case begin(LinkRequest, JobIdentifier)
        case post(PeripheralEvent, to: SessionIdentifier)
        /// Tell every manager that uses the link.
        case postToAll(PeripheralEvent)
        /// The peripheral has these services.
        case servicesKnown([GATT.Service])
    }

    /// What a request waits for.
    enum Stage: Sendable {
        /// The peripheral's table, to answer a search or to find an attribute in.
        case table
        /// A part of the table, of a peripheral that does not tell the whole.
        case part
        /// The descriptor by which to subscribe, of such a peripheral.
        case descriptors
        case value
    }

    struct Job: Sendable {
        let id: JobIdentifier
        /// Who is told; nil once nobody is there any more.
        var session: SessionIdentifier?
        let request: ClientRequest
        var stage = Stage.value
        /// Whether it was begun anew already, after the table had changed.
        var isRepeated = false
    }

    private var lastJob: JobIdentifier = 0
    private(set) var waiting: [Job] = []
    /// How often in a row the table was looked at.
    private var refreshCount = 0
    var active: Job?
    /// Writes without response that the host has.
    private var commands: [JobIdentifier: (session: SessionIdentifier?, window: WriteWindow)] = [:]
    var subscriptions = Subscriptions()
    /// What the peripheral's table was when it was told last.
    var table: GATT.Database?
    /// Whether the peripheral has failed to tell its table.
    var hasNoTable = false
    /// Whether the table is that of an earlier link, and what managers have may be of another.
    private var mustVerify: Bool

    /// - Parameter table: what managers may still have from an earlier link.
    init(table: GATT.Database? = nil) {
        self.table = table
        mustVerify = table != nil
    }

    /// The table that managers have their attributes from.
    var lastTable: GATT.Database? { table }
}

// What is asked.
extension ClientCore {
    mutating func ask(_ request: ClientRequest, for session: SessionIdentifier?) -> [Action] {
        if mustVerify {
            mustVerify = false
            enqueue(.refresh, for: nil)
        }
        guard waiting.count < Self.waitingLimit || session == nil else {
            return refuse(request, for: session)
        }
        enqueue(request, for: session)
        return proceed()
    }

    /// The peripheral's table has changed in this range.
    mutating func tableChanged(_ handles: ClosedRange<AttributeHandle>) -> [Action] {
        subscriptions.end(in: [handles])
        insertRefresh()
        table = nil
        mustVerify = false
        return [.postToAll(.servicesModified([handles], isToldByPeer: true))] + proceed()
    }

    /// A manager does not use the link any more.
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

    /// What is asked for next is to be asked by the new table. However often that changes, one look at
    /// it is enough, and it does not keep everything else waiting.
    private mutating func insertRefresh() {
        guard !waiting.prefix(2).contains(where: \.request.isRefresh) else { return }
        lastJob += 1
        let place = refreshCount < Self.refreshLimit ? 0 : min(1, waiting.count)
        waiting.insert(Job(id: lastJob, request: .refresh), at: place)
    }

    private func refuse(_ request: ClientRequest, for session: SessionIdentifier?) -> [Action] {
        releaseWindow(of: request)
        guard let session, let event = request.failed(CBError(delivering: .outOfSpace)) else {
            return []
        }
        return [.post(event, to: session)]
    }

    private func releaseWindow(of request: ClientRequest) {
        if case .command(_, _, let window) = request { _ = window.release() }
    }
}

// From one request to the next.
extension ClientCore {
    /// What the host was asked for has come to this.
    mutating func completed(
        _ id: JobIdentifier,
        _ result: Result<HostAnswer, any Error>
    ) -> [Action] {
        if let command = commands.removeValue(forKey: id) {
            return commandDone(command.session, command.window, result) + proceed()
        }
        guard let job = active, job.id == id else { return [] }
        if case .failure(let error) = result, ClientFailure.error(error) == nil {
            // The link is gone, and nobody is told anything any more. What waits comes to the same.
            return end(job, nil) + proceed()
        }
        return advance(job, result) + proceed()
    }

    private mutating func commandDone(
        _ session: SessionIdentifier?,
        _ window: WriteWindow,
        _ result: Result<HostAnswer, any Error>
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
            return hasNoTable ? findPart(search, job) : wait(.database, .table, job)
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

    /// Has the host do something, and the request wait for it.
    mutating func wait(_ request: LinkRequest, _ stage: Stage, _ job: Job) -> [Action] {
        active = job
        active?.stage = stage
        return [.begin(request, job.id)]
    }

    /// The request has come to this.
    mutating func end(_ job: Job, _ event: PeripheralEvent?) -> [Action] {
        active = nil
        guard let session = job.session, let event else { return [] }
        return [.post(event, to: session)]
    }

    mutating func fail(_ job: Job, _ error: any Error) -> [Action] {
        end(job, job.request.failed(error))
    }
}
