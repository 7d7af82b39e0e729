// SPDX-License-Identifier: Apache-2.0

import Foundation

// The app's calls. They wait for results by observing the same changes that the app can observe.

extension CentralDriver {
    // MARK: Pairing

    /// Pairs an accessory.
    ///
    /// - Parameter joins: Whether the call may join a pairing that another call started.
    /// - Returns: The snapshot of the accessory, which is ready.
    /// - Throws: The errors of ``AccessoryCentral/pair(_:)``.
    func pair(
        _ description: AccessoryDescription,
        orJoin joins: Bool = false
    ) async throws(AccessoryError) -> AccessorySnapshot {
        let kind = description.kind
        guard descriptions.contains(where: { $0.kind == kind }) else { throw .unknownKind(kind) }
        guard description.matcher.services != nil || configuration.allowsUnfilteredScans else {
            throw .unfilteredScan
        }
        let beginning = AccessoryChange(.idle, .resting(.neverPaired))
        let snapshot = AccessorySnapshot(description, name: nil, beginningWith: beginning)
        let changes = snapshot.events()
        let chosen = await settle { driver in
            let other = joins ? driver.entries.first { $0.description.kind == kind } : nil
            if other == nil { driver.beginPairing(description, snapshot) }
            return other?.snapshot ?? snapshot
        }
        guard let chosen else { throw .shutDown }
        guard chosen === snapshot else { return try await join(chosen, description) }
        do throws(AccessoryError) {
            try await outcome(of: snapshot, changes)
            return snapshot
        } catch {
            await abandonPairing(snapshot)
            throw error
        }
    }

    private func beginPairing(_ description: AccessoryDescription, _ snapshot: AccessorySnapshot) {
        let entry = makeEntry(description, snapshot, isRemembered: false)
        entry.isPairedHere = true
        feed(.command(.pair), to: entry)
        let unavailability = Unavailability(availability.value)
        feed(unavailability.map { .unavailable($0) } ?? .available, to: entry)
    }

    /// Waits for a pairing that another call started. If that pairing was canceled, starts a new
    /// one.
    private func join(
        _ snapshot: AccessorySnapshot,
        _ description: AccessoryDescription
    ) async throws(AccessoryError) -> AccessorySnapshot {
        guard !roster.has(snapshot) else { return snapshot }
        do throws(AccessoryError) {
            try await outcome(of: snapshot, snapshot.events())
            return snapshot
        } catch .shutDown {
            return try await pair(description, orJoin: true)
        } catch {
            throw error
        }
    }

    /// Waits until an accessory that is being paired is ready.
    private func outcome(
        of snapshot: AccessorySnapshot,
        _ changes: Events<AccessoryChange>
    ) async throws(AccessoryError) {
        var last = AccessoryState.idle
        for await change in changes where change.number > 0 {
            if change.state == .ready { return }
            if let error = PairingVerdict(last, change, snapshot).error { throw error }
            if change.state != .idle, change.state != .disconnecting { last = change.state }
        }
        throw Task.isCancelled ? .cancelled : .shutDown
    }

    /// Removes every trace of a pairing that failed or was canceled.
    private func abandonPairing(_ snapshot: AccessorySnapshot) async {
        _ = await settle { driver in
            guard let entry = driver.entry(with: snapshot) else { return }
            driver.feed(.command(.forget), to: entry)
        }
    }

    /// Returns whether an accessory cannot be found again, because the system does not know it
    /// anymore and no other means of identification exists. Waits until the system has been asked,
    /// but not while Bluetooth is off.
    func isBeyondRecognition(_ snapshot: AccessorySnapshot) async throws(AccessoryError) -> Bool {
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
        enter { driver in
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
            // A new connection request in the meantime may start a connection attempt as soon as
            // the link has ended.
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
        let isKept = await settle { $0.backlog.unforgotten.contains(identity) }
        if isKept == true { throw .notErased }
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
                // The system has lost the accessory, but it can be identified: the waiting call
                // requests a search.
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

    /// Performs a turn on the queue and waits for its result; `nil` if the driver has ended.
    private func settle<Outcome: Sendable>(
        _ turn: @escaping @Sendable (CentralDriver) -> Outcome
    ) async -> Outcome? {
        await withCheckedContinuation { done in
            enter(orElse: { done.resume(returning: nil) }) { driver in
                done.resume(returning: turn(driver))
            }
        }
    }

    // MARK: Diagnosis

    func whereabouts(of snapshot: AccessorySnapshot) async throws(AccessoryError) -> Whereabouts {
        let reply = Promise<Whereabouts>()
        enter(orElse: { reply.give(.failure(.shutDown)) }) { driver in
            let entry = driver.entry(with: snapshot)
            let whereabouts = entry?.machine.whereabouts(at: driver.now)
            reply.give(whereabouts.map { .success($0) } ?? .failure(.shutDown))
        }
        return try await reply.wait()
    }

    // MARK: Closures

    func observe(
        _ snapshot: AccessorySnapshot,
        _ body: @escaping @Sendable (AccessoryChange) -> Void
    ) -> ObservationToken {
        let bridge = ObservationBridge(body)
        enter { driver in
            bridge.begin(snapshot)
        }
        return ObservationToken { bridge.end() }
    }
}

extension CentralLifetime {
    func pair(
        _ description: AccessoryDescription,
        orJoin joins: Bool = false
    ) async throws(AccessoryError) -> Accessory {
        let snapshot = try await driver.pair(description, orJoin: joins)
        // The accessory may have been forgotten in the meantime.
        guard let accessory = snapshot.accessory(of: self) else { throw .shutDown }
        return accessory
    }
}

/// The meaning of a state change for an accessory that is being paired.
struct PairingVerdict {
    /// The reason why the pairing has failed; `nil` while it can succeed.
    let error: AccessoryError?

    /// - Parameter last: The state before the accessory became idle.
    init(_ last: AccessoryState, _ change: AccessoryChange, _ snapshot: AccessorySnapshot) {
        error =
            switch (change.state, change.reason) {
            case (.unauthorized, _): .unauthorized
            case (.unsupported, _): .unsupported
            case (.connecting, .waitingForSlot):
                // A link is being ended for this accessory, so a slot will become free.
                snapshot.slots.flatMap { $0.isMakingRoom ? nil : .outOfConnectionSlots($0) }
            case (.connected, .notPaired): .notPaired
            case (.idle, .resting(.notFound)):
                .notFound(after: snapshot.description.timeouts.scanning)
            case (.idle, .resting(.failed(let failure))):
                Self.error(failure, last, snapshot.description.timeouts)
            // The state before the request.
            case (.idle, .bluetoothAvailable): nil
            case (.idle, let reason): .abandoned(reason)
            case (.outOfRange, .standingBy(let failure)), (.outOfRange, .lost(let failure)):
                Self.error(failure, .connecting, snapshot.description.timeouts)
            default: nil
            }
    }

    private static func error(
        _ failure: LinkFailure,
        _ last: AccessoryState,
        _ timeouts: AccessoryTimeouts
    ) -> AccessoryError {
        guard failure.kind == .timeout else { return .attemptFailed(failure) }
        switch last {
        case .connecting: return .connectingTimedOut(after: timeouts.connecting)
        case .subscribing: return .stepTimedOut(last, after: timeouts.subscribing)
        case .connected: return .stepTimedOut(last, after: timeouts.pairing)
        default: return .stepTimedOut(last, after: timeouts.discovering)
        }
    }
}

extension AccessoryState {
    /// Whether there is certainly no link and no attempt to connect.
    var hasNoLink: Bool {
        switch self {
        case .idle, .waitingForBluetooth, .poweredOff, .unauthorized, .unsupported: true
        default: false
        }
    }
}
