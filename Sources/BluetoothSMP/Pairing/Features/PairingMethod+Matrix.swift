// SPDX-License-Identifier: Apache-2.0

extension Pairing.Method {
    /// The method that follows from what both sides can show and ask, as seen from one of them
    /// (Vol 3, Part H, 2.3.5.1, Table 2.8).
    ///
    /// The table in words: two who can show a number and take a yes compare numbers, if they know LE
    /// Secure Connections. Otherwise somebody has to enter what the other shows, and the initiator
    /// shows it if it can be entered at the responder. Where nothing can be shown on either side, the
    /// same is entered at both; and where nothing can be entered, it just works.
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

    /// Whether digits are entered at the peer.
    var isEnteredAtPeer: Bool { self == .passkeyDisplay || self == .passkeyEntryOnBoth }

    /// Whether digits are entered at all.
    var hasPasskey: Bool { isEnteredAtPeer || self == .passkeyEntry }
}

extension Pairing.IOCapability {
    var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }

    var hasDisplay: Bool { self != .keyboardOnly && self != .noInputNoOutput }

    /// Whether a number can be shown, and a yes be given.
    var comparesNumbers: Bool { self == .displayYesNo || self == .keyboardDisplay }
}
