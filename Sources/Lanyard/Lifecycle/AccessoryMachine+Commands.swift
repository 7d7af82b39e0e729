// SPDX-License-Identifier: Apache-2.0

// Calls of the app. A call for work that is already in progress changes nothing.
extension AccessoryMachine {
    func pair() -> Decision {
        switch state {
        case .unavailable(let why, .rest):
            return .note(.unavailable(why, .pair))
        case .idle: return retrieve(for: .pair, because: .requested)
        case .connected(let peripheral, .refused, let link): return pairAgain(peripheral, link)
        case .connecting(let peripheral, .backingOff):
            return requestConnection(peripheral, because: .requested)
        case .outOfRange(let peripheral, _): return endPause(peripheral)
        case .disconnecting(let peripheral, var ending):
            guard case .rest(let reason) = ending.then, reason != .forgotten else {
                return .ignore
            }
            ending.then = isRemembered ? .connect(isGranted: false) : .pair
            return .note(.disconnecting(peripheral, ending))
        case .unavailable, .restoring, .retrieving, .scanning, .connecting, .discoveringServices,
            .discoveringCharacteristics, .subscribing, .connected, .ready:
            return .ignore
        }
    }

    /// Connects a remembered accessory. Any other accessory must be paired first.
    func connect() -> Decision {
        guard isRemembered else { return .ignore }
        switch state {
        case .unavailable(let why, .rest):
            return .note(.unavailable(why, .keep))
        case .idle: return retrieve(for: .keep, because: .requested)
        case .connecting(let peripheral, .backingOff):
            return requestConnection(peripheral, because: .requested)
        case .outOfRange(let peripheral, _): return endPause(peripheral)
        case .disconnecting(let peripheral, var ending):
            guard case .rest = ending.then else { return .ignore }
            ending.then = .connect(isGranted: false)
            return .note(.disconnecting(peripheral, ending))
        case .unavailable, .restoring, .retrieving, .scanning, .connecting, .discoveringServices,
            .discoveringCharacteristics, .subscribing, .connected, .ready:
            return .ignore
        }
    }

    /// Ends the link and all other work, for this reason. If the app forgets the accessory, its
    /// data is also erased.
    func end(for reason: IdleReason) -> Decision {
        let erasing: [Action] = reason == .forgotten ? [.erase] : []
        let isOver = erasing.isEmpty ? nil : Decision.move(.idle(reason), .resting(reason), erasing)
        switch state {
        case .unavailable(let why, let intent):
            guard intent.yields(to: reason) else { return .ignore }
            return .move(.unavailable(why, .rest(reason)), .requested, erasing)
        case .restoring(let peripheral, _):
            return .move(.restoring(peripheral, .unwanted(reason)), .requested, erasing)
        case .idle(.unknownToSystem), .retrieving, .scanning, .connecting(_, .waitingForSlot),
            .connecting(_, .backingOff):
            return .move(.idle(reason), .resting(reason), erasing)
        case .idle(.forgotten): return .ignore
        case .idle: return isOver ?? .ignore
        case .connecting(let peripheral, .requested),
            .connecting(let peripheral, .linkedWithoutSlot),
            .discoveringServices(let peripheral, _, _),
            .discoveringCharacteristics(let peripheral, _, _), .subscribing(let peripheral, _, _),
            .connected(let peripheral, _, _), .ready(let peripheral, _),
            .outOfRange(let peripheral, _):
            return endLink(peripheral, then: .rest(reason), because: .requested, erasing)
        case .disconnecting(let peripheral, var ending):
            guard ending.then != .rest(reason), ending.then != .rest(.forgotten) else {
                return .ignore
            }
            ending.then = .rest(reason)
            ending.slot = ending.slot.map { _ in .ending }
            return .move(.disconnecting(peripheral, ending), .requested, erasing)
        }
    }
}

extension Intent {
    /// Returns whether a request to end all work, for this reason, replaces the intent.
    fileprivate func yields(to reason: IdleReason) -> Bool {
        switch self {
        case .rest(.forgotten): false
        case .rest: reason == .forgotten
        case .pair, .keep: true
        }
    }
}
