// SPDX-License-Identifier: Apache-2.0

import Foundation

// The app's calls.

extension CentralDriver {
    // MARK: Pairing

    /// Checks the conditions of a pairing that do not change with time.
    ///
    /// - Throws: `unknownKind`, `unfilteredScan`.
    func checkCanPair(_ description: AccessoryDescription) throws(AccessoryError) {
        let kind = description.kind
        guard descriptions.contains(where: { $0.kind == kind }) else { throw .unknownKind(kind) }
        guard description.matcher.services != nil || configuration.allowsUnfilteredScans else {
            throw .unfilteredScan
        }
    }

    /// Pairs an accessory.
    ///
    /// - Parameters:
    ///   - description: The description of the accessory.
    ///   - target: The chosen device; `nil` for any that matches the description.
    ///   - record: The record through which the app observes the pairing; `nil` for none.
    ///   - joins: Whether a call without a target may return a known accessory of this kind, or
    ///     join a pairing that another call started. A call with a target always does so if the
    ///     chosen device has a record.
    /// - Returns: The snapshot of the accessory, which is ready or was known already.
    /// - Throws: The errors of `AccessoryCentral.pair(_:)`, and `alreadyPaired` if the chosen
    ///   device is an accessory of another kind.
    func pair(
        _ description: AccessoryDescription,
        with target: PairingTarget? = nil,
        for record: PairingRecord? = nil,
        orJoin joins: Bool = false
    ) async throws(AccessoryError) -> AccessorySnapshot {
        try checkCanPair(description)
        let beginning = AccessoryChange(.idle, .resting(.neverPaired))
        let snapshot = AccessorySnapshot(description, name: nil, beginningWith: beginning)
        let changes = snapshot.events()
        let chosen = await settle { driver in
            let other =
                driver.entry(for: target, joins ? description.kind : nil, isBeingForgotten: false)
                ?? driver.entry(for: target, description.kind, isBeingForgotten: true)
            if other == nil { driver.beginPairing(description, target, snapshot) }
            return (
                snapshot: other?.snapshot ?? snapshot,
                isBeingForgotten: other?.machine.state.isBeingForgotten ?? false
            )
        }
        guard let (chosen, isBeingForgotten) = chosen else { throw .shutDown }
        if isBeingForgotten {
            for await _ in chosen.events() {}
            guard !Task.isCancelled else { throw .cancelled }
            return try await pair(description, with: target, for: record, orJoin: joins)
        }
        guard chosen === snapshot else {
            return try await join(chosen, description, target, record)
        }
        do throws(AccessoryError) {
            try await outcome(of: snapshot, changes, record)
            return snapshot
        } catch {
            await abandonPairing(snapshot)
            throw error
        }
    }

    /// Returns the existing record of the chosen device, or one of the kind. A pairing uses this
    /// record instead of a new one, unless the accessory is being forgotten. In that case, the
    /// pairing begins when the link has ended, because the accessory does not advertise before.
    private func entry(
        for target: PairingTarget?,
        _ kind: String?,
        isBeingForgotten: Bool
    ) -> AccessoryEntry? {
        entries.first { entry in
            entry.machine.state.isBeingForgotten == isBeingForgotten
                && (target.map { isRecord(entry, of: $0) } ?? (entry.description.kind == kind))
        }
    }

    /// Returns whether a record belongs to the device that was chosen for a pairing.
    private func isRecord(_ entry: AccessoryEntry, of target: PairingTarget) -> Bool {
        if let other = entry.target, other.isSameDevice(as: target) { return true }
        let owner = target.identifier.flatMap { identities.identity(of: $0) }
        return entry.identity != nil
            && (entry.identity == target.identity || entry.identity == owner)
    }

    private func beginPairing(
        _ description: AccessoryDescription,
        _ target: PairingTarget?,
        _ snapshot: AccessorySnapshot
    ) {
        let chosen = target.map { target in
            // A list of nearby devices can contain the device before its manufacturer data has
            // identified it. The registry may know the accessory's identity by now.
            var target = target
            let owner = target.identifier.flatMap { identities.identity(of: $0) }
            target.identity = owner ?? target.identity
            return target
        }
        let entry = makeEntry(
            description,
            snapshot,
            isRemembered: false,
            isPairedHere: true,
            target: chosen
        )
        snapshot.setDeviceName(target?.name)
        feed(.command(.pair), to: entry)
        let unavailability = Unavailability(availability.value)
        feed(unavailability.map { .unavailable($0) } ?? .available, to: entry)
    }

    /// Returns the accessory if it is known. Otherwise waits for the pairing that another call
    /// started. If that pairing was canceled, or has failed and its link is being ended, starts a
    /// new one.
    private func join(
        _ snapshot: AccessorySnapshot,
        _ description: AccessoryDescription,
        _ target: PairingTarget?,
        _ record: PairingRecord?
    ) async throws(AccessoryError) -> AccessorySnapshot {
        let kind = snapshot.description.kind
        guard kind == description.kind else { throw .alreadyPaired(kind: kind) }
        guard !accessoryList.contains(snapshot) else {
            if target != nil { connect(snapshot) }
            return snapshot
        }
        do throws(AccessoryError) {
            try await outcome(of: snapshot, snapshot.events(), record)
            return snapshot
        } catch .shutDown, .abandoned(.resting(.forgotten)) {
            return try await pair(description, with: target, for: record, orJoin: target == nil)
        } catch {
            throw error
        }
    }

    /// Waits until an accessory that is being paired is ready.
    private func outcome(
        of snapshot: AccessorySnapshot,
        _ changes: Events<AccessoryChange>,
        _ record: PairingRecord?
    ) async throws(AccessoryError) {
        var last = AccessoryState.idle
        for await change in changes where change.number > 0 {
            record?.show(change, of: snapshot)
            if change.state == .ready { return }
            if let error = PairingVerdict(last, change, snapshot).error { throw error }
            if change.state != .idle, change.state != .disconnecting { last = change.state }
        }
        throw Task.isCancelled ? .cancelled : .shutDown
    }

    /// Forgets the accessory of a pairing that failed or was canceled.
    private func abandonPairing(_ snapshot: AccessorySnapshot) async {
        _ = await settle { driver in
            guard let entry = driver.entry(with: snapshot) else { return }
            driver.feed(.command(.forget), to: entry)
        }
    }

    /// Returns whether an accessory is being forgotten.
    func isBeingForgotten(_ snapshot: AccessorySnapshot) async -> Bool {
        await settle { $0.entry(with: snapshot)?.machine.state.isBeingForgotten } == true
    }

    /// Returns whether an accessory cannot be found again, because the system does not know it
    /// anymore and no other means of identification exists. Waits until the system has been asked,
    /// but not while Bluetooth is off.
    func isUnknownToSystem(_ snapshot: AccessorySnapshot) async throws(AccessoryError) -> Bool {
        guard snapshot.description.identity == .system else { return false }
        guard await settle({ _ in }) != nil else { throw .shutDown }
        for await change in snapshot.events() {
            switch change.state {
            case .waitingForBluetooth, .restoring: continue
            default: return change.reason == .resting(.unknownToSystem)
            }
        }
        throw Task.isCancelled ? .cancelled : .shutDown
    }

    // MARK: Connection requests

    func connect(_ snapshot: AccessorySnapshot) {
        execute { driver in
            driver.entry(with: snapshot).map { driver.feed(.command(.connect), to: $0) }
        }
    }

    func disconnect(_ snapshot: AccessorySnapshot) async throws(AccessoryError) {
        let changes = await settle { driver in
            if let entry = driver.entry(with: snapshot) {
                driver.feed(.command(.disconnect), to: entry)
            }
            return snapshot.events()
        }
        guard let changes else { throw Task.isCancelled ? .cancelled : .shutDown }
        var wasEnding = false
        for await change in changes {
            // If the app requests a connection in the meantime, a connection attempt may follow
            // `disconnecting` directly. This also shows that the link has ended.
            let isEnding = change.state == .disconnecting
            guard !change.state.hasNoLink, isEnding || !wasEnding else { return }
            wasEnding = isEnding
        }
        if Task.isCancelled { throw .cancelled }
    }

    func forget(
        _ snapshot: AccessorySnapshot,
        _ identity: AccessoryIdentity
    ) async throws(AccessoryError) {
        try await command(.forget, of: snapshot)
        for await _ in snapshot.events() {}
        if Task.isCancelled { throw .cancelled }
        let isRemembered = await settle { $0.backlog.unerased.contains(identity) }
        if isRemembered == true { throw .notErased }
    }

    func pairIfNeeded(_ snapshot: AccessorySnapshot) async throws(AccessoryError) {
        guard snapshot.change.state != .ready else { return }
        try await command(.pair, of: snapshot)
        try await untilReady(snapshot)
    }

    func untilReady(_ snapshot: AccessorySnapshot) async throws(AccessoryError) {
        // First let earlier calls take effect.
        guard await settle({ _ in }) != nil else { throw .shutDown }
        var hasLooked = false
        for await change in snapshot.events() {
            switch change.state {
            case .ready: return
            case .idle
            where change.reason == .resting(.unknownToSystem) && !hasLooked
                && snapshot.description.identity != .system:
                // The system no longer knows the accessory, but its manufacturer data can identify
                // it. The command starts a search.
                hasLooked = true
                try await command(.pair, of: snapshot)
            case .unauthorized: throw .unauthorized
            case .unsupported: throw .unsupported
            case .idle: throw .abandoned(change.reason)
            case .connected: if case .notPaired = change.reason { throw .notPaired }
            default: break
            }
        }
        throw Task.isCancelled ? .cancelled : .shutDown
    }

    private func command(_ command: Command, of snapshot: AccessorySnapshot)
        async throws(AccessoryError)
    {
        let isDone = await settle { driver in
            if let entry = driver.entry(with: snapshot) {
                driver.feed(.command(command), to: entry)
            }
            return true
        }
        guard isDone == true else { throw Task.isCancelled ? .cancelled : .shutDown }
    }

    /// Calls `turn` on the queue. Returns its result, or `nil` if the driver has ended.
    private func settle<Outcome: Sendable>(
        _ turn: @escaping @Sendable (CentralDriver) -> Outcome
    ) async -> Outcome? {
        await withCheckedContinuation { done in
            execute(orElse: { done.resume(returning: nil) }) { driver in
                done.resume(returning: turn(driver))
            }
        }
    }

    // MARK: Diagnosis

    func diagnosis(of snapshot: AccessorySnapshot) async throws(AccessoryError)
        -> ConnectionDiagnosis
    {
        let reply = Promise<ConnectionDiagnosis>()
        execute(orElse: { reply.complete(.failure(.shutDown)) }) { driver in
            let entry = driver.entry(with: snapshot)
            let diagnosis = entry?.machine.diagnosis(at: driver.now)
            reply.complete(diagnosis.map { .success($0) } ?? .failure(.shutDown))
        }
        return try await reply.wait()
    }

    // MARK: Closures

    func observe(
        _ snapshot: AccessorySnapshot,
        _ body: @escaping @Sendable (AccessoryChange) -> Void
    ) -> ObservationToken {
        let bridge = ObservationBridge(body)
        // After the end of the central, the closure gets the last state.
        execute(orElse: { bridge.begin(snapshot) }) { _ in bridge.begin(snapshot) }
        return ObservationToken { bridge.end() }
    }
}

extension CentralLifetime {
    func pair(
        _ description: AccessoryDescription,
        with target: PairingTarget? = nil,
        for record: PairingRecord? = nil,
        orJoin joins: Bool = false
    ) async throws(AccessoryError) -> Accessory {
        let snapshot = try await driver.pair(description, with: target, for: record, orJoin: joins)
        // The accessory may have been forgotten in the meantime.
        guard let accessory = snapshot.accessory(of: self) else { throw .shutDown }
        return accessory
    }
}

extension AccessoryState {
    /// Whether Bluetooth may be available in this state. It is `true` for `restoring`, although
    /// Bluetooth may not be available yet in that state.
    var isPossible: Bool {
        switch self {
        case .waitingForBluetooth, .poweredOff, .unauthorized, .unsupported: false
        default: true
        }
    }

    /// Whether there is certainly no link and no attempt to connect.
    var hasNoLink: Bool {
        switch self {
        case .idle, .waitingForBluetooth, .poweredOff, .unauthorized, .unsupported: true
        default: false
        }
    }
}
