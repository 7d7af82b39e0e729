// SPDX-License-Identifier: Apache-2.0

/// The answer to *why is it not connected?*: the state of an accessory with its reason, a remedy,
/// the time of its last link or discovery, and the latest attempts.
///
/// ```
/// Its connection is pending. It was lost: the accessory ended the link (CBError 7).
/// Bring it nearer, and make sure that it is switched on.
/// It was connected until 12.00 s ago.
/// attempt 4, pending: connecting 73.20 s, waiting for a slot 0.00 s, discovering services 0.25 s;
///     failed: the accessory ended the link (CBError 7); pending from now on
/// ```
public struct ConnectionDiagnosis: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of attempts in the answer.
    static let attemptLimit = 3

    /// The current state.
    public let state: AccessoryState
    /// The state and its reason, in sentences.
    public let situation: String
    /// A remedy for a person; `nil` if there is none.
    public let advice: String?
    /// The time since the last link or discovery, whichever was later, in a sentence; `nil` while
    /// the accessory is connected.
    public let discovery: String?
    /// The latest attempts, oldest first.
    public let attempts: [AttemptRecord]

    /// All parts of the answer, one line each.
    public var lines: [String] {
        [situation, advice, discovery].compactMap(\.self) + attempts.map(\.description)
    }

    /// The lines of the answer.
    public var description: String { lines.joined(separator: "\n") }
}

extension AccessoryMachine {
    /// Describes why the accessory is not connected, or that it is. `now` must not be earlier than
    /// the last event.
    func diagnosis(at now: Duration) -> ConnectionDiagnosis {
        ConnectionDiagnosis(
            state: accessoryState,
            situation: "\(accessoryState.sentence). \(reason)",
            advice: advice(at: now),
            discovery: isLinkUp ? nil : discovery(at: now),
            attempts: Array(log.records.suffix(ConnectionDiagnosis.attemptLimit))
        )
    }

    private func discovery(at now: Duration) -> String {
        if let lastLinked, lastLinked >= lastSeen ?? .zero {
            return "It was connected until \((now - lastLinked).inSeconds) ago."
        }
        guard let lastSeen else { return "It has not been seen since the app started." }
        let signal = log.rssi.map { ", at \($0) dBm" } ?? ""
        return "It was last seen \((now - lastSeen).inSeconds) ago\(signal)."
    }

    private func advice(at now: Duration) -> String? {
        switch state {
        case .unavailable(let why, _): why.recoverySuggestion
        case .idle(let reason): reason.recoverySuggestion
        case .connecting(_, .waitingForSlot), .connecting(_, .linkedWithoutSlot):
            "Disconnect another accessory."
        case .connecting(_, .backingOff), .disconnecting: reason.failure?.recoverySuggestion
        case .connected(_, .probing, _): "Confirm the pairing, if the system asks."
        case .connected(_, .refused(let failure), _): failure.recoverySuggestion
        case .scanning: "Bring it near, switch it on, and have it advertise."
        case .outOfRange where isRefused(at: now): "Disconnect another accessory."
        case .outOfRange: "Bring it nearer, and make sure that it is switched on."
        case .restoring, .retrieving, .connecting(_, .requested), .discoveringServices,
            .discoveringCharacteristics, .subscribing, .ready:
            nil
        }
    }
}

extension AccessoryState {
    /// The state in words that can begin a sentence.
    fileprivate var sentence: String {
        switch self {
        case .waitingForBluetooth: "It waits for Bluetooth"
        case .poweredOff: "Bluetooth is switched off"
        case .unauthorized: "The app may not use Bluetooth"
        case .unsupported: "This device has no Bluetooth Low Energy"
        case .restoring: "It is being restored"
        case .idle: "It is idle"
        case .scanning: "It is being searched for"
        case .connecting: "It is being connected to"
        case .discoveringServices, .discoveringCharacteristics: "Its services are being discovered"
        case .subscribing: "Its subscriptions are being confirmed"
        case .connected: "It is connected, but its pairing is not complete"
        case .ready: "It is ready"
        case .outOfRange: "Its connection is pending"
        case .disconnecting: "Its link is being ended"
        }
    }
}
