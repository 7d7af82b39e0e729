// SPDX-License-Identifier: Apache-2.0

/// The reason for a change of an accessory's state.
public enum ChangeReason: Hashable, Sendable {
    /// Nothing has happened yet.
    case begun
    /// Bluetooth is available.
    case bluetoothAvailable
    /// Bluetooth is unavailable.
    case bluetoothUnavailable
    /// The system preserved the accessory while the app did not run.
    case restored
    /// The accessory was paired before.
    case remembered
    /// The app requested the change.
    case requested
    /// The accessory was discovered, or is a peripheral that the system already knew.
    case found
    /// All connection slots are in use; the accessory waits until one is free.
    case waitingForSlot(AttemptRecord.Slots?)
    /// A connection slot was granted.
    case slotGranted
    /// The link had to make room for another one.
    case evicted
    /// The link was made.
    case linked
    /// The required services were found, and characteristics must still be discovered.
    case servicesFound
    /// The required characteristics were found, or are known from before.
    case databaseKnown
    /// The accessory has changed its services.
    case servicesChanged
    /// All subscriptions are confirmed.
    case subscribed
    /// The accessory has ended a subscription.
    case subscriptionEnded
    /// The accessory was ready but refuses all messages. The library renews its subscription, its
    /// services or its link.
    case messagesRefused(LinkFailure)
    /// The accessory is usable.
    case usable
    /// The accessory must be paired, but is not.
    case notPaired(LinkFailure)
    /// The accessory is out of range: its link was lost, or an attempt to connect failed or took
    /// too long. A connection request is pending.
    case lost(LinkFailure)
    /// The link was lost, and the system reconnects.
    case systemReconnects(LinkFailure?)
    /// An attempt failed, and the next one begins after this time.
    case retrying(LinkFailure, after: Duration)
    /// The next attempt begins.
    case nextAttempt
    /// An attempt failed; its link or connection request is being ended.
    case abandoned(LinkFailure)
    /// Attempts failed; a connection request is pending, which may take effect after a pause.
    case standingBy(LinkFailure)
    /// There is nothing to do.
    case resting(IdleReason)
}

extension ChangeReason {
    /// The failure that the reason contains; `nil` if it contains none.
    ///
    /// ```swift
    /// if accessory.latestChange.reason.failure?.kind == .unpaired { offerToPairAgain() }
    /// ```
    public var failure: LinkFailure? {
        switch self {
        case .notPaired(let failure), .lost(let failure), .retrying(let failure, _),
            .abandoned(let failure), .standingBy(let failure), .resting(.failed(let failure)),
            .messagesRefused(let failure):
            failure
        case .systemReconnects(let failure): failure
        case .begun, .bluetoothAvailable, .bluetoothUnavailable, .restored, .remembered,
            .requested, .found, .waitingForSlot, .slotGranted, .evicted, .linked, .servicesFound,
            .databaseKnown, .servicesChanged, .subscribed, .subscriptionEnded, .usable,
            .nextAttempt, .resting:
            nil
        }
    }
}

extension ChangeReason: CustomStringConvertible {
    /// The reason as a sentence.
    public var description: String {
        switch self {
        case .begun: "Nothing has happened to it yet."
        case .bluetoothAvailable: "Bluetooth is available."
        case .bluetoothUnavailable: "Bluetooth is not available."
        case .restored: "The system preserved it while the app did not run."
        case .remembered: "It was paired before."
        case .requested: "The app requested it."
        case .found: "It was found."
        case .waitingForSlot(let slots): Self.waiting(slots)
        case .slotGranted: "A connection slot was granted."
        case .evicted: "Its link made room for another one."
        case .linked: "The link was made."
        case .servicesFound: "Its services were found."
        case .databaseKnown: "Its characteristics are known."
        case .servicesChanged: "It changed its services."
        case .subscribed: "It confirmed all subscriptions."
        case .subscriptionEnded: "It ended a subscription."
        case .messagesRefused(let failure): "It refuses all messages: \(failure)."
        case .usable: "It can be used."
        case .notPaired(let failure): "It is not paired: \(failure)."
        case .lost(let failure): "It was lost: \(failure)."
        case .systemReconnects(let failure): Self.systemReconnects(failure)
        case .retrying(let failure, let delay):
            "It failed: \(failure). The next attempt is in \(delay.inSeconds)."
        case .nextAttempt: "The next attempt begins."
        case .abandoned(let failure): "It failed: \(failure)."
        case .standingBy(let failure): "It failed: \(failure). A connection request is pending."
        case .resting(.neverPaired): "It was never paired."
        case .resting(let reason): "No further attempt is made: \(reason)."
        }
    }

    private static func waiting(_ slots: AttemptRecord.Slots?) -> String {
        guard let slots else { return "It waits until another link ends." }
        return "It waits until another link ends: \(slots) are in use."
    }

    private static func systemReconnects(_ failure: LinkFailure?) -> String {
        guard let failure else { return "It was lost. The system reconnects." }
        return "It was lost: \(failure). The system reconnects."
    }
}

extension Duration {
    /// The duration with two decimal places: `0.25 s`.
    var inSeconds: String {
        let hundredths = (self / .milliseconds(10)).rounded()
        let whole = Int(hundredths / 100)
        let rest = Int(hundredths.magnitude) % 100
        return "\(whole).\(rest < 10 ? "0" : "")\(rest) s"
    }
}
