// SPDX-License-Identifier: Apache-2.0

@testable import Lanyard

/// The kinds of machine states that differ in how they process events. Each case of `Machine.State`
/// has at least one kind.
enum StateKind: String, CaseIterable {
    case waitingForBluetooth = "waitingForBluetooth"
    case poweredOff = "poweredOff"
    case poweredOffToPair = "poweredOff, then pair"
    case poweredOffToRest = "poweredOff, then rest"
    case unauthorized = "unauthorized"
    case unsupported = "unsupported"
    case restoringConnecting = "restoring, was connecting"
    case restoringConnected = "restoring, was connected"
    case restoringUnwanted = "restoring, unwanted"
    case askingForRemembered = "restoring, retrieving the stored peripheral"
    case askingForHeld = "restoring, retrieving connected peripherals"
    case askingToPair = "restoring, retrieving the peripheral to pair"
    case idle = "idle"
    case idleUnknown = "idle, unknown to the system"
    case scanning = "scanning"
    case waitingForSlot = "connecting, waiting for a slot"
    case requested = "connecting, direct"
    case linkedWithoutSlot = "connecting, linked without a slot"
    case backingOff = "connecting, backing off"
    case discoveringServices = "discoveringServices"
    case discoveringCharacteristics = "discoveringCharacteristics"
    case subscribing = "subscribing"
    case renewing = "subscribing, renewing"
    case probing = "connected, probing"
    case refused = "connected, refused"
    case ready = "ready"
    case outOfRange = "outOfRange"
    case pausing = "outOfRange, after a pause"
    case systemReconnects = "outOfRange, the system reconnects"
    case endingToRest = "disconnecting, then rest"
    case endingToRetry = "disconnecting, then retry"
    case endingToConnect = "disconnecting, then connect"
    case endingGranted = "disconnecting, then connect at once"
    case endingToPending = "disconnecting, then a pending connection"
    case endingToPair = "disconnecting, then pair"
}

extension StateKind {
    /// The countdown of the states that have one.
    static let countdown = Countdown(number: 1, deadline: .seconds(10))

    /// A state of this kind.
    var state: Machine.State {
        switch self {
        case .waitingForBluetooth: .unavailable(.unknown, .keep)
        case .poweredOff: .unavailable(.poweredOff, .keep)
        case .poweredOffToPair: .unavailable(.poweredOff, .pair)
        case .poweredOffToRest: .unavailable(.poweredOff, .rest(.disconnected))
        case .unauthorized: .unavailable(.unauthorized, .keep)
        case .unsupported: .unavailable(.unsupported, .keep)
        case .restoringConnecting: .restoring("p", .connecting)
        case .restoringConnected: .restoring("p", .connected(known: []))
        case .restoringUnwanted: .restoring("p", .unwanted(.disconnected))
        case .askingForRemembered: .retrieving(.remembered, .keep)
        case .askingForHeld: .retrieving(.heldBySystem, .keep)
        case .askingToPair: .retrieving(.heldBySystem, .pair)
        case .idle: .idle(.disconnected)
        case .idleUnknown: .idle(.unknownToSystem)
        case .scanning: .scanning(Self.countdown)
        case .outOfRange: .outOfRange("p", .library(from: .zero))
        case .pausing: .outOfRange("p", .library(from: .seconds(70)))
        case .systemReconnects: .outOfRange("p", .system)
        default: linkState
        }
    }

    private var linkState: Machine.State {
        let countdown = Self.countdown
        let link = Machine.Link(found: [.measurement], unconfirmed: [])
        let fresh = Machine.Link(found: [.measurement], unconfirmed: [.measurement])
        var renewing = fresh
        renewing.renewing = .measurement
        let nothing = Machine.Link(found: [], unconfirmed: [])
        return switch self {
        case .waitingForSlot: .connecting("p", .waitingForSlot)
        case .requested: .connecting("p", .requested(countdown))
        case .linkedWithoutSlot: .connecting("p", .linkedWithoutSlot(countdown, known: []))
        case .backingOff: .connecting("p", .backingOff(countdown))
        case .discoveringServices: .discoveringServices("p", countdown, keeping: nothing)
        case .discoveringCharacteristics:
            .discoveringCharacteristics(
                "p",
                countdown,
                Machine.Discovery(awaiting: ["180D"], link: nothing)
            )
        case .subscribing: .subscribing("p", countdown, fresh)
        case .renewing: .subscribing("p", countdown, renewing)
        case .probing: .connected("p", .probing(countdown), link)
        case .refused: .connected("p", .refused(.unauthenticated), link)
        case .ready: .ready("p", link)
        case .endingToRest: ending(.rest(.disconnected))
        case .endingToRetry: ending(.retry(.strange, linkWasUp: true))
        case .endingToConnect: ending(.connect(isGranted: false))
        case .endingGranted: ending(.connect(isGranted: true))
        case .endingToPending: ending(.connectPending)
        default: ending(.pair)
        }
    }

    private func ending(_ then: Machine.NextStep) -> Machine.State {
        let slot =
            self == .endingToConnect || self == .endingGranted ? SlotPurpose.request : .ending
        let ending = Machine.Ending(countdown: Self.countdown, slot: slot, then: then)
        return .disconnecting("p", ending)
    }
}

extension StateKind {
    /// Creates the kind of a state.
    init(_ state: Machine.State) {
        switch state {
        case .unavailable(.unknown, _), .unavailable(.resetting, _): self = .waitingForBluetooth
        case .unavailable(.unauthorized, _): self = .unauthorized
        case .unavailable(.unsupported, _): self = .unsupported
        case .unavailable(.poweredOff, .keep): self = .poweredOff
        case .unavailable(.poweredOff, .pair): self = .poweredOffToPair
        case .unavailable(.poweredOff, .rest): self = .poweredOffToRest
        case .restoring(_, .connecting): self = .restoringConnecting
        case .restoring(_, .connected): self = .restoringConnected
        case .restoring(_, .unwanted): self = .restoringUnwanted
        case .retrieving(.remembered, _): self = .askingForRemembered
        case .retrieving(.heldBySystem, .pair): self = .askingToPair
        case .retrieving(.heldBySystem, _): self = .askingForHeld
        case .idle(.unknownToSystem): self = .idleUnknown
        case .idle: self = .idle
        case .scanning: self = .scanning
        case .connecting(_, .waitingForSlot): self = .waitingForSlot
        case .connecting(_, .requested): self = .requested
        case .connecting(_, .linkedWithoutSlot): self = .linkedWithoutSlot
        case .connecting(_, .backingOff): self = .backingOff
        case .discoveringServices: self = .discoveringServices
        case .discoveringCharacteristics: self = .discoveringCharacteristics
        case .subscribing(_, _, let link):
            self = link.renewing == nil ? .subscribing : .renewing
        case .connected(_, .probing, _): self = .probing
        case .connected(_, .refused, _): self = .refused
        case .ready: self = .ready
        case .outOfRange(_, .library(let start)):
            self = start > Self.countdown.deadline ? .pausing : .outOfRange
        case .outOfRange(_, .system): self = .systemReconnects
        case .disconnecting(_, let ending): self = Self(ending.then)
        }
    }

    private init(_ then: Machine.NextStep) {
        switch then {
        case .rest: self = .endingToRest
        case .retry: self = .endingToRetry
        case .connect(isGranted: false): self = .endingToConnect
        case .connect(isGranted: true): self = .endingGranted
        case .connectPending: self = .endingToPending
        case .pair: self = .endingToPair
        }
    }
}
