// SPDX-License-Identifier: Apache-2.0

/// The decision whether a change of an accessory's state ends its pairing, and with which error.
struct PairingVerdict {
    /// The reason why the pairing has failed; `nil` while it can succeed.
    let error: AccessoryError?

    /// Creates the verdict on a change of state during a pairing.
    ///
    /// - Parameter last: The latest earlier state other than `idle` and `disconnecting`.
    init(_ last: AccessoryState, _ change: AccessoryChange, _ snapshot: AccessorySnapshot) {
        error =
            switch (change.state, change.reason) {
            case (.unauthorized, _): .unauthorized
            case (.unsupported, _): .unsupported
            case (.connecting, .waitingForSlot):
                // If a slot will become free for this accessory, the pairing waits for it.
                snapshot.slots.flatMap { $0.isMakingRoom ? nil : .outOfConnectionSlots($0) }
            case (.connected, .notPaired): .notPaired
            case (.idle, .resting(.notFound)):
                .notFound(after: snapshot.description.timeouts.scanning)
            case (.disconnecting, .abandoned), (.idle, .resting(.failed)):
                Self.error(last, change, snapshot)
            // This change happened before the pairing was requested, so it decides nothing.
            case (.idle, .bluetoothAvailable): nil
            case (.idle, let reason): .abandoned(reason)
            case (.outOfRange, .standingBy(let failure)), (.outOfRange, .lost(let failure)):
                Self.error(failure, .connecting, snapshot.description.timeouts)
            default: nil
            }
    }

    /// Returns the error after a failure. If the total limit has passed, the pairing ends at once.
    /// After any other failure it ends only if no further attempt follows.
    private static func error(
        _ last: AccessoryState,
        _ change: AccessoryChange,
        _ snapshot: AccessorySnapshot
    ) -> AccessoryError? {
        let timeouts = snapshot.description.timeouts
        if snapshot.hasTimedOut { return timeoutError(last, after: timeouts.firstPairing) }
        guard change.state == .idle, let failure = change.reason.failure else { return nil }
        return error(failure, last, timeouts)
    }

    private static func timeoutError(_ last: AccessoryState, after limit: Duration)
        -> AccessoryError
    {
        switch last {
        case .restoring, .scanning: .notFound(after: limit)
        case .connecting: .connectingTimedOut(after: limit)
        default: .stepTimedOut(last, after: limit)
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
