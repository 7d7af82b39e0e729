// SPDX-License-Identifier: Apache-2.0

extension SecurityManager {
    /// What is to be done, in the order of the array.
    package enum Action: Sendable, Equatable {
        /// Send this PDU.
        case send([UInt8])
        /// Ask a person; to be answered by `answer`, unless it is a `display`.
        case ask(Pairing.Question)
        /// What was asked or displayed is of no more use.
        case withdrawQuestion
        /// The person at the peer does this.
        case pressed(Pairing.Keypress)
        /// Encrypt the link with this key (Central only), and tell by `encryptionChanged`.
        case encrypt(LongTermKey)
        /// The Peripheral wants a protected link, of this strength or more (Central only). Encrypt
        /// with a key of a bond that is good enough, or `pair`.
        case wanted(isAuthenticated: Bool, usesSecureConnections: Bool)
        /// A pairing that the peer began is under way.
        case begun
        /// The pairing is done: these are the keys.
        case paired(Pairing.Keys)
        /// The pairing has failed.
        case failed(Pairing.Failure)
        /// The peer did what it must not do. The pairing, if there is one, fails separately.
        case violated(String)

        static func send(_ pdu: SMP.PDU) -> Action { .send(pdu.encode()) }

        var isSending: Bool {
            if case .send = self { true } else { false }
        }
    }
}
