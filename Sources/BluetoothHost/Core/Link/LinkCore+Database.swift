// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothTypes
import HCITransports

// The peer's database. A link runs one search at a time (`DatabaseLookup`). The host stores the
// result for later links: of the latest peers in `DatabaseCache`, and of bonded peers in its store.
extension LinkCore {
    /// Whether the peer has proved by encryption that it is the bonded peer.
    private var isTrusted: Bool { security.isBonded && security.isEncrypted }

    /// Returns whether the host itself needs notifications or indications of this value, so that
    /// the application must not disable them.
    func needsSubscription(to value: AttributeHandle) -> Bool {
        lookup.isSubscribed && lookup.serviceChanged == value
    }

    /// Returns the name of the store's record of the peer's database; `nil` without a bond, because
    /// such a record would never be removed.
    private func databaseName(_ context: LinkContext) -> RecordName? {
        guard context.configuration.store != nil else { return nil }
        return (bond?.peer).map(RecordName.database)
    }

    /// Returns the name of the record of the peer's database that another host of the same device
    /// may have in its memory; `nil` if the store is not a `SharedStore`. Unlike the store, such a
    /// host also has the databases of peers without a bond.
    private func sharedDatabaseName(_ context: LinkContext) -> RecordName? {
        context.configuration.store is SharedStore.Member ? .database(identity) : nil
    }

    /// Starts with the known database of the peer, or asks the store for it.
    mutating func recallDatabase(_ context: inout LinkContext) {
        if let record = context.databases.record(of: identity) { return begin(with: record) }
        guard let name = databaseName(context) ?? sharedDatabaseName(context),
            !context.storeState.untouchedKeys.contains(name.key)
        else { return }
        context.emit(.recallDatabase(identifier, name.key))
    }

    /// Takes the stored record of the peer's database.
    mutating func recalledDatabase(_ bytes: [UInt8], _ context: inout LinkContext) {
        do throws(RecordFault) {
            let record = try DatabaseRecord(parsing: bytes, peer: identity)
            context.databases.keep(record, of: identity)
            begin(with: record)
        } catch {
            context.report(.init(error, RecordName.database(identity).key))
        }
    }

    private mutating func begin(with record: DatabaseRecord) {
        lookup = DatabaseLookup(record: record)
        if let attribute = lookup.serviceChanged {
            bearer.client.expectServiceChanged(at: attribute)
        }
    }

    /// Finds the peer's database for a request. Requests share a search that is under way.
    mutating func findDatabase(for request: RequestIdentifier, _ context: inout LinkContext) {
        databaseRequests.append(request)
        perform(lookup.request(isTrusted: isTrusted), &context)
    }

    /// Removes a canceled request. Cancels the search if no other request needs it.
    mutating func stopWaitingForDatabase(
        _ request: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        guard databaseRequests.contains(request) else { return }
        databaseRequests.removeAll { $0 == request }
        guard databaseRequests.isEmpty, lookup.isSearching, let operation = lookupOperation
        else { return }
        perform(bearer.cancel(operation), &context)
    }

    /// Returns whether an operation uses handles of a database that has changed. The host refuses
    /// such operations until the application has the new database. It cannot rely on the peer,
    /// which refuses them only until it considers this host change-aware.
    func isOutOfSync(_ operation: GATT.Operation) -> Bool {
        lookup.isOutOfSync && operation.namedHandle != nil
    }

    /// Handles an indication of Service Changed. Before encryption, any device can send one, so it
    /// counts only when the peer has proved its identity.
    mutating func servicesChanged(
        _ handles: ClosedRange<AttributeHandle>,
        _ context: inout LinkContext
    ) {
        guard !awaitsEncryption else {
            let earlier = unverifiedChange ?? handles
            let first = min(earlier.lowerBound, handles.lowerBound)
            unverifiedChange = first...max(earlier.upperBound, handles.upperBound)
            return
        }
        announce(&context)
        context.emit(.event(.servicesChanged(identifier, [handles], isReported: true)))
        databaseChanged(isIndicated: true, &context)
    }

    /// Begins a discovery again if this indication may be that of Service Changed.
    mutating func noteUnknownIndication(
        _ value: ArraySlice<UInt8>,
        _ context: inout LinkContext
    ) {
        if lookup.mayBeChange(value) { databaseChanged(&context) }
    }

    /// Handles the indications of Service Changed that arrived before encryption.
    mutating func verifyChange(_ context: inout LinkContext) {
        guard let handles = unverifiedChange else { return }
        unverifiedChange = nil
        servicesChanged(handles, &context)
    }

    /// Handles the peer's report that its database has changed.
    ///
    /// - Parameter isIndicated: Whether the peer has indicated the range of the change.
    mutating func databaseChanged(isIndicated: Bool = false, _ context: inout LinkContext) {
        perform(lookup.databaseChanged(isIndicated: isIndicated), &context)
        refuseStaleHandles(&context)
    }

    /// Fails the unsent operations that use handles of a database that has changed.
    private mutating func refuseStaleHandles(_ context: inout LinkContext) {
        guard lookup.isOutOfSync else { return }
        perform(bearer.failOutOfSync(), &context)
        for channel in enhanced.bearers.map(\.channel) {
            guard let place = enhanced.index(of: channel) else { continue }
            perform(enhanced[place].failOutOfSync(), on: channel, &context)
        }
    }

    /// Takes the result of the search's current operation.
    mutating func lookupCompleted(
        _ result: Result<GATT.Outcome, GATT.Failure>,
        _ context: inout LinkContext
    ) {
        lookupOperation = nil
        if case .failure(.attribute(.databaseOutOfSync, _)) = result {
            databaseChanged(&context)
        }
        perform(lookup.completed(result), &context)
    }

    private mutating func perform(
        _ actions: [DatabaseLookup.Action],
        _ context: inout LinkContext
    ) {
        for action in actions { perform(action, &context) }
    }

    private mutating func perform(_ action: DatabaseLookup.Action, _ context: inout LinkContext) {
        switch action {
        case .start(let operation):
            let id = context.takeOperation()
            lookupOperation = id
            start(operation, id: id, &context)
        case .changed(let ranges, let isAfterOutdated):
            let event = HostEvent.servicesChanged(identifier, ranges, isReported: isAfterOutdated)
            context.emit(.event(event))
        case .found(let database):
            bearer.client.recall(database)
            for request in takeDatabaseRequests() {
                context.complete(request, .database(database))
            }
        case .failed(let failure):
            for request in takeDatabaseRequests() { context.fail(request, failure) }
        case .keep(let record):
            context.databases.keep(record, of: identity)
            if let name = databaseName(context) { context.keep(name) }
        case .forget:
            context.databases.forget(identity)
            if let name = databaseName(context) { context.discard(name) }
        case .outdated:
            context.emit(.event(.databaseOutdated(identifier)))
            refuseStaleHandles(&context)
        }
    }

    private mutating func takeDatabaseRequests() -> [RequestIdentifier] {
        defer { databaseRequests = [] }
        return databaseRequests
    }
}

extension LinkContext {
    /// Fails an operation with the error that the peer would send.
    mutating func failOutOfSync(_ operation: GATT.Operation, _ id: RequestIdentifier) {
        let attribute = operation.namedHandle ?? .invalid
        fail(id, GATT.Failure.attribute(.databaseOutOfSync, handle: attribute))
    }
}
