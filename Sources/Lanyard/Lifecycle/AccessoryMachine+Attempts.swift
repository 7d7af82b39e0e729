// SPDX-License-Identifier: Apache-2.0

// What the record of an attempt needs to know about states.
extension AccessoryMachine.State {
    /// Whether it is waited for by a connect of ours.
    var isStanding: Bool {
        guard case .outOfRange(_, .ours) = self else { return false }
        return true
    }

    /// Whether its link is being ended.
    var isEnding: Bool {
        guard case .disconnecting = self else { return false }
        return true
    }

    /// Whether an application can do something with it.
    var isUsable: Bool {
        switch self {
        case .ready, .connected(_, .refused, _): true
        default: false
        }
    }

    /// Whether an attempt is over that was made until then.
    var endsAttempt: Bool { phase == nil || isOutOfRange }

    private var isOutOfRange: Bool {
        guard case .outOfRange = self else { return false }
        return true
    }

    /// How an attempt is made that begins in it.
    var approach: AttemptRecord.Approach {
        switch self {
        case .outOfRange: .standing
        case .connecting(_, .arrived): .restored
        case .connecting: .dial
        default: .renewal
        }
    }

    /// What a record says about what comes next.
    func next(after now: Duration) -> AttemptRecord.Next {
        switch self {
        case .unavailable: .bluetooth
        case .restoring, .retrieving, .scanning: .dial(after: .zero)
        case .idle(let reason): .rest(reason)
        case .connecting(_, .waitingForSlot), .connecting(_, .arrived): .slot
        case .connecting(_, .backingOff(let countdown)): .dial(after: countdown.deadline - now)
        case .connecting(_, .dialling), .disconnecting: .dial(after: .zero)
        case .discoveringServices, .discoveringCharacteristics, .subscribing, .ready: .ready
        case .connected: .pairing
        case .outOfRange(_, .ours(let start)): .standing(after: max(start - now, .zero))
        case .outOfRange(_, .system): .system
        }
    }
}

extension ChangeReason {
    /// The failure that it tells of.
    var failure: LinkFailure? {
        switch self {
        case .notPaired(let failure), .lost(let failure), .retrying(let failure, _),
            .abandoned(let failure), .standingBy(let failure), .resting(.failed(let failure)):
            failure
        case .systemReconnects(let failure): failure
        default: nil
        }
    }
}

extension LinkFailure {
    /// Whether the system has said that there are too many links, not the pool.
    var isLimitOfSystem: Bool { kind == .capacity && code != nil }
}
