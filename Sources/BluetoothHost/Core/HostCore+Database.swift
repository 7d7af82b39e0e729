// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports

// The peer's table: each link looks for it at most once at a time, and what it finds is kept for the
// links to come (`DatabaseLookup`, `DatabaseCache`): of every peer while the host lives, and of bonded
// ones in its store for the next.
extension HostCore {
    /// A link begins with what is kept of its peer.
    mutating func recallDatabase(_ handle: ConnectionHandle) {
        guard let link = links[handle] else { return }
        if let record = databases.record(of: link.identity) { return begin(handle, with: record) }
        guard let name = databaseName(of: handle), !keeping.leftAlone.contains(name.key) else {
            return
        }
        emit(.recallDatabase(link.identifier, name.key))
    }

    /// What the store has of a peer's table: the answer to `recallDatabase`; nil if it has nothing.
    package mutating func recalledDatabase(_ bytes: [UInt8]?, of link: LinkIdentifier) {
        guard let bytes, let handle = handles[link], let peer = links[handle]?.identity else {
            return
        }
        do throws(RecordFault) {
            let record = try DatabaseRecord(parsing: bytes, peer: peer)
            databases.keep(record, of: peer)
            begin(handle, with: record)
        } catch {
            report(.init(error, RecordName.database(peer).key))
        }
    }

    /// The peer is bonded no more: what it was told of us, and of its table, counts no more.
    mutating func forgetDatabase(of peer: DeviceAddress) {
        databases.forget(peer)
        discard(.database(peer))
    }

    /// Where the table of a link's peer is kept; nil if it is not to be: without a bond nothing
    /// would ever be taken out of the store again.
    private func databaseName(of handle: ConnectionHandle) -> RecordName? {
        guard configuration.store != nil else { return nil }
        return (links[handle]?.bond?.peer).map(RecordName.database)
    }

    private mutating func begin(_ handle: ConnectionHandle, with record: DatabaseRecord) {
        let lookup = DatabaseLookup(record: record)
        links[handle]?.lookup = lookup
        if let handleOfChanges = lookup.serviceChanged {
            links[handle]?.gatt.expectServiceChanged(at: handleOfChanges)
        }
    }

    /// Somebody asks for the peer's table. Who asks while it is being looked for waits with those
    /// who asked before.
    mutating func findDatabase(
        for request: RequestIdentifier,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let isTrusted = links[handle]?.isTrusted else { return }
        links[handle]?.databaseRequests.append(request)
        perform(links[handle]?.lookup.want(isTrusted: isTrusted), on: handle, now: now)
    }

    /// Somebody does not wait for the table any more. With the last of them the search ends.
    mutating func stopWaitingForDatabase(
        _ request: RequestIdentifier,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle], link.databaseRequests.contains(request) else { return }
        links[handle]?.databaseRequests.removeAll { $0 == request }
        guard links[handle]?.databaseRequests.isEmpty == true, link.lookup.isLooking,
            let operation = link.lookupOperation,
            let actions = links[handle]?.gatt.cancel(operation)
        else { return }
        perform(actions, on: handle, now: now)
    }

    /// Whether an operation names attributes by a table that holds no longer. A peer refuses it only
    /// until it believes that we know of the change, which is before the application does.
    func isOutOfSync(_ operation: GATT.Operation, on handle: ConnectionHandle) -> Bool {
        operation.namedHandle != nil && links[handle]?.lookup.isOutOfSync == true
    }

    /// Refuses an operation as the peer would.
    mutating func failOutOfSync(_ operation: GATT.Operation, _ id: RequestIdentifier) {
        let attribute = operation.namedHandle ?? .invalid
        fail(id, GATT.Failure.attribute(.databaseOutOfSync, handle: attribute))
    }

    /// The peer said that its table is not what it was. Whoever has asked for the table is told by
    /// what waits to be asked by it; whoever has not keeps track of changes in another way.
    mutating func databaseChanged(on handle: ConnectionHandle, now: Instant) {
        perform(links[handle]?.lookup.databaseChanged(), on: handle, now: now)
        guard links[handle]?.lookup.isOutOfSync == true,
            let actions = links[handle]?.gatt.failOutOfSync()
        else { return }
        perform(actions, on: handle, now: now)
        failEnhancedOutOfSync(handle, now: now)
    }

    /// The operation that the lookup had under way has ended.
    mutating func lookupCompleted(
        _ result: Result<GATT.Outcome, GATT.Failure>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        links[handle]?.lookupOperation = nil
        if case .failure(.attribute(.databaseOutOfSync, _)) = result {
            databaseChanged(on: handle, now: now)
        }
        perform(links[handle]?.lookup.completed(result), on: handle, now: now)
    }

    private mutating func perform(
        _ actions: [DatabaseLookup.Action]?,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        for action in actions ?? [] { perform(action, on: handle, now: now) }
    }

    private mutating func perform(
        _ action: DatabaseLookup.Action,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        switch action {
        case .start(let operation):
            let id = takeOwnOperation()
            links[handle]?.lookupOperation = id
            start(operation, id: id, on: handle, now: now)
        case .found(let database):
            links[handle]?.gatt.recall(database)
            for request in takeDatabaseRequests(handle) { complete(request, .database(database)) }
        case .failed(let failure):
            for request in takeDatabaseRequests(handle) { fail(request, failure) }
        case .keep(let record):
            if let peer = links[handle]?.identity { databases.keep(record, of: peer) }
            if let name = databaseName(of: handle) { keep(name) }
        case .forget:
            if let peer = links[handle]?.identity { databases.forget(peer) }
            if let name = databaseName(of: handle) { discard(name) }
        }
    }

    private mutating func takeDatabaseRequests(_ handle: ConnectionHandle) -> [RequestIdentifier] {
        defer { links[handle]?.databaseRequests = [] }
        return links[handle]?.databaseRequests ?? []
    }
}

extension LinkState {
    /// Whether the peer has shown that it is the one that the host is bonded with.
    var isTrusted: Bool { security.isBonded && security.isEncrypted }

    /// Whether the host itself listens to this value, which nobody else may therefore switch off.
    func needsSubscription(to value: AttributeHandle) -> Bool {
        lookup.isSubscribed && lookup.serviceChanged == value
    }
}
