// SPDX-License-Identifier: Apache-2.0

// Changes of Bluetooth's availability, and restored peripherals.
extension AccessoryMachine {
    func available() -> Decision {
        switch state {
        case .unavailable(_, .rest(let reason)): .move(.idle(reason), .bluetoothAvailable)
        case .unavailable(_, .pair): retrieve(for: .pair, because: .bluetoothAvailable)
        case .unavailable(_, .keep): retrieve(for: .keep, because: .bluetoothAvailable)
        case .restoring(let peripheral, .connecting): connectPending(peripheral, because: .restored)
        case .restoring(let peripheral, .connected(let known)):
            arrive(peripheral, known, because: .restored)
        case .restoring(let peripheral, .unwanted(let reason)):
            endLink(peripheral, then: .rest(reason), because: .bluetoothAvailable)
        case .retrieving, .idle, .scanning, .connecting, .discoveringServices,
            .discoveringCharacteristics, .subscribing, .connected, .ready, .outOfRange,
            .disconnecting:
            .ignore
        }
    }

    /// Handles the loss of Bluetooth. All links and peripherals are invalid; the system provides
    /// new ones later.
    func unavailable(_ why: Unavailability) -> Decision {
        switch state {
        case .unavailable(why, _): return .ignore
        case .restoring where why == .unknown: return .ignore
        default: return .move(.unavailable(why, intent), .bluetoothUnavailable)
        }
    }

    /// The work to resume when Bluetooth is available again.
    private var intent: Intent {
        let resumed = isRemembered ? Intent.keep : .pair
        return switch state {
        case .unavailable(_, let intent), .retrieving(_, let intent): intent
        case .restoring(_, .unwanted(let reason)): .rest(reason)
        case .restoring: isRemembered ? .keep : .rest(.neverPaired)
        case .idle(.unknownToSystem): .keep
        case .idle(let reason): .rest(reason)
        case .scanning: .pair
        case .connecting, .discoveringServices, .discoveringCharacteristics, .subscribing,
            .connected, .ready, .outOfRange:
            resumed
        case .disconnecting(_, let ending):
            switch ending.then {
            case .rest(let reason): .rest(reason)
            case .retry, .connect, .connectPending: resumed
            case .pair: .pair
            }
        }
    }

    func restored(_ peripheral: Peripheral, _ link: RestoredLink) -> Decision {
        switch state {
        case .unavailable(.unknown, _), .unavailable(.resetting, _):
            .move(.restoring(peripheral, link), .restored)
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting,
            .discoveringServices, .discoveringCharacteristics, .subscribing, .connected, .ready,
            .outOfRange, .disconnecting:
            .ignore
        }
    }

    /// Asks the system for a peripheral before any search, because a connected peripheral may not
    /// advertise.
    func retrieve(for intent: Intent, because reason: ChangeReason) -> Decision {
        let first = isRemembered ? Retrieval.remembered : .heldBySystem
        return .move(.retrieving(first, intent), reason, [.retrieve(first)])
    }

    func retrieved(_ peripheral: Peripheral?) -> Decision {
        switch (state, peripheral) {
        case (.retrieving(.remembered, .pair), let peripheral?):
            requestConnection(peripheral, because: .remembered)
        case (.retrieving(.remembered, _), let peripheral?):
            wasJustSeen
                ? requestConnection(peripheral, because: .remembered)
                : connectPending(peripheral, because: .remembered)
        case (.retrieving(.remembered, let intent), nil):
            .note(.retrieving(.heldBySystem, intent), [.retrieve(.heldBySystem)])
        case (.retrieving(.heldBySystem, _), let peripheral?):
            requestConnection(peripheral, because: .found)
        case (.retrieving(.heldBySystem, .pair), nil):
            .move(.scanning(countdown(settings.timeouts.scanning)), .requested)
        case (.retrieving(.heldBySystem, _), nil):
            .move(.idle(.unknownToSystem), .resting(.unknownToSystem))
        case (.unavailable, _), (.restoring, _), (.idle, _), (.scanning, _), (.connecting, _),
            (.discoveringServices, _), (.discoveringCharacteristics, _), (.subscribing, _),
            (.connected, _), (.ready, _), (.outOfRange, _), (.disconnecting, _):
            .ignore
        }
    }

    private var wasJustSeen: Bool {
        lastSeen.map { now - $0 <= settings.limits.justSeen } ?? false
    }
}
