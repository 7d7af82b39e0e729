// SPDX-License-Identifier: Apache-2.0

extension SecurityManager {
    /// An instruction or a report, to be processed in the order of the array.
    package enum Action: Sendable, Equatable {
        /// Send this PDU.
        case send([UInt8])
        /// Ask the user, and pass the answer to `answer`. A `display` needs no answer.
        case ask(Pairing.Question)
        /// End the question or the display.
        case withdrawQuestion
        /// Report a keypress of the user at the peer.
        case pressed(Pairing.Keypress)
        /// Encrypt the link with this key (central only), and report the result to
        /// `encryptionChanged`.
        case encrypt(LongTermKey)
        /// The peripheral requests a link with at least this security (central only). Encrypt with
        /// a sufficient key of a bond, or call `pair`.
        case securityRequested(isAuthenticated: Bool, usesSecureConnections: Bool)
        /// The peer has started a pairing without a local Security Request. If the local device
        /// refuses the pairing at once, `failed` follows.
        case begun
        /// The pairing has succeeded with these keys.
        case paired(Pairing.Keys)
        case failed(Pairing.Failure)
        /// The peer violated the protocol, or sent an unknown PDU. If this ends a pairing, `failed`
        /// follows.
        case violated(String)

        static func send(_ pdu: SMP.PDU) -> Action { .send(pdu.encode()) }

        var isSending: Bool {
            if case .send = self { true } else { false }
        }
    }
}
