// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// A lookup that determines the database of one link's server: from a record that is still valid,
/// or by discovery (Vol 3, Part G, 2.5.2).
///
/// A database from an earlier link is still valid if the server's Database Hash is unchanged. If
/// the server has no hash, the database is still valid if this client is bonded with the server and
/// subscribed to Service Changed, and no change was indicated: a server reports changes that
/// occurred without a link only to bonded clients. In all other cases, the database is discovered.
///
/// A valid database stays valid until the server reports a change, by Service Changed or by the
/// error Database Out Of Sync. To receive such reports, the lookup subscribes to Service Changed
/// and writes the client's supported features. A change before the subscription is not indicated.
/// If the server has a hash, the lookup therefore reads it once more after the subscription, when
/// the application already has the database. If the server has none, the lookup subscribes before
/// the application gets the database.
///
/// The server may change its database during a discovery. The lookup therefore reads the hash
/// before the discovery and again after it. If both are equal, the database is *proven* to have
/// this hash. If the server reports a change before the second reading, the database is discovered
/// again, even if the hash is the same: the server may have made a change before the discovery and
/// reverted it afterward. If the link ends before the second reading, the next link uses the
/// database if the hash is still the same. Otherwise, the requests of a short link would be
/// useless.
///
/// The type is a protocol core: it starts one operation at a time, and its owner passes the result
/// of each.
package struct DatabaseLookup: Sendable {
    /// The maximum number of restarts of a lookup because the database has changed. A lookup of a
    /// database that changes continuously fails.
    package static let restartLimit = 3

    /// The number of bytes in a value of Service Changed (Vol 3, Part G, 7.1).
    private static let serviceChangedLength = 4

    /// An instruction or a report to the owner.
    package enum Action: Equatable, Sendable {
        /// Start this operation, and pass its result to `completed(_:)`.
        case start(GATT.Operation)
        /// Report that the services in these ranges of the application's last database have
        /// changed. Precedes `found`. After `outdated`, it is reported even if services were only
        /// added and there are no ranges.
        case changed([ClosedRange<AttributeHandle>], isAfterOutdated: Bool)
        /// Report this database to all waiting callers.
        case found(GATT.Database)
        /// Report this failure to all waiting callers.
        case failed(GATT.Failure)
        /// Store this record for later links in place of the previous one.
        case keep(DatabaseRecord)
        /// Remove the stored record, which is no longer valid.
        case forget
        /// Report that the database from this link is no longer valid. The server has not indicated
        /// the range of the change.
        case outdated
    }

    /// The purpose of the current operation.
    enum Phase: Sendable {
        case idle
        case readingHash
        case discovering(DatabaseDiscovery, hash: [UInt8]?)
        case announcing
        case subscribing
        case comparing
    }

    var phase = Phase.idle
    /// The record from this link or an earlier one.
    package internal(set) var record: DatabaseRecord?
    /// Whether the record is verified and no change was reported since.
    package internal(set) var isCurrent = false
    /// Whether the application received the database on this link.
    private(set) var isInUse = false
    /// The database whose attributes the application may still be using, from this link or an
    /// earlier one; `nil` if there is none, or if the server has indicated what has changed since.
    private var known: GATT.Database?
    /// Whether `outdated` was reported and not followed by a database or an indication.
    private var isOutdated = false
    /// Whether the application waits for the database.
    var isRequested = false
    /// Whether encryption has proved that the server is the bonded one.
    var isTrusted = false
    /// Whether a change was reported during the lookup.
    var hasChanged = false
    var restarts = 0
    /// Whether the lookup has written the client's features on this link, has tried to, or need
    /// not. Like `hasAskedForChanges`, it prevents a second attempt.
    var hasAnnounced = false
    var hasAskedForChanges = false
    /// Whether the server has accepted the subscription to Service Changed on this link.
    var hasSubscribed = false
    /// Whether the hash of the record is known to be that of its database. The database may change
    /// during a discovery. This is therefore `false` until the hash that was read before the
    /// discovery is also read after it.
    private var isHashVerified = true
    /// Whether the hash is to be read once more.
    private var needsComparison = false

    /// Creates the lookup of a new link.
    ///
    /// - Parameter record: The stored record of the server, or `nil` if there is none.
    package init(record: DatabaseRecord? = nil) {
        self.record = record
        known = record?.database
    }

    /// The database, or `nil` while it is not verified.
    package var database: GATT.Database? { isCurrent ? record?.database : nil }

    /// Whether the database is verified or its hash can verify it, so that `request(isTrusted:)`
    /// needs no discovery unless the server has changed the database.
    package var isRecallable: Bool { isCurrent || record?.hash != nil }

    /// Whether the application received a database on this link that is no longer valid. Its
    /// handles may now belong to other attributes.
    package var isOutOfSync: Bool { isInUse && !isCurrent }

    /// Whether the current operation serves only the callers that wait for the database. If no
    /// caller waits anymore, the owner may cancel the operation.
    package var isSearching: Bool {
        switch phase {
        case .readingHash, .discovering: true
        case .idle, .announcing, .subscribing, .comparing: false
        }
    }

    /// The handle of the Service Changed value, or `nil` if it is not known.
    package var serviceChanged: AttributeHandle? {
        record?.database.serviceChanged?.valueHandle
    }

    /// Whether the server sends Service Changed to this lookup. The application must not end that
    /// subscription.
    package var isSubscribed: Bool { hasSubscribed || isTrusted && record?.isWatched == true }
}

// Inputs.
extension DatabaseLookup {
    /// Requests the database for the application.
    ///
    /// - Parameter isTrusted: Whether the link is encrypted with the key of a bond, which is the
    ///   only proof of the server's identity.
    package mutating func request(isTrusted: Bool) -> [Action] {
        self.isTrusted = isTrusted
        if let database, !isRequested { return [.found(database)] }
        isRequested = true
        restarts = 0
        guard case .idle = phase else { return [] }
        return search()
    }

    /// Returns whether an indication may be that of Service Changed, whose handle is not known yet,
    /// and the search has to begin again. A bonded server indicates changes although this client
    /// has removed the record of its database. A search begins again only once for this reason,
    /// because the server may indicate other values.
    package func mayBeChange(_ value: ArraySlice<UInt8>) -> Bool {
        isTrusted && isSearching && serviceChanged == nil && restarts == 0
            && value.count == Self.serviceChangedLength
    }

    /// Processes a report that the database has changed.
    ///
    /// With a proven hash, the lookup can still verify the record. Any other record is removed.
    ///
    /// - Parameter isIndicated: Whether the server has indicated the range of the change.
    package mutating func databaseChanged(isIndicated: Bool = false) -> [Action] {
        if isIndicated {
            known = nil
            isOutdated = false
        }
        isCurrent = false
        hasChanged = isSearching
        return forgetUnverifiable()
    }

    /// Processes the result of the operation that was started last. If the result is the error
    /// Database Out Of Sync, call `databaseChanged()` first.
    package mutating func completed(_ result: Result<GATT.Outcome, GATT.Failure>) -> [Action] {
        let ended = phase
        phase = .idle
        switch ended {
        case .idle: return []
        case .readingHash: return hashRead(result)
        case .discovering(let discovery, let hash): return discovered(result, discovery, hash)
        case .announcing: return announced(result)
        case .subscribing: return subscribed(result)
        case .comparing: return compared(result)
        }
    }
}

// Transitions.
extension DatabaseLookup {
    private mutating func proceed() -> [Action] {
        guard isRequested else { return isCurrent ? prepareServer() : [] }
        guard isCurrent, let record else { return searchAgain() }
        return answer(record)
    }

    private mutating func search() -> [Action] {
        if let record, record.hash == nil, record.isWatched, isTrusted { return found(record) }
        phase = .readingHash
        return [.start(.readDatabaseHash)]
    }

    private mutating func hashRead(_ result: Result<GATT.Outcome, GATT.Failure>) -> [Action] {
        switch result {
        case .success(.value(let hash)):
            if let record, record.hash == hash, !hasChanged { return found(record) }
            return discover(hash: hash)
        case .failure(.attribute(.databaseOutOfSync, _)):
            return searchAgain()
        case .success, .failure(.attribute), .failure(.protocolViolation):
            // The server has no hash that this client can read.
            return discover(hash: nil)
        case .failure(let failure): return failed(failure)
        }
    }

    private mutating func discover(hash: [UInt8]?) -> [Action] {
        // A hash that was read before the reported change proves nothing.
        guard !hasChanged else { return searchAgain() }
        phase = .discovering(DatabaseDiscovery(), hash: hash)
        return [.start(DatabaseDiscovery.firstOperation)]
    }

    private mutating func discovered(
        _ result: Result<GATT.Outcome, GATT.Failure>,
        _ discovery: DatabaseDiscovery,
        _ hash: [UInt8]?
    ) -> [Action] {
        if case .failure(.attribute(.databaseOutOfSync, _)) = result { return searchAgain() }
        guard !hasChanged else { return searchAgain() }
        var discovery = discovery
        do throws(GATT.Failure) {
            switch try discovery.take(try result.get()) {
            case .start(let operation):
                phase = .discovering(discovery, hash: hash)
                return [.start(operation)]
            case .found(let database):
                var record = DatabaseRecord(database: database, hash: hash)
                inherit(&record)
                isHashVerified = hash == nil
                needsComparison = !isHashVerified
                return [.keep(record)] + found(record)
            }
        } catch {
            return failed(error)
        }
    }

    /// Copies into the new record what the bonded server still knows about this client: the
    /// features that the client has written, and the subscription if the Service Changed
    /// characteristic is unchanged.
    private func inherit(_ record: inout DatabaseRecord) {
        guard isTrusted, let old = self.record else { return }
        let (before, after) = (old.database.serviceChanged, record.database.serviceChanged)
        record.isWatched = old.isWatched && after != nil && before == after
        record.announcedFeatures = old.announcedFeatures
    }

    /// Removes the record if its hash cannot verify it.
    private mutating func forgetUnverifiable() -> [Action] {
        guard let record, record.hash == nil || !isHashVerified else { return [] }
        self.record = nil
        return [.forget]
    }

    private mutating func searchAgain() -> [Action] {
        hasChanged = false
        guard isRequested else { return [] }
        guard restarts < Self.restartLimit else {
            return failed(.attribute(.databaseOutOfSync, handle: .invalid))
        }
        restarts += 1
        return search()
    }

    private mutating func found(_ record: DatabaseRecord) -> [Action] {
        self.record = record
        isCurrent = true
        if record.hash == nil {
            let subscription = subscribeToChanges(of: record)
            guard subscription.isEmpty else { return subscription }
        }
        return answer(record)
    }

    private mutating func answer(_ record: DatabaseRecord) -> [Action] {
        isInUse = true
        isRequested = false
        let change = change(to: record.database)
        known = record.database
        isOutdated = false
        return change + [.found(record.database)] + proceed()
    }

    /// Returns the report of the difference between the application's last database and this one.
    private func change(to database: GATT.Database) -> [Action] {
        guard let known, known != database else { return [] }
        let ranges = known.handlesOfServices(missingIn: database)
        guard !ranges.isEmpty || isOutdated else { return [] }
        return [.changed(ranges, isAfterOutdated: isOutdated)]
    }

    private mutating func failed(_ failure: GATT.Failure) -> [Action] {
        isRequested = false
        hasChanged = false
        return [.failed(failure)]
    }
}

// Information for the server about this client.
extension DatabaseLookup {
    private mutating func prepareServer() -> [Action] {
        guard let record else { return [] }
        if !hasAnnounced {
            hasAnnounced = true
            let features = ClientFeatures.all
            let isKnown = isTrusted && record.announcedFeatures == features
            if !isKnown, let handle = record.database.writableFeatures {
                phase = .announcing
                return [.start(.write(handle, [features]))]
            }
        }
        let subscription = subscribeToChanges(of: record)
        return subscription.isEmpty ? compare(record) : subscription
    }

    private mutating func compare(_ record: DatabaseRecord) -> [Action] {
        guard needsComparison, record.hash != nil else { return [] }
        needsComparison = false
        phase = .comparing
        return [.start(.readDatabaseHash)]
    }

    private mutating func subscribeToChanges(of record: DatabaseRecord) -> [Action] {
        guard !hasAskedForChanges else { return [] }
        hasAskedForChanges = true
        guard !(isTrusted && record.isWatched), let changed = record.database.serviceChanged,
            let descriptor = changed.descriptor(
                GATT.AttributeType.clientCharacteristicConfiguration
            )
        else { return [] }
        phase = .subscribing
        let handle = changed.valueHandle
        let operation = GATT.Operation.subscribe(
            valueHandle: handle,
            descriptor: descriptor.handle,
            .indication
        )
        return [.start(operation)]
    }

    private mutating func announced(_ result: Result<GATT.Outcome, GATT.Failure>) -> [Action] {
        if result.isOutOfSync {
            hasAnnounced = false
            return outOfSync()
        }
        guard case .success = result else { return proceed() }
        return noteOfServer { $0.announcedFeatures = ClientFeatures.all } + proceed()
    }

    private mutating func subscribed(_ result: Result<GATT.Outcome, GATT.Failure>) -> [Action] {
        if result.isOutOfSync {
            hasAskedForChanges = false
            return outOfSync()
        }
        guard case .success = result else { return proceed() }
        hasSubscribed = true
        needsComparison = true
        return noteOfServer { $0.isWatched = true } + proceed()
    }

    /// Processes the hash that was read after the discovery or after the subscription.
    private mutating func compared(_ result: Result<GATT.Outcome, GATT.Failure>) -> [Action] {
        if result.isOutOfSync { return outOfSync() }
        guard isCurrent, case .success(.value(let hash)) = result else {
            return proceed()
        }
        guard hash == record?.hash else {
            isCurrent = false
            isOutdated = true
            return forgetUnverifiable() + [.outdated] + proceed()
        }
        isHashVerified = true
        return proceed()
    }

    /// Processes the error Database Out Of Sync to a request of this lookup. The server may send no
    /// indication of the change, so the lookup reports it.
    private mutating func outOfSync() -> [Action] {
        guard isOutOfSync, !isRequested else { return proceed() }
        isOutdated = true
        return [.outdated]
    }

    /// Records what the server now knows about this client, such as its subscription. Only a bonded
    /// server remembers this after the link.
    private mutating func noteOfServer(_ change: (inout DatabaseRecord) -> Void) -> [Action] {
        guard isTrusted, var record else { return [] }
        change(&record)
        self.record = record
        return [.keep(record)]
    }
}

extension Result<GATT.Outcome, GATT.Failure> {
    /// Whether the server refused the request because its database has changed.
    fileprivate var isOutOfSync: Bool {
        if case .failure(.attribute(.databaseOutOfSync, _)) = self { true } else { false }
    }
}

extension GATT.Database {
    /// The characteristic with which the server reports changes (Vol 3, Part G, 7.1).
    var serviceChanged: GATT.DiscoveredCharacteristic? {
        characteristic(GATT.AttributeType.serviceChanged, in: GATT.AttributeType.genericAttribute)
    }

    /// The handle to which a client writes its supported features, or `nil` if it is not writable
    /// (Vol 3, Part G, 7.2).
    fileprivate var writableFeatures: AttributeHandle? {
        let uuid = GATT.AttributeType.clientSupportedFeatures
        let found = characteristic(uuid, in: GATT.AttributeType.genericAttribute)
        guard let found, found.characteristic.properties.contains(.write) else { return nil }
        return found.valueHandle
    }
}
