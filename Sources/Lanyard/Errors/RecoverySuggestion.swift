// SPDX-License-Identifier: Apache-2.0

// The actions that a person can take for each reason, in sentences for a screen.

extension Availability {
    /// A suggestion of what a person can do so that Bluetooth becomes available; `nil` if Bluetooth
    /// is available or becomes available by itself.
    public var recoverySuggestion: String? {
        switch self {
        case .unknown, .resetting, .poweredOn: nil
        case .poweredOff: "Switch Bluetooth on."
        case .unauthorized: "Allow the app to use Bluetooth, in the system's settings."
        case .unsupported: Self.adapterAdvice
        }
    }

    #if os(Linux)
        private static let adapterAdvice =
            "Plug in an adapter, or name one in LANYARD_ADAPTER. \"lanyard doctor\" shows the cause."
    #else
        private static let adapterAdvice = "Use a device that has Bluetooth Low Energy."
    #endif
}

extension Unavailability {
    /// A suggestion of what a person can do so that Bluetooth becomes available; `nil` if it
    /// becomes available by itself.
    var recoverySuggestion: String? {
        switch self {
        case .unknown, .resetting: nil
        case .poweredOff: Availability.poweredOff.recoverySuggestion
        case .unauthorized: Availability.unauthorized.recoverySuggestion
        case .unsupported: Availability.unsupported.recoverySuggestion
        }
    }
}

extension IdleReason {
    /// A suggestion of what a person can do so that the accessory is connected again; `nil` if no
    /// remedy is known.
    public var recoverySuggestion: String? {
        switch self {
        case .neverPaired, .notFound, .forgotten, .unknownToSystem:
            "Pair it: bring it near, and have it advertise."
        case .disconnected, .cancelled: "Connect it."
        case .failed(let failure): failure.recoverySuggestion
        }
    }
}

extension ChangeReason {
    /// A suggestion of what a person can do about the reason; `nil` if there is none.
    ///
    /// ```swift
    /// label.text = accessory.latestChange.reason.recoverySuggestion
    /// ```
    public var recoverySuggestion: String? {
        switch self {
        case .notPaired(let failure), .lost(let failure), .retrying(let failure, _),
            .abandoned(let failure), .standingBy(let failure), .messagesRefused(let failure):
            failure.recoverySuggestion
        case .systemReconnects(let failure): failure?.recoverySuggestion
        case .resting(let reason): reason.recoverySuggestion
        case .waitingForSlot, .evicted: "Disconnect another accessory."
        case .begun, .bluetoothAvailable, .bluetoothUnavailable, .restored, .remembered,
            .requested, .found, .slotGranted, .linked, .servicesFound, .databaseKnown,
            .servicesChanged, .subscribed, .subscriptionEnded, .usable, .nextAttempt:
            nil
        }
    }
}

extension AccessoryChange {
    /// A suggestion of what a person can do so that the accessory is connected; `nil` if there is
    /// none.
    public var recoverySuggestion: String? {
        switch state {
        case .waitingForBluetooth, .restoring, .ready, .discoveringServices,
            .discoveringCharacteristics, .subscribing, .disconnecting:
            nil
        case .poweredOff: Availability.poweredOff.recoverySuggestion
        case .unauthorized: Availability.unauthorized.recoverySuggestion
        case .unsupported: Availability.unsupported.recoverySuggestion
        case .scanning: "Bring it near, switch it on, and have it advertise."
        case .outOfRange: "Bring it nearer, and make sure that it is switched on."
        case .idle, .connecting, .connected: reason.recoverySuggestion
        }
    }
}

extension LinkFailure {
    /// A suggestion of what a person can do about the failure; `nil` if no remedy is known.
    public var recoverySuggestion: String? {
        switch kind {
        case .linkLoss, .attemptFailed, .timeout:
            "Bring it nearer, and make sure that it is switched on."
        case .remoteClosed: "See whether the accessory is connected to another device."
        case .unpaired:
            "Pair it again: first remove it \(Self.placeOfBonds)."
        case .encryptionFailed, .notPaired: Self.pairAgainAdvice
        case .tooManyBonds: "Remove an accessory \(Self.placeOfBonds)."
        case .capacity: "Disconnect another accessory."
        case .unsupported, .incomplete, .refused:
            "See whether it is the right accessory, and whether its firmware is up to date."
        case .ownCancel, .unknown: nil
        }
    }

    /// A suggestion for an accessory that is not paired.
    static let pairAgainAdvice =
        "Pair it again. If that fails, remove it \(placeOfBonds) first."

    #if os(Linux)
        private static let placeOfBonds = "with \"lanyard bonds remove\""
    #else
        private static let placeOfBonds = "in the system's Bluetooth settings"
    #endif

    /// The failure as a sentence for a screen, without the code of the error.
    var sentence: String {
        switch kind {
        case .linkLoss: "The signal of the accessory is no longer received."
        case .remoteClosed: "The accessory ended the connection."
        case .ownCancel: "The connection was ended on this device."
        case .unpaired: "The accessory has deleted its pairing information."
        case .encryptionFailed: "The connection could not be encrypted."
        case .tooManyBonds: "This device or the accessory has no room for another pairing."
        case .attemptFailed: "The attempt to connect failed."
        case .timeout: "The accessory took too long."
        case .capacity: "There are too many connections."
        case .unsupported: "This device or the accessory does not support the operation."
        // Without a code, the text names what is missing.
        case .incomplete where code == nil: text.asSentence
        case .incomplete: "The accessory lacks something that the app needs."
        case .notPaired: "The accessory must be paired, but is not."
        case .refused: "The accessory refused the request."
        case .unknown: "The reason is unknown."
        }
    }
}

extension Duration {
    /// The duration in words: `1 second`, `0.5 seconds`.
    var inWords: String {
        var text = String(inSeconds.dropLast(2))
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text == "1" ? "1 second" : "\(text) seconds"
    }
}
