// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

/// Answers for the person in front of the device while something is paired.
///
/// The host calls it from a task of its own, one question of a link at a time; several links may ask at
/// once. The calls come on the shared threads of Swift, or on the executor that the host was given, and
/// may take their time: an answer is due within 30 seconds, after which the pairing has failed
/// (Vol 3, Part H, 3.4), that of `pairsAgain` within 25.
///
/// A question that is of no more use, because the pairing has failed or went on without it, is
/// cancelled: return then, the answer is not looked at. Who does not implement a question declines it.
public protocol PairingDelegate: Sendable {
    /// Whether to pair, where nothing else would show that somebody wants it (Just Works).
    func consents(to pairing: PairingRequest) async -> Bool

    /// Whether the peer shows the same six digits.
    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool

    /// Shows six digits that are to be entered at the peer, until the task is cancelled.
    func show(_ digits: PairingDigits, of pairing: PairingRequest) async

    /// The six digits that the peer shows, or that were agreed on; nil declines. What is entered on
    /// the way there may be told to `entry`.
    func enterDigits(for pairing: PairingRequest, _ entry: DigitEntry) async -> PairingDigits?

    /// At the peer somebody enters digits: which is what they do. May come while `show` runs, from
    /// another task.
    func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async

    /// Whether to pair anew with a peer that has lost its keys, if `bondLossPolicy` is `ask`.
    func pairsAgain(with peer: BondedPeer) async -> Bool
}

extension PairingDelegate {
    /// Nobody consents.
    public func consents(to pairing: PairingRequest) async -> Bool { false }

    /// Nobody confirms.
    public func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        false
    }

    /// Nobody sees them.
    public func show(_ digits: PairingDigits, of pairing: PairingRequest) async {}

    /// Nobody enters any.
    public func enterDigits(
        for pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> PairingDigits? { nil }

    /// Nobody is interested.
    public func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {}

    /// Not again.
    public func pairsAgain(with peer: BondedPeer) async -> Bool { false }
}

/// A pairing that is under way, as far as a person is to be told.
public struct PairingRequest: Sendable {
    /// The link that is paired.
    public let link: Link

    /// How the two sides make sure of each other. Say which method it is when you ask: somebody in
    /// the middle may use another with the other side.
    public let method: Pairing.Method

    /// Whether the peer began.
    public let isIncoming: Bool
}

/// Six digits, shown or entered.
public struct PairingDigits: Hashable, Sendable, CustomStringConvertible {
    /// The numbers there are.
    public static let range: ClosedRange<UInt32> = 0...999_999

    /// The number, 0 to 999,999.
    public let value: UInt32

    /// Nil for a number of more than six digits.
    public init?(_ value: UInt32) {
        guard Self.range.contains(value) else { return nil }
        self.value = value
    }

    /// The six digits, zeros in front.
    public var description: String {
        let digits = String(value)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// Tells the peer what is done while digits are entered, where both sides want that.
public struct DigitEntry: Sendable {
    let press: @Sendable (Pairing.Keypress) -> Void

    /// A digit was entered or erased, or all were.
    public func report(_ keypress: Pairing.Keypress) { press(keypress) }
}
