// SPDX-License-Identifier: Apache-2.0

@testable import Lanyard

/// The kinds of events that states treat differently.
enum EventKind: String, CaseIterable {
    case available = "Bluetooth is available"
    case off = "Bluetooth is switched off"
    case restored = "the system restores a peripheral"
    case retrieved = "a peripheral is retrieved"
    case retrievedNone = "no peripheral is retrieved"
    case foundAnother = "another peripheral is found"
    case seen = "the peripheral is seen"
    case connected = "connected"
    case connectedKnown = "connected, services known"
    case failed = "failed to connect"
    case lost = "link lost"
    case bondLost = "link ended: bond lost"
    case cancelled = "link ended on this device"
    case reconnecting = "link lost, the system reconnects"
    case services = "services discovered"
    case servicesLacking = "services discovered, one is missing"
    case characteristics = "characteristics discovered"
    case characteristicsLacking = "characteristics discovered, one is missing"
    case discoveryFailed = "discovery failed"
    case confirmed = "subscription confirmed"
    case ended = "subscription ended"
    case unauthenticated = "subscription refused: not paired"
    case subscriptionFailed = "subscription failed"
    case probed = "protected value read"
    case probeRefused = "protected value refused"
    case modified = "services modified"
    case added = "services added"
    case refusedOnce = "all messages refused: renew the subscription"
    case refusedTwice = "all messages refused again: discover again"
    case refusedThrice = "all messages still refused: renew the link"
    case granted = "slot granted"
    case delayed = "no slot yet"
    case denied = "no slot for the link"
    case revoked = "slot revoked"
    case countdown = "countdown ended"
    case pair = "command: pair"
    case connect = "command: connect"
    case disconnect = "command: disconnect"
    case forget = "command: forget"
}

extension EventKind {
    /// An example of this kind.
    var event: Machine.Event {
        let slots = AttemptRecord.Slots(inUse: 2, limit: 2)
        return switch self {
        case .available: .available
        case .off: .unavailable(.poweredOff)
        case .restored: .restored("p", .connecting)
        case .retrieved: .retrieved("p")
        case .retrievedNone: .retrieved(nil)
        case .foundAnother: .found("q", rssi: -60)
        case .granted: .slot(.granted)
        case .delayed: .slot(.delayed(slots))
        case .denied: .slot(.denied(slots))
        case .revoked: .slot(.revoked)
        case .countdown: .countdownEnded(StateKind.countdown)
        case .pair: .command(.pair)
        case .connect: .command(.connect)
        case .disconnect: .command(.disconnect)
        case .forget: .command(.forget)
        default: .link("p", linkEvent)
        }
    }

    private var linkEvent: AccessoryLinkEvent {
        switch self {
        case .seen: .seen(rssi: -70)
        case .connected: .connected(known: [])
        case .connectedKnown: .connected(known: [.measurement])
        case .failed: .failedToConnect(.strange)
        case .lost: .disconnected(.lost, isReconnecting: false)
        case .bondLost: .disconnected(.bondLost, isReconnecting: false)
        case .cancelled: .disconnected(nil, isReconnecting: false)
        case .reconnecting: .disconnected(.lost, isReconnecting: true)
        case .services: .servicesDiscovered(["180D"])
        case .servicesLacking: .servicesDiscovered([])
        case .characteristics: .characteristicsDiscovered(of: "180D", ["2A37"])
        case .characteristicsLacking: .characteristicsDiscovered(of: "180D", [])
        case .discoveryFailed: .discoveryFailed(.strange)
        case .confirmed: .subscriptionChanged(.measurement, .confirmed)
        case .ended: .subscriptionChanged(.measurement, .ended)
        case .unauthenticated: .subscriptionChanged(.measurement, .failed(.unauthenticated))
        case .subscriptionFailed: .subscriptionChanged(.measurement, .failed(.strange))
        case .probed: .probed(nil)
        case .probeRefused: .probed(.unauthenticated)
        case .refusedOnce: .messagesRefused(.measurement, .subscription, .strange)
        case .refusedTwice: .messagesRefused(.measurement, .discovery, .strange)
        case .refusedThrice: .messagesRefused(.measurement, .link, .strange)
        case .added: .servicesModified([])
        default: .servicesModified(["180D"])
        }
    }
}
