// SPDX-License-Identifier: Apache-2.0

@testable import Lanyard

/// The expected transition table, written by hand. An event that is not in it must be ignored.
enum ExpectedTransitions {
    typealias Row = [EventKind: TransitionTable.Outcome]

    /// Returns the expected transitions of a state of this kind.
    static func row(_ situation: StateKind) -> Row {
        switch situation {
        case .waitingForBluetooth, .poweredOff, .poweredOffToPair, .poweredOffToRest, .unauthorized,
            .unsupported:
            unavailable(situation)
        case .restoringConnecting, .restoringConnected, .restoringUnwanted: restoring(situation)
        case .askingForRemembered, .askingForHeld, .askingToPair: asking(situation)
        case .idle, .idleUnknown, .scanning: withoutRequest(situation)
        case .waitingForSlot, .requested, .linkedWithoutSlot, .backingOff: connecting(situation)
        case .discoveringServices, .discoveringCharacteristics, .subscribing, .renewing, .probing,
            .refused, .ready:
            linked.merging(link(situation)) { $1 }
        case .outOfRange, .pausing, .systemReconnects: away(situation)
        case .endingToRest, .endingToRetry, .endingToConnect, .endingGranted, .endingToPending,
            .endingToPair:
            ending(situation)
        }
    }

    private static func unavailable(_ situation: StateKind) -> Row {
        let forget: Row = [.forget: .to(forgotten(situation), "erase")]
        let resume: Row = [.available: .to(.askingForRemembered, "retrieve the stored peripheral")]
        let restore: Row = [.off: .to(.poweredOff), .restored: .to(.restoringConnecting)]
        let rest: Row = [.disconnect: .to(forgotten(situation))]
        return switch situation {
        case .waitingForBluetooth: forget + resume + restore + rest
        case .poweredOff, .poweredOffToPair: forget + resume + rest
        case .poweredOffToRest:
            forget + [
                .available: .to(.idle), .pair: .to(.poweredOffToPair), .connect: .to(.poweredOff),
            ]
        default: forget + resume + rest + [.off: .to(.poweredOff)]
        }
    }

    private static func forgotten(_ situation: StateKind) -> StateKind {
        switch situation {
        case .waitingForBluetooth, .unauthorized, .unsupported: situation
        default: .poweredOffToRest
        }
    }

    private static func restoring(_ situation: StateKind) -> Row {
        let end: Row = [
            .disconnect: .to(.restoringUnwanted), .forget: .to(.restoringUnwanted, "erase"),
        ]
        let link: Row = [
            .off: .to(.poweredOff), .connected: .to(.restoringConnected),
            .connectedKnown: .to(.restoringConnected),
        ]
        return switch situation {
        case .restoringConnecting:
            end + link + [.available: .to(.outOfRange, "pending connection")]
        case .restoringConnected:
            end + link + [
                .available: .to(.linkedWithoutSlot, "claim a slot"),
                .lost: .to(.restoringConnecting), .bondLost: .to(.restoringConnecting),
                .cancelled: .to(.restoringConnecting), .reconnecting: .to(.restoringConnecting),
                .modified: .to(.restoringConnected),
            ]
        default:
            end + [
                .available: .to(.endingToRest, "cancel the connection"),
                .off: .to(.poweredOffToRest),
            ]
        }
    }

    private static func asking(_ situation: StateKind) -> Row {
        let end: Row = [.disconnect: .to(.idle), .forget: .to(.idle, "erase")]
        return switch situation {
        case .askingForRemembered:
            end + [
                .off: .to(.poweredOff),
                .retrieved: .to(.outOfRange, "pending connection"),
                .retrievedNone: .to(.askingForHeld, "retrieve connected peripherals"),
            ]
        case .askingForHeld:
            end + [
                .off: .to(.poweredOff),
                .retrieved: .to(.waitingForSlot, "reserve a slot"),
                .retrievedNone: .to(.idleUnknown),
            ]
        default:
            end + [
                .off: .to(.poweredOffToPair),
                .retrieved: .to(.waitingForSlot, "reserve a slot"),
                .retrievedNone: .to(.scanning, "scan"),
            ]
        }
    }

    private static func withoutRequest(_ situation: StateKind) -> Row {
        let call: Row = [
            .pair: .to(.askingForRemembered, "retrieve the stored peripheral"),
            .connect: .to(.askingForRemembered, "retrieve the stored peripheral"),
        ]
        return switch situation {
        case .idle: call + [.off: .to(.poweredOffToRest), .forget: .to(.idle, "erase")]
        case .idleUnknown:
            call + [
                .off: .to(.poweredOff), .disconnect: .to(.idle), .forget: .to(.idle, "erase"),
                .foundAnother: .to(.waitingForSlot, "reserve a slot"),
            ]
        default:
            [
                .off: .to(.poweredOffToPair, "stop the scan"),
                .foundAnother: .to(.waitingForSlot, "stop the scan", "reserve a slot"),
                .countdown: .to(.idle, "stop the scan"),
                .disconnect: .to(.idle, "stop the scan"),
                .forget: .to(.idle, "stop the scan", "erase"),
            ]
        }
    }

    private static func connecting(_ situation: StateKind) -> Row {
        switch situation {
        case .waitingForSlot: waitingForSlot
        case .requested: requested
        case .linkedWithoutSlot: linked + linkedWithoutSlot
        default: backingOff
        }
    }

    private static let waitingForSlot: Row = [
        .off: .to(.poweredOff, "release the slot"),
        .foundAnother: .to(.waitingForSlot),
        .granted: .to(.requested, "connect"),
        .delayed: .to(.waitingForSlot),
        .revoked: .to(.backingOff, "release the slot"),
        .disconnect: .to(.idle, "release the slot"),
        .forget: .to(.idle, "release the slot", "erase"),
    ]

    private static let requested: Row = [
        .off: .to(.poweredOff, "release the slot"),
        .connected: .to(.discoveringServices, "discover services"),
        .connectedKnown: .to(.subscribing, "subscribe"),
        .failed: .to(.backingOff, "release the slot"),
        .lost: .to(.outOfRange, "release the slot", "pending connection"),
        .bondLost: .to(.idle, "release the slot"),
        .cancelled: .to(.endingToRetry, "cancel the connection"),
        .revoked: .to(.endingToRetry, "cancel the connection"),
        .countdown: .to(.endingToRetry, "cancel the connection"),
        .disconnect: .to(.endingToRest, "cancel the connection"),
        .forget: .to(.endingToRest, "cancel the connection", "erase"),
    ]

    private static let linkedWithoutSlot: Row = [
        .granted: .to(.discoveringServices, "discover services"),
        .delayed: .to(.linkedWithoutSlot),
        .denied: .to(.endingToConnect, "cancel the connection"),
        .countdown: .to(.endingToConnect, "cancel the connection"),
        .modified: .to(.linkedWithoutSlot),
    ]

    private static let backingOff: Row = [
        .countdown: .to(.waitingForSlot, "reserve a slot"),
        .off: .to(.poweredOff),
        .foundAnother: .to(.waitingForSlot, "reserve a slot"),
        .pair: .to(.waitingForSlot, "reserve a slot"),
        .connect: .to(.waitingForSlot, "reserve a slot"),
        .disconnect: .to(.idle),
        .forget: .to(.idle, "erase"),
    ]

    /// The transitions that the states with a link share.
    private static let linked: Row = [
        .off: .to(.poweredOff, "release the slot"),
        .lost: .to(.outOfRange, "release the slot", "pending connection"),
        .bondLost: .to(.idle, "release the slot"),
        .cancelled: .to(.idle, "release the slot"),
        .reconnecting: .to(.systemReconnects, "release the slot"),
        .modified: .to(.discoveringServices, "discover services"),
        .revoked: .to(.endingToRetry, "cancel the connection"),
        .disconnect: .to(.endingToRest, "cancel the connection"),
        .forget: .to(.endingToRest, "cancel the connection", "erase"),
    ]

    private static func link(_ situation: StateKind) -> Row {
        let abandon = TransitionTable.Outcome.to(.endingToRetry, "cancel the connection")
        switch situation {
        case .discoveringServices:
            return [
                .services: .to(.discoveringCharacteristics, "discover characteristics"),
                .added: .to(.discoveringServices, "discover services"),
                .servicesLacking: abandon, .discoveryFailed: abandon, .countdown: abandon,
            ]
        case .discoveringCharacteristics:
            return [
                .characteristics: .to(.subscribing, "subscribe"),
                .added: .to(.discoveringServices, "discover services"),
                .characteristicsLacking: abandon, .discoveryFailed: abandon, .countdown: abandon,
            ]
        case .subscribing:
            return [
                .confirmed: .to(.ready, "save"), .unauthenticated: .to(.refused),
                .subscriptionFailed: abandon, .countdown: abandon,
                .ended: .to(.subscribing, "subscribe"),
            ]
        case .renewing:
            return [
                .confirmed: .to(.ready, "save"), .unauthenticated: abandon,
                .subscriptionFailed: abandon, .countdown: abandon,
                .ended: .to(.renewing, "subscribe"),
            ]
        case .probing:
            return [
                .probed: .to(.ready, "save"), .probeRefused: .to(.refused),
                .ended: .to(.probing), .countdown: .to(.refused),
            ]
        case .refused:
            return [
                .probed: .to(.ready, "save"), .ended: .to(.refused), .pair: .to(.probing, "probe"),
            ]
        default:
            return [
                .ended: .to(.subscribing, "subscribe"),
                .refusedOnce: .to(.renewing, "unsubscribe"),
                .refusedTwice: .to(.discoveringServices, "discover services"),
                .refusedThrice: abandon,
            ]
        }
    }

    private static func away(_ situation: StateKind) -> Row {
        let both: Row = [
            .off: .to(.poweredOff),
            .foundAnother: .to(.waitingForSlot, "cancel the connection", "reserve a slot"),
            .connected: .to(.linkedWithoutSlot, "claim a slot"),
            .connectedKnown: .to(.linkedWithoutSlot, "claim a slot"),
            .bondLost: .to(.idle),
            .disconnect: .to(.endingToRest, "cancel the connection"),
            .forget: .to(.endingToRest, "cancel the connection", "erase"),
        ]
        return switch situation {
        case .outOfRange:
            both + [
                .reconnecting: .to(.systemReconnects),
                .failed: .to(.pausing, "pending connection after a pause"),
                .lost: .to(.pausing, "pending connection after a pause"),
                .cancelled: .to(.outOfRange, "pending connection"),
            ]
        case .pausing:
            both + [
                .reconnecting: .to(.systemReconnects),
                .failed: .to(.pausing, "pending connection after a pause"),
                .lost: .to(.pausing, "pending connection after a pause"),
                .cancelled: .to(.pausing, "pending connection after a pause"),
                .pair: .to(.endingToConnect, "cancel the connection", "reserve a slot"),
                .connect: .to(.endingToConnect, "cancel the connection", "reserve a slot"),
            ]
        default:
            both + [
                .failed: .to(.backingOff), .lost: .to(.outOfRange, "pending connection"),
                .cancelled: .to(.outOfRange, "pending connection"),
            ]
        }
    }

    private static func ending(_ situation: StateKind) -> Row {
        let over = over(situation)
        let ways: Row = [
            .failed: over, .lost: over, .bondLost: over, .cancelled: over, .countdown: over,
        ]
        let end: Row = [
            .disconnect: .to(.endingToRest), .forget: .to(.endingToRest, "erase"),
        ]
        let off = TransitionTable.Outcome.to(.poweredOff, "release the slot")
        return switch situation {
        case .endingToRest:
            ways + [
                .off: .to(.poweredOffToRest, "release the slot"), .pair: .to(.endingToConnect),
                .connect: .to(.endingToConnect), .forget: .to(.endingToRest, "erase"),
            ]
        case .endingToRetry, .endingToPending: ways + end + [.off: off]
        case .endingToConnect: ways + end + [.off: off, .granted: .to(.endingGranted)]
        case .endingGranted: ways + end + [.off: off, .revoked: .to(.endingToRetry)]
        default: ways + end + [.off: .to(.poweredOffToPair, "release the slot")]
        }
    }

    private static func over(_ situation: StateKind) -> TransitionTable.Outcome {
        switch situation {
        case .endingToRest: .to(.idle, "release the slot")
        case .endingToRetry: .to(.backingOff, "release the slot")
        case .endingToConnect: .to(.waitingForSlot)
        case .endingGranted: .to(.requested, "connect")
        case .endingToPending: .to(.outOfRange, "release the slot", "pending connection")
        default: .to(.askingForRemembered, "release the slot", "retrieve the stored peripheral")
        }
    }
}

private func + (
    one: ExpectedTransitions.Row,
    other: ExpectedTransitions.Row
) -> ExpectedTransitions.Row {
    one.merging(other) { $1 }
}
