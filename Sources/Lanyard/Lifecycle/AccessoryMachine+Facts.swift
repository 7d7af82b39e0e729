// SPDX-License-Identifier: Apache-2.0

extension AccessoryMachine.State {
    /// The peripheral of the state, if there is one. Link events of other peripherals are ignored.
    var peripheral: Peripheral? {
        switch self {
        case .unavailable, .retrieving, .idle, .scanning: nil
        case .restoring(let peripheral, _), .connecting(let peripheral, _),
            .discoveringServices(let peripheral, _, _),
            .discoveringCharacteristics(let peripheral, _, _),
            .subscribing(let peripheral, _, _), .connected(let peripheral, _, _),
            .ready(let peripheral, _), .outOfRange(let peripheral, _),
            .disconnecting(let peripheral, _):
            peripheral
        }
    }

    /// The running countdown.
    var countdown: Countdown? {
        switch self {
        case .scanning(let countdown), .discoveringServices(_, let countdown, _),
            .discoveringCharacteristics(_, let countdown, _), .subscribing(_, let countdown, _),
            .connected(_, .probing(let countdown), _), .connecting(_, .requested(let countdown)),
            .connecting(_, .linkedWithoutSlot(let countdown, _)),
            .connecting(_, .backingOff(let countdown)):
            countdown
        case .disconnecting(_, let ending): ending.countdown
        case .unavailable, .restoring, .retrieving, .idle, .connecting(_, .waitingForSlot),
            .connected(_, .refused, _), .ready, .outOfRange:
            nil
        }
    }

    /// The purpose of the slot that the state holds or requests; `nil` if there is none.
    var slotPurpose: SlotPurpose? {
        switch self {
        case .connecting(_, .linkedWithoutSlot): .existingLink
        case .connecting(_, .waitingForSlot), .connecting(_, .requested), .discoveringServices,
            .discoveringCharacteristics, .subscribing, .connected, .ready:
            .request
        case .disconnecting(_, let ending): ending.slot
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .outOfRange,
            .connecting(_, .backingOff):
            nil
        }
    }

    /// Returns whether this state has a slot that the next state does not keep.
    func gives(backSlotFor next: Self) -> Bool {
        guard let slotPurpose else { return false }
        return next.slotPurpose == nil || (slotPurpose == .ending && next.slotPurpose != .ending)
    }

    /// Whether the accessory is being forgotten. Its link may not have ended yet.
    var isBeingForgotten: Bool {
        switch self {
        case .unavailable(_, .rest(.forgotten)), .restoring(_, .unwanted(.forgotten)),
            .idle(.forgotten):
            true
        case .disconnecting(_, let ending): ending.then == .rest(.forgotten)
        default: false
        }
    }

    /// Whether the accessory is being searched for.
    var isScanning: Bool {
        guard case .scanning = self else { return false }
        return true
    }

    /// The state that the app can observe.
    var accessoryState: AccessoryState {
        switch self {
        case .unavailable(.unknown, _), .unavailable(.resetting, _): .waitingForBluetooth
        case .unavailable(.poweredOff, _): .poweredOff
        case .unavailable(.unauthorized, _): .unauthorized
        case .unavailable(.unsupported, _): .unsupported
        case .restoring, .retrieving: .restoring
        case .idle: .idle
        case .scanning: .scanning
        case .connecting: .connecting
        case .discoveringServices: .discoveringServices
        case .discoveringCharacteristics: .discoveringCharacteristics
        case .subscribing: .subscribing
        case .connected: .connected
        case .ready: .ready
        case .outOfRange: .outOfRange
        case .disconnecting: .disconnecting
        }
    }

    /// The phase of the connection attempt, if the state is part of one.
    var phase: AttemptRecord.Phase? {
        switch self {
        case .connecting(_, .waitingForSlot), .connecting(_, .linkedWithoutSlot): .waitingForSlot
        case .connecting(_, .requested), .outOfRange: .connecting
        case .discoveringServices: .discoveringServices
        case .discoveringCharacteristics: .discoveringCharacteristics
        case .subscribing: .subscribing
        case .connected(_, .probing, _): .pairing
        case .disconnecting: .ending
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .ready,
            .connecting(_, .backingOff), .connected(_, .refused, _):
            nil
        }
    }
}
