// SPDX-License-Identifier: Apache-2.0

// Facts about states for the records of attempts.
extension AccessoryMachine.State {
    /// Whether a connection request of the library is pending.
    var isPending: Bool {
        guard case .outOfRange(_, .library) = self else { return false }
        return true
    }

    /// Whether the link is being ended.
    var isEnding: Bool {
        guard case .disconnecting = self else { return false }
        return true
    }

    /// Whether the accessory is ready, or is connected and its pairing failed.
    var isUsable: Bool {
        switch self {
        case .ready, .connected(_, .refused, _): true
        default: false
        }
    }

    /// Whether this state ends the attempt that preceded it.
    var endsAttempt: Bool { phase == nil || isOutOfRange }

    private var isOutOfRange: Bool {
        guard case .outOfRange = self else { return false }
        return true
    }

    /// The kind of an attempt that begins in this state.
    var approach: AttemptRecord.Approach {
        switch self {
        case .outOfRange: .pending
        case .connecting(_, .linkedWithoutSlot): .restored
        case .connecting: .direct
        default: .renewal
        }
    }

    /// Returns the next step, for a record.
    func next(after now: Duration) -> AttemptRecord.Next {
        switch self {
        case .unavailable: .bluetooth
        case .restoring, .retrieving, .scanning: .connect(after: .zero)
        case .idle(let reason): .rest(reason)
        case .connecting(_, .waitingForSlot), .connecting(_, .linkedWithoutSlot): .slot
        case .connecting(_, .backingOff(let countdown)): .connect(after: countdown.deadline - now)
        case .connecting(_, .requested), .disconnecting: .connect(after: .zero)
        case .discoveringServices, .discoveringCharacteristics, .subscribing, .ready: .ready
        case .connected: .pairing
        case .outOfRange(_, .library(let start)): .pending(after: max(start - now, .zero))
        case .outOfRange(_, .system): .system
        }
    }
}

extension LinkFailure {
    /// Whether the system, and not the pool, reported that there are too many links.
    var isLimitOfSystem: Bool { kind == .capacity && code != nil }
}
