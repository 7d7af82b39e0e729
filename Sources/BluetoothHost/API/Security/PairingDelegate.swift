// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

/// A delegate that answers the questions of a pairing for the user.
///
/// The host calls the delegate from a separate task, on Swift's shared thread pool or on the
/// executor that the host was given. An answer may take up to 30 seconds, after which the pairing
/// has failed (Vol 3, Part H, 3.4), and up to 25 seconds for `pairsAgain`.
///
/// Each question contains the peer's address, and an answer counts only for its own question. If
/// the pairing fails or continues without the answer, the host cancels the task. An answer that the
/// delegate returns afterward has no effect, even if another question is open. While a question is
/// open, the host refuses pairings that peers on other links begin. A second question can be open
/// only if the application itself has begun its pairing, or if the host cannot encrypt the link to
/// another bonded peer (`pairsAgain`). Show the name of the peer with each question.
///
/// By default, each method declines the question or does nothing.
public protocol PairingDelegate: Sendable {
    /// Returns whether to pair when no other step shows the user's intention (Just Works).
    /// `Pairing.Policy.consent` decides for which pairings, and when, the host asks.
    ///
    /// - Parameter pairing: The pairing that asks.
    func consents(to pairing: PairingRequest) async -> Bool

    /// Returns whether the peer displays the same six digits.
    ///
    /// - Parameters:
    ///   - digits: The digits of this host, to be shown to the user.
    ///   - pairing: The pairing that asks.
    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool

    /// Displays six digits, which the user enters at the peer, until the task is canceled.
    ///
    /// - Parameters:
    ///   - digits: The digits to display.
    ///   - pairing: The pairing that the digits belong to.
    func show(_ digits: PairingDigits, of pairing: PairingRequest) async

    /// Returns the six digits that the peer displays or that the users agreed on. `nil` declines.
    ///
    /// - Parameters:
    ///   - pairing: The pairing that asks.
    ///   - entry: The value that reports the user's keypresses to the peer during the entry.
    func enterDigits(for pairing: PairingRequest, _ entry: DigitEntry) async -> PairingDigits?

    /// Reports a keypress of the person who enters digits at the peer. The host may call it from
    /// another task while `show` runs.
    ///
    /// - Parameters:
    ///   - keypress: The kind of the keypress, without the digit.
    ///   - pairing: The pairing for which the person enters digits.
    func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async

    /// Returns whether to pair again with a peer that has lost its keys. The host asks if
    /// `HostConfiguration.bondLossPolicy` is `ask`.
    ///
    /// - Parameters:
    ///   - peer: The bonded peer. The connected device may be another one that uses its address.
    ///   - link: The link to the connected device.
    func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool

    /// Reports the end of a pairing, whichever side began it. No question of the pairing follows.
    ///
    /// After a successful pairing, the link has the new security before the call, and a bond is
    /// stored if the host has a store. The host does not wait for the method. A pairing that ends
    /// because the link ends is reported, too.
    ///
    /// - Parameters:
    ///   - link: The link of the pairing, which may have ended.
    ///   - result: The security of the link, or the reason why the pairing failed: a
    ///     `Pairing.Failure`, or ``HostError/bondNotStored(_:)`` if the keys could not be stored.
    func pairingEnded(on link: Link, with result: Result<LinkSecurity, any Error>) async
}

extension PairingDelegate {
    /// Returns `false`, which declines.
    ///
    /// - Parameter pairing: The pairing that asks.
    public func consents(to pairing: PairingRequest) async -> Bool { false }

    /// Returns `false`, which declines.
    ///
    /// - Parameters:
    ///   - digits: The digits of this host.
    ///   - pairing: The pairing that asks.
    public func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        false
    }

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - digits: The digits to display.
    ///   - pairing: The pairing that the digits belong to.
    public func show(_ digits: PairingDigits, of pairing: PairingRequest) async {}

    /// Returns `nil`, which declines.
    ///
    /// - Parameters:
    ///   - pairing: The pairing that asks.
    ///   - entry: The value that reports the user's keypresses to the peer.
    public func enterDigits(
        for pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> PairingDigits? { nil }

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - keypress: The kind of the keypress.
    ///   - pairing: The pairing for which the person enters digits.
    public func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {}

    /// Returns `false`, which declines.
    ///
    /// - Parameters:
    ///   - peer: The bonded peer.
    ///   - link: The link to the connected device.
    public func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool { false }

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - link: The link of the pairing.
    ///   - result: The security of the link, or the reason why the pairing failed.
    public func pairingEnded(
        on link: Link,
        with result: Result<LinkSecurity, any Error>
    ) async {}
}

/// A question of a pairing.
public struct PairingRequest: Identifiable, Hashable, Sendable {
    /// The identifier of a question, unique for the lifetime of the host.
    public struct ID: Hashable, Sendable {
        let number: UInt64

        package init(number: UInt64) { self.number = number }
    }

    /// The question's identifier.
    public let id: ID

    /// The address that the peer used when the link was made. Show it, or a name that the
    /// application has given to the peer, with each question.
    public let address: DeviceAddress

    /// The link that is being paired; `nil` if the system's Bluetooth daemon pairs, which has no
    /// host.
    public let link: Link?

    /// The pairing method. Show it with each question, because a man-in-the-middle attacker may use
    /// another method with the other side.
    public let method: Pairing.Method

    /// Whether the peer began the pairing.
    public let isIncoming: Bool

    package init(
        id: ID,
        address: DeviceAddress,
        link: Link?,
        method: Pairing.Method,
        isIncoming: Bool
    ) {
        self.id = id
        self.address = address
        self.link = link
        self.method = method
        self.isIncoming = isIncoming
    }
}

/// Six digits that one device displays and the user enters or compares.
public struct PairingDigits: Hashable, Sendable, CustomStringConvertible {
    /// The range of the number.
    public static let range: ClosedRange<UInt32> = 0...999_999

    /// The number, 0 to 999,999.
    public let value: UInt32

    /// Creates the digits of a number; `nil` if the number has more than six digits.
    ///
    /// - Parameter value: The number, 0 to 999,999.
    public init?(_ value: UInt32) {
        guard Self.range.contains(value) else { return nil }
        self.value = value
    }

    /// The six digits, with leading zeros.
    public var description: String {
        let digits = String(value)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// A value that reports the user's keypresses to the peer while the user enters digits. The peer
/// gets the reports only if both devices support them. The value belongs to one question and does
/// nothing after that question has ended.
public struct DigitEntry: Sendable {
    let press: @Sendable (Pairing.Keypress) -> Void

    package init(press: @escaping @Sendable (Pairing.Keypress) -> Void) { self.press = press }

    /// Reports that the user entered a digit, erased a digit, or cleared all digits. Returns at
    /// once; call it from any thread.
    ///
    /// - Parameter keypress: The kind of the keypress.
    public func report(_ keypress: Pairing.Keypress) { press(keypress) }
}
