// SPDX-License-Identifier: Apache-2.0

extension Pairing.Method {
    /// Returns the method that results from the capabilities of both devices, from the point of
    /// view of one of them (Vol 3, Part H, 2.3.5.1, Table 2.8).
    ///
    /// Two devices that can show a number and accept a yes use numeric comparison, if they use LE
    /// Secure Connections. Otherwise, the user enters at one device the passkey that the other
    /// device shows. The initiator shows it if the initiator has a display and the responder has a
    /// keyboard. If neither device can show a passkey, the user enters the same one at both
    /// devices. If a device has neither input nor output, or no device has a keyboard, the method
    /// is Just Works.
    static func following(
        initiator: Pairing.IOCapability,
        responder: Pairing.IOCapability,
        usesSecureConnections: Bool,
        isInitiator: Bool
    ) -> Pairing.Method {
        guard initiator != .noInputNoOutput, responder != .noInputNoOutput else {
            return .justWorks
        }
        if usesSecureConnections, initiator.comparesNumbers, responder.comparesNumbers {
            return .numericComparison
        }
        guard initiator.hasKeyboard || responder.hasKeyboard else { return .justWorks }
        guard initiator.hasDisplay || responder.hasDisplay else { return .passkeyEntryOnBoth }
        let initiatorShows = initiator.hasDisplay && responder.hasKeyboard
        return initiatorShows == isInitiator ? .passkeyDisplay : .passkeyEntry
    }

    /// Whether the user enters digits at the peer.
    var isEnteredAtPeer: Bool { self == .passkeyDisplay || self == .passkeyEntryOnBoth }

    /// Whether the user enters digits at either device.
    var hasPasskey: Bool { isEnteredAtPeer || self == .passkeyEntry }
}

extension Pairing.IOCapability {
    var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }

    var hasDisplay: Bool { self != .keyboardOnly && self != .noInputNoOutput }

    /// Whether the device can show a number and accept a yes.
    var comparesNumbers: Bool { self == .displayYesNo || self == .keyboardDisplay }
}
