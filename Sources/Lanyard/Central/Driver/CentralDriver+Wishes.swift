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
    ) async throws(AccessoryError) -> AccessoryMirror {
        let kind = description.kind
        guard descriptions.contains(where: { $0.kind == kind }) else { throw .unknownKind(kind) }
        guard description.matcher.services != nil || configuration.allowsUnfilteredScans else {
            throw .unfilteredScan
        }
        let beginning = AccessoryChange(.idle, .resting(.neverPaired))
        let mirror = AccessoryMirror(description, name: nil, beginningWith: beginning)
        let changes = mirror.events()
        let chosen = await settle { driver in
            let other = joins ? driver.keepers.first { $0.description.kind == kind } : nil
            if other == nil { driver.beginPairing(description, mirror) }
            return other?.mirror ?? mirror
        }
        guard let chosen else { throw .shutDown }
        guard chosen === mirror else { return try await join(chosen, description) }
        do throws(AccessoryError) {
            try await outcome(of: mirror, changes)
            return mirror
        } catch {
            await abandonPairing(mirror)
            throw error
        }
    }

    private func beginPairing(_ description: AccessoryDescription, _ mirror: AccessoryMirror) {
        let keeper = makeKeeper(description, mirror, isRemembered: false)
        keeper.isPairedHere = true
        feed(.wished(.pair), to: keeper)
        let unavailability = Unavailability(outlook.value)
        feed(unavailability.map { .unavailable($0) } ?? .available, to: keeper)
    }

    /// Waits for a pairing that another call started. If that pairing was canceled, starts a new
    /// one.
    private func join(
        _ mirror: AccessoryMirror,
        _ description: AccessoryDescription
    ) async throws(AccessoryError) -> AccessoryMirror {
        guard !roster.has(mirror) else { return mirror }
        do throws(AccessoryError) {
            try await outcome(of: mirror, mirror.events())
            return mirror
        } catch .shutDown {
            return try await pair(description, orJoin: true)
        } catch {
            throw error
        }
    }

    /// Waits until an accessory that is being paired is ready.
    private func outcome(
        of mirror: AccessoryMirror,
        _ changes: Events<AccessoryChange>
    ) async throws(AccessoryError) {
        var last = AccessoryState.idle
        for await change in changes where change.number > 0 {
            if change.state == .ready { return }
            if let error = PairingVerdict(last, change, mirror).error { throw error }
            if change.state != .idle, change.state != .disconnecting { last = change.state }
        }
        throw Task.isCancelled ? .cancelled : .shutDown
    }

    /// Removes every trace of a pairing that failed or was canceled.
    private func abandonPairing(_ mirror: AccessoryMirror) async {
        _ = await settle { driver in
            guard let keeper = driver.keeper(with: mirror) else { return }
            driver.feed(.wished(.forget), to: keeper)
        }
    }

    /// Returns whether an accessory cannot be found again, because the system does not know it
    /// anymore and no other means of identification exists. Waits until the system has been asked,
    /// but not while Bluetooth is off.
    func isBeyondRecognition(_ mirror: AccessoryMirror) async throws(AccessoryError) -> Bool {
        guard mirror.description.identity == .system else { return false }
        guard await settle({ _ in }) != nil else { throw .shutDown }
        for await change in mirror.events() {
            switch change.state {
            case .waitingForBluetooth, .restoring: continue
            default: return change.reason == .resting(.unknownToSystem)
            }
        }
        throw Task.isCancelled ? .cancelled : .shutDown
    }

    // MARK: Connection requests

    func connect(_ mirror: AccessoryMirror) {
        enter { driver in
            driver.keeper(with: mirror).map { driver.feed(.wished(.connect), to: $0) }
        }
    }

    func disconnect(_ mirror: AccessoryMirror) async throws(AccessoryError) {
        let changes = await settle { driver in
            if let keeper = driver.keeper(with: mirror) {
                driver.feed(.wished(.disconnect), to: keeper)
            }
            return mirror.events()
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
        _ mirror: AccessoryMirror,
        _ identity: AccessoryIdentity
    ) async throws(AccessoryError) {
        try await wish(.forget, of: mirror)
        for await _ in mirror.events() {}
        if Task.isCancelled { throw .cancelled }
        let isKept = await settle { $0.backlog.unforgotten.contains(identity) }
        if isKept == true { throw .notErased }
    }

    func pairIfNeeded(_ mirror: AccessoryMirror) async throws(AccessoryError) {
        guard mirror.change.state != .ready else { return }
        try await wish(.pair, of: mirror)
        try await untilReady(mirror)
    }

    func untilReady(_ mirror: AccessoryMirror) async throws(AccessoryError) {
        // First let earlier calls take effect.
        guard await settle({ _ in }) != nil else { throw .shutDown }
        var hasLooked = false
        for await change in mirror.events() {
            switch change.state {
            case .ready: return
            case .idle
            where change.reason == .resting(.unknownToSystem) && !hasLooked
                && mirror.description.identity != .system:
                // The system has lost the accessory, but it can be identified: the waiting call
                // requests a search.
                hasLooked = true
                try await wish(.pair, of: mirror)
            case .unauthorized: throw .unauthorized
            case .unsupported: throw .unsupported
            case .idle: throw .abandoned(change.reason)
            case .connected: if case .notPaired = change.reason { throw .notPaired }
            default: break
            }
        }
        throw Task.isCancelled ? .cancelled : .shutDown
    }

    private func wish(_ wish: Wish, of mirror: AccessoryMirror) async throws(AccessoryError) {
        let isDone = await settle { driver in
            if let keeper = driver.keeper(with: mirror) { driver.feed(.wished(wish), to: keeper) }
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

    func whereabouts(of mirror: AccessoryMirror) async throws(AccessoryError) -> Whereabouts {
        let reply = Promise<Whereabouts>()
        enter(orElse: { reply.give(.failure(.shutDown)) }) { driver in
            let keeper = driver.keeper(with: mirror)
            let whereabouts = keeper?.machine.whereabouts(at: driver.now)
            reply.give(whereabouts.map { .success($0) } ?? .failure(.shutDown))
        }
        return try await reply.wait()
    }

    // MARK: Closures

    func observe(
        _ mirror: AccessoryMirror,
        _ body: @escaping @Sendable (AccessoryChange) -> Void
    ) -> ObservationToken {
        let bridge = ObservationBridge(body)
        enter { driver in
            bridge.begin(mirror)
        }
        return ObservationToken { bridge.end() }
    }
}

extension CentralLife {
    func pair(
        _ description: AccessoryDescription,
        orJoin joins: Bool = false
    ) async throws(AccessoryError) -> Accessory {
        let mirror = try await driver.pair(description, orJoin: joins)
        // The accessory may have been forgotten in the meantime.
        guard let accessory = mirror.accessory(of: self) else { throw .shutDown }
        return accessory
    }
}

/// The meaning of a state change for an accessory that is being paired.
struct PairingVerdict {
    /// The reason why the pairing has failed; `nil` while it can succeed.
    let error: AccessoryError?

    /// - Parameter last: The state before the accessory became idle.
    init(_ last: AccessoryState, _ change: AccessoryChange, _ mirror: AccessoryMirror) {
        error =
            switch (change.state, change.reason) {
            case (.unauthorized, _): .unauthorized
            case (.unsupported, _): .unsupported
            case (.connecting, .waitingForSlot):
                // A link is being ended for this accessory, so a slot will become free.
                mirror.slots.flatMap { $0.isMakingRoom ? nil : .outOfConnectionSlots($0) }
            case (.connected, .notPaired): .notPaired
            case (.idle, .resting(.notFound)):
                .notFound(after: mirror.description.timeouts.scanning)
            case (.idle, .resting(.failed(let failure))):
                Self.error(failure, last, mirror.description.timeouts)
            // The state before the request.
            case (.idle, .bluetoothAvailable): nil
            case (.idle, let reason): .abandoned(reason)
            case (.outOfRange, .standingBy(let failure)), (.outOfRange, .lost(let failure)):
                Self.error(failure, .connecting, mirror.description.timeouts)
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
