// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The Security Manager of one link (Vol 3, Part H): begins pairings and answers those of the peer.
///
/// One pairing runs at a time. Whatever happens to it is an action, the last of which is `paired` or
/// `failed`. A pairing that has stood still for 30 seconds has failed, and the channel is dead for as
/// long as the link lasts (Vol 3, Part H, 3.4).
package struct SecurityManager: Sendable {
    /// What is known of a link before anything is paired on it.
    package struct Context: Sendable {
        /// Which end of the link is ours.
        package var isCentral: Bool
        /// The address that we have used on this link.
        package var localAddress: DeviceAddress
        /// The address that the peer has used on this link.
        package var peerAddress: DeviceAddress
        /// Who we are, to be told to the peer.
        package var identity: Pairing.LocalIdentity

        package init(
            isCentral: Bool,
            localAddress: DeviceAddress,
            peerAddress: DeviceAddress,
            identity: Pairing.LocalIdentity
        ) {
            self.isCentral = isCentral
            self.localAddress = localAddress
            self.peerAddress = peerAddress
            self.identity = identity
        }
    }

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
    }

    package let context: Context

    /// What pairings may come to that the peer asks for; nil: there are none.
    package var policyForPeer: Pairing.Policy?

    /// The strength of the bond with this peer, which a pairing must not lower; nil without one.
    package var existingBond: LinkSecurity?

    package init(_ context: Context) {
        self.context = context
    }

    /// Whether a pairing is under way.
    package var isPairing: Bool { false }

    /// When `deadlinePassed` has to be called.
    package var nextDeadline: Instant? { nil }

    /// Begins a pairing: as Central by a Pairing Request, as Peripheral by a Security Request, which
    /// the Central may answer by encrypting with a key that it has.
    package mutating func pair(
        _ policy: Pairing.Policy,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        [.failed(.refused(.pairingNotSupported))]
    }

    /// A PDU has arrived on the channel.
    package mutating func receive(
        _ bytes: ArraySlice<UInt8>,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        guard bytes.first == 0x01 else { return [.violated("unexpected PDU")] }
        return [.send([0x05, Pairing.FailureReason.pairingNotSupported.rawValue])]
    }

    /// The person who was asked has answered. An answer to nothing changes nothing.
    package mutating func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        []
    }

    /// The key of the pairing under way, if the Central asks for it by this name (Peripheral only).
    package func key(diversifier: UInt16, random: UInt64) -> HCI.Key128? { nil }

    /// Encryption with the key of the pairing is on, or could not be begun: Phase 3, or the end. Not
    /// for encryption with the key of a bond, but while a Security Request of ours is open.
    package mutating func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        []
    }

    /// The caller gives up the pairing that is under way.
    package mutating func cancel() -> [Action] { [] }

    /// To be called at `nextDeadline` or later.
    package mutating func deadlinePassed(now: Instant) -> [Action] { [] }
}
