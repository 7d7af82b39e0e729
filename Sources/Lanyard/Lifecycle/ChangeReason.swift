// SPDX-License-Identifier: Apache-2.0

/// Why the state of an accessory changed.
public enum ChangeReason: Hashable, Sendable {
    /// Nothing has happened to it yet.
    case begun
    /// Bluetooth can be used.
    case bluetoothAvailable
    /// Bluetooth cannot be used now.
    case bluetoothUnavailable
    /// The system has kept it while the application did not run.
    case restored
    /// It was paired at an earlier launch.
    case remembered
    /// The application wished for it.
    case wished
    /// It was seen.
    case found
    /// There are too many links; it waits until one ends.
    case waitingForSlot(AttemptRecord.Slots?)
    /// It may be connected to now.
    case slotGranted
    /// Its link had to make room for another one.
    case evicted
    /// The link is there.
    case linked
    /// The services that are wanted were found.
    case servicesFound
    /// All that is wanted was found, or is known from before.
    case databaseKnown
    /// The accessory has changed its services.
    case servicesChanged
    /// All subscriptions are confirmed.
    case subscribed
    /// The accessory has ended a subscription.
    case subscriptionEnded
    /// It can be used.
    case usable
    /// It is not paired, and has to be.
    case notPaired(LinkFailure)
    /// It was lost, and is waited for.
    case lost(LinkFailure)
    /// It was lost, and the system waits for it.
    case systemReconnects(LinkFailure?)
    /// An attempt failed, and there will be another one after so long.
    case retrying(LinkFailure, after: Duration)
    /// The wait after an attempt that failed is over.
    case nextAttempt
    /// An attempt failed; the link is ended first.
    case abandoned(LinkFailure)
    /// Some attempts failed; from here on it is waited for.
    case standingBy(LinkFailure)
    /// Nothing is to be done.
    case resting(IdleReason)
}

extension ChangeReason: CustomStringConvertible {
    /// A sentence.
    public var description: String {
        switch self {
        case .begun: "Nothing has happened to it yet."
        case .bluetoothAvailable: "Bluetooth is available."
        case .bluetoothUnavailable: "Bluetooth is not available."
        case .restored: "The system kept it while the application did not run."
        case .remembered: "It was paired before."
        case .wished: "The application wished so."
        case .found: "It was seen."
        case .waitingForSlot(let slots): Self.waiting(slots)
        case .slotGranted: "There is room for a link."
        case .evicted: "Its link made room for another one."
        case .linked: "The link is there."
        case .servicesFound: "Its services were found."
        case .databaseKnown: "What it has is known."
        case .servicesChanged: "It changed its services."
        case .subscribed: "It confirmed all subscriptions."
        case .subscriptionEnded: "It ended a subscription."
        case .usable: "It can be used."
        case .notPaired(let failure): "It is not paired: \(failure)."
        case .lost(let failure): "It was lost: \(failure)."
        case .systemReconnects(let failure): Self.systemReconnects(failure)
        case .retrying(let failure, let delay):
            "It failed: \(failure). The next attempt is in \(delay.inSeconds)."
        case .nextAttempt: "The next attempt begins."
        case .abandoned(let failure): "It failed: \(failure)."
        case .standingBy(let failure): "It failed: \(failure). From here on it is waited for."
        case .resting(let reason): "Nothing is to be done: \(reason)."
        }
    }

    private static func waiting(_ slots: AttemptRecord.Slots?) -> String {
        guard let slots else { return "It waits until another link ends." }
        return "It waits until another link ends: \(slots) are in use."
    }

    private static func systemReconnects(_ failure: LinkFailure?) -> String {
        guard let failure else { return "It was lost; the system waits for it." }
        return "It was lost: \(failure). The system waits for it."
    }
}

extension Duration {
    /// With two digits behind the point: `0.25 s`.
    var inSeconds: String {
        let hundredths = (self / .milliseconds(10)).rounded()
        let whole = Int(hundredths / 100)
        let rest = Int(hundredths.magnitude) % 100
        return "\(whole).\(rest < 10 ? "0" : "")\(rest) s"
    }
}
