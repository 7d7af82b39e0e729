// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// The table of one link's server: found, known to hold, or to be looked at again
/// (Vol 3, Part G, 2.5.2).
///
/// A table that was found on an earlier link still holds if the server's Database Hash is what it
/// was. Of a server without a hash it holds if the server was to tell of changes and has not: which
/// only a bonded one does after the link has ended. All else is discovered.
///
/// What holds now holds until the server says otherwise, by Service Changed or by Database Out Of
/// Sync; so that it does say, the lookup tells it, after the first table is found, what this client
/// is able to, and subscribes to Service Changed. Nobody has to wait for that.
///
/// A core: it starts one operation at a time, and hears of each how it ended.
package struct DatabaseLookup: Sendable {
    /// How often a lookup begins anew because the table has changed under it. A server whose table
    /// never rests has no table.
    package static let restartLimit = 3

    /// What is to be done, or to be told.
    package enum Action: Equatable, Sendable {
        /// Start this, and tell how it ends.
        case start(GATT.Operation)
        /// The table is this: tell all who wait.
        case found(GATT.Database)
        /// There is no telling: tell all who wait why.
        case failed(GATT.Failure)
        /// Keep this for links to come, in place of what was kept.
        case keep(DatabaseRecord)
        /// What was kept holds no longer.
        case forget
    }

    /// What the operation under way is for.
    enum Phase: Sendable {
        case idle
        case readingHash
        case discovering(DatabaseDiscovery, hash: [UInt8]?)
        case announcing
        case subscribing
    }

    var phase = Phase.idle
    /// What was found, on this link or on an earlier one.
    package internal(set) var record: DatabaseRecord?
    /// Whether the record has been found to hold, and nothing was said against it since.
    package internal(set) var isCurrent = false
    /// Whether somebody was given the table on this link.
    private(set) var isInUse = false
    /// Whether somebody waits for the table.
    var isWanted = false
    /// Whether the server is known to be the one that this host is bonded with.
    var isTrusted = false
    /// Whether a change was told of while the lookup was looking.
    var hasChanged = false
    var restarts = 0
    /// What was tried on this link, and is not tried twice.
    var hasAnnounced = false
    var hasAskedForChanges = false
    /// Whether the server has agreed, on this link, to tell of changes.
    var hasSubscribed = false

    /// Begins on a new link; `record` is what was kept of the server.
    package init(record: DatabaseRecord? = nil) {
        self.record = record
    }

    /// The table, while it is known to hold.
    package var database: GATT.Database? { isCurrent ? record?.database : nil }

    /// Whether somebody was given a table that holds no longer, and has not asked for another one:
    /// its handles may be those of other attributes by now.
    package var isOutOfSync: Bool { isInUse && !isCurrent }

    /// Whether the operation under way is of use to those only who wait for the table.
    package var isLooking: Bool {
        switch phase {
        case .readingHash, .discovering: true
        case .idle, .announcing, .subscribing: false
        }
    }

    /// The handle of the Service Changed value, so far as is known.
    package var serviceChanged: AttributeHandle? {
        record?.database.serviceChanged?.valueHandle
    }

    /// Whether the server's Service Changed comes to this lookup, which is not to be cut off.
    package var isSubscribed: Bool { hasSubscribed || isTrusted && record?.isWatched == true }
}

// What happens to it.
extension DatabaseLookup {
    /// Somebody wants the table. `isTrusted` says whether the link is encrypted with the key of a
    /// bond: only then is the server sure to be who it was.
    package mutating func want(isTrusted: Bool) -> [Action] {
        self.isTrusted = isTrusted
        if let database { return [.found(database)] }
        isWanted = true
        restarts = 0
        return proceed()
    }

    /// The server said that its table is not what it was.
    ///
    /// What was found may hold all the same, which a hash can show; without one it is forgotten.
    package mutating func databaseChanged() -> [Action] {
        isCurrent = false
        hasChanged = isLooking
        guard let record, record.hash == nil else { return [] }
        self.record = nil
        return [.forget]
    }

    /// The operation that was started last has ended. If with Database Out Of Sync, tell
    /// `databaseChanged()` first.
    package mutating func completed(_ result: Result<GATT.Outcome, GATT.Failure>) -> [Action] {
        let ended = phase
        phase = .idle
        switch ended {
        case .idle: return []
        case .readingHash: return hashRead(result)
        case .discovering(let discovery, let hash): return discovered(result, discovery, hash)
        case .announcing: return announced(result)
        case .subscribing: return subscribed(result)
        }
    }
}

// From step to step.
extension DatabaseLookup {
    private mutating func proceed() -> [Action] {
        guard case .idle = phase else { return [] }
        if isWanted { return look() }
        return isCurrent ? prepareServer() : []
    }

    private mutating func look() -> [Action] {
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
            return lookAgain()
        case .success, .failure(.attribute), .failure(.protocolViolation):
            // It has none, or none that can be read.
            return discover(hash: nil)
        case .failure(let failure): return failed(failure)
        }
    }

    private mutating func discover(hash: [UInt8]?) -> [Action] {
        // A hash that was read before the server told of the change says nothing.
        guard !hasChanged else { return lookAgain() }
        phase = .discovering(DatabaseDiscovery(), hash: hash)
        return [.start(DatabaseDiscovery.firstOperation)]
    }

    private mutating func discovered(
        _ result: Result<GATT.Outcome, GATT.Failure>,
        _ discovery: DatabaseDiscovery,
        _ hash: [UInt8]?
    ) -> [Action] {
        if case .failure(.attribute(.databaseOutOfSync, _)) = result { return lookAgain() }
        guard !hasChanged else { return lookAgain() }
        var discovery = discovery
        do throws(GATT.Failure) {
            switch try discovery.take(try result.get()) {
            case .start(let operation):
                phase = .discovering(discovery, hash: hash)
                return [.start(operation)]
            case .found(let database):
                var record = DatabaseRecord(database: database, hash: hash)
                inherit(&record)
                return [.keep(record)] + found(record)
            }
        } catch {
            return failed(error)
        }
    }

    /// What a bonded server knows of us it knows still, where its table has it at the same place.
    private func inherit(_ record: inout DatabaseRecord) {
        guard isTrusted, let old = self.record else { return }
        let (before, after) = (old.database.serviceChanged, record.database.serviceChanged)
        record.isWatched = old.isWatched && after != nil && before == after
        record.announcedFeatures = old.announcedFeatures
    }

    private mutating func lookAgain() -> [Action] {
        hasChanged = false
        guard isWanted else { return [] }
        guard restarts < Self.restartLimit else {
            return failed(.attribute(.databaseOutOfSync, handle: .invalid))
        }
        restarts += 1
        return look()
    }

    private mutating func found(_ record: DatabaseRecord) -> [Action] {
        self.record = record
        isCurrent = true
        isInUse = true
        isWanted = false
        return [.found(record.database)] + proceed()
    }

    private mutating func failed(_ failure: GATT.Failure) -> [Action] {
        isWanted = false
        hasChanged = false
        return [.failed(failure)]
    }
}

// What the server is to know of us.
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
        guard !hasAskedForChanges else { return [] }
        hasAskedForChanges = true
        return subscribeToChanges(of: record)
    }

    private mutating func subscribeToChanges(of record: DatabaseRecord) -> [Action] {
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
        if result.isOutOfSync { hasAnnounced = false }
        return noteOfServer(result) { $0.announcedFeatures = ClientFeatures.all }
    }

    private mutating func subscribed(_ result: Result<GATT.Outcome, GATT.Failure>) -> [Action] {
        if case .success = result { hasSubscribed = true }
        if result.isOutOfSync { hasAskedForChanges = false }
        return noteOfServer(result) { $0.isWatched = true }
    }

    /// A server that is bonded keeps what it was told; any other has forgotten with the link.
    private mutating func noteOfServer(
        _ result: Result<GATT.Outcome, GATT.Failure>,
        _ change: (inout DatabaseRecord) -> Void
    ) -> [Action] {
        guard case .success = result, isTrusted, var record else { return proceed() }
        change(&record)
        self.record = record
        return [.keep(record)] + proceed()
    }
}

extension Result<GATT.Outcome, GATT.Failure> {
    /// Whether the server refused because its table has changed.
    fileprivate var isOutOfSync: Bool {
        if case .failure(.attribute(.databaseOutOfSync, _)) = self { true } else { false }
    }
}

extension GATT.Database {
    /// The characteristic by which the server tells of changes (Vol 3, Part G, 7.1).
    var serviceChanged: GATT.DiscoveredCharacteristic? {
        characteristic(GATT.AttributeType.serviceChanged, in: GATT.AttributeType.genericAttribute)
    }

    /// Where a client says what it is able to (Vol 3, Part G, 7.2).
    fileprivate var writableFeatures: AttributeHandle? {
        let uuid = GATT.AttributeType.clientSupportedFeatures
        let found = characteristic(uuid, in: GATT.AttributeType.genericAttribute)
        guard let found, found.characteristic.properties.contains(.write) else { return nil }
        return found.valueHandle
    }
}
