// SPDX-License-Identifier: Apache-2.0

// From a peripheral to a link.
extension AccessoryMachine {
    /// Connects with a timeout, as soon as there is a slot.
    func requestConnection(_ peripheral: Peripheral, because reason: ChangeReason) -> Decision {
        .move(.connecting(peripheral, .waitingForSlot), reason)
    }

    /// Connects without a time limit.
    func connectPending(_ peripheral: Peripheral, because reason: ChangeReason) -> Decision {
        .move(
            .outOfRange(peripheral, .library(from: now)),
            reason,
            [.connect(peripheral, .pending(after: .zero))]
        )
    }

    /// Whether the library's connection request has a delay that has not passed yet.
    var isPausing: Bool {
        guard case .outOfRange(_, .library(let start)) = state else { return false }
        return start > now
    }

    /// Connects at once instead of after the delay. The delayed connection request must be canceled
    /// first.
    func endPause(_ peripheral: Peripheral) -> Decision {
        guard isPausing else { return .ignore }
        return endLink(peripheral, then: .connect(isGranted: false), because: .requested)
    }

    /// Returns whether the library waits before its next pending connection request, because there
    /// was no room for another link.
    func isRefused(at now: Duration) -> Bool {
        guard case .outOfRange(_, .library(let start)) = state else { return false }
        return start > now && reason.failure?.failureClass == .capacity
    }

    /// Makes the pending connection request at once, instead of after the wait. It needs no slot:
    /// another app may take the room, and the request must then wait with the system again.
    func slotFreed() -> Decision {
        guard isRefused(at: now), let peripheral = state.peripheral else { return .ignore }
        return endLink(peripheral, then: .connectPending, because: .nextAttempt)
    }

    /// Requests a slot for an existing link.
    func arrive(
        _ peripheral: Peripheral,
        _ known: Set<CharacteristicPath>,
        because reason: ChangeReason
    ) -> Decision {
        let waiting = Connecting.linkedWithoutSlot(
            countdown(settings.limits.slotWait),
            known: known
        )
        return .move(.connecting(peripheral, waiting), reason)
    }

    private func connectNow(_ peripheral: Peripheral, because reason: ChangeReason) -> Decision {
        let requested = Connecting.requested(countdown(settings.timeouts.connecting))
        return .move(.connecting(peripheral, requested), reason, [.connect(peripheral, .direct)])
    }

    /// Handles a discovery. A peripheral that differs from the state's peripheral is the same
    /// accessory with a new identifier.
    func found(_ peripheral: Peripheral) -> Decision {
        switch state {
        case .scanning, .idle(.unknownToSystem):
            requestConnection(peripheral, because: .found)
        case .outOfRange(let last, _) where last != peripheral:
            .move(
                .connecting(peripheral, .waitingForSlot),
                .found,
                [.cancelConnection(last)]
            )
        case .connecting(let last, .backingOff) where last != peripheral,
            .connecting(let last, .waitingForSlot) where last != peripheral:
            requestConnection(peripheral, because: .found)
        case .unavailable, .restoring, .retrieving, .idle, .connecting, .discoveringServices,
            .discoveringCharacteristics, .subscribing, .connected, .ready, .outOfRange,
            .disconnecting:
            .ignore
        }
    }

    func connected(_ peripheral: Peripheral, _ known: Set<CharacteristicPath>) -> Decision {
        switch state {
        case .connecting(_, .requested): explore(peripheral, known)
        case .outOfRange: arrive(peripheral, known, because: .linked)
        case .restoring(_, .connecting), .restoring(_, .connected):
            .note(.restoring(peripheral, .connected(known: known)))
        case .unavailable, .restoring(_, .unwanted), .retrieving, .idle, .scanning,
            .connecting(_, .waitingForSlot), .connecting(_, .linkedWithoutSlot),
            .connecting(_, .backingOff),
            .discoveringServices, .discoveringCharacteristics, .subscribing, .connected, .ready,
            .disconnecting:
            .ignore
        }
    }

    func failedToConnect(_ peripheral: Peripheral, _ failure: LinkFailure) -> Decision {
        switch state {
        case .connecting(_, .requested), .outOfRange:
            .retry(peripheral, failure, linkWasUp: false)
        case .disconnecting(_, let ending): linkEnded(peripheral, ending)
        case .unavailable, .restoring, .retrieving, .idle, .scanning,
            .connecting(_, .waitingForSlot), .connecting(_, .linkedWithoutSlot),
            .connecting(_, .backingOff),
            .discoveringServices, .discoveringCharacteristics, .subscribing, .connected, .ready:
            .ignore
        }
    }
}

// MARK: Slots

extension AccessoryMachine {
    func slotGranted() -> Decision {
        switch state {
        case .connecting(let peripheral, .waitingForSlot):
            return connectNow(peripheral, because: .slotGranted)
        case .connecting(let peripheral, .linkedWithoutSlot(_, let known)):
            return explore(peripheral, known)
        case .disconnecting(let peripheral, var ending)
        where ending.slot == .request && ending.then == .connect(isGranted: false):
            ending.then = .connect(isGranted: true)
            return .note(.disconnecting(peripheral, ending))
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting(_, .requested),
            .connecting(_, .backingOff), .discoveringServices, .discoveringCharacteristics,
            .subscribing, .connected, .ready, .outOfRange, .disconnecting:
            return .ignore
        }
    }

    func slotDelayed(_ slots: AttemptRecord.Slots) -> Decision {
        switch state {
        case .connecting(_, .waitingForSlot), .connecting(_, .linkedWithoutSlot):
            .move(state, .waitingForSlot(slots))
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting(_, .requested),
            .connecting(_, .backingOff), .discoveringServices, .discoveringCharacteristics,
            .subscribing, .connected, .ready, .outOfRange, .disconnecting:
            .ignore
        }
    }

    /// Ends a link for which there is no slot. The accessory is connected again when a slot is
    /// free.
    func denied(_ slots: AttemptRecord.Slots?) -> Decision {
        switch state {
        case .connecting(let peripheral, .linkedWithoutSlot):
            endLink(peripheral, then: .connect(isGranted: false), because: .waitingForSlot(slots))
        case .unavailable, .restoring, .retrieving, .idle, .scanning,
            .connecting(_, .waitingForSlot), .connecting(_, .requested),
            .connecting(_, .backingOff), .discoveringServices, .discoveringCharacteristics,
            .subscribing, .connected, .ready, .outOfRange, .disconnecting:
            .ignore
        }
    }

    func slotRevoked() -> Decision {
        let failure = LinkFailure(.capacity, "its link made room for another one")
        switch state {
        case .connecting(let peripheral, .waitingForSlot):
            return .retry(peripheral, failure, linkWasUp: false)
        case .connecting(let peripheral, .requested),
            .connecting(let peripheral, .linkedWithoutSlot),
            .discoveringServices(let peripheral, _, _),
            .discoveringCharacteristics(let peripheral, _, _), .subscribing(let peripheral, _, _),
            .connected(let peripheral, _, _), .ready(let peripheral, _):
            return endLink(
                peripheral,
                then: .retry(failure, linkWasUp: true),
                because: .evicted
            )
        case .disconnecting(let peripheral, var ending)
        where ending.then == .connect(isGranted: true):
            ending.then = .retry(failure, linkWasUp: true)
            ending.slot = .ending
            return .note(.disconnecting(peripheral, ending))
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting(_, .backingOff),
            .outOfRange, .disconnecting:
            return .ignore
        }
    }

    /// Decides the next step after the end of a link; see `NextStep`.
    func linkEnded(_ peripheral: Peripheral, _ ending: Ending) -> Decision {
        switch ending.then {
        case .rest(let reason): .move(.idle(reason), .resting(reason))
        case .retry(let failure, let linkWasUp):
            .retry(peripheral, failure, linkWasUp: linkWasUp)
        case .connect(isGranted: false): requestConnection(peripheral, because: .nextAttempt)
        case .connect(isGranted: true): connectNow(peripheral, because: .slotGranted)
        case .connectPending: connectPending(peripheral, because: .nextAttempt)
        case .pair: retrieve(for: .pair, because: .requested)
        }
    }
}
