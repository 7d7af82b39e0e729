// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI
import BluetoothTypes

/// The controller's part of LE Secure Connections: a key pair, and shared secrets from it.
///
/// Both computations take some time, so the commands are answered with Command Status, and an event
/// has the result after `computingTime`. The controller does one computation at a time.
package struct KeyAgreement: Sendable {
    /// The duration of a computation. Small processors need some milliseconds for a multiplication
    /// on the curve.
    package static let computingTime = Duration.milliseconds(20)

    private var pair: P256KeyPair?
    /// The event with the result of the current computation; `nil` without one.
    private var result: HCI.Event?

    /// The handlers of LE Read Local P-256 Public Key and both versions of LE Generate DHKey (Vol
    /// 4, Part E, 7.8.36 and 7.8.37).
    static let handlers: [CommandHandler] = [
        .beginning(HCI.LEReadLocalP256PublicKey.self) {
            (controller, _, ether) throws(HCI.ErrorCode) in
            try controller.makeKeyPair(&ether)
        },
        .beginning(HCI.LEGenerateDHKey.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.makeSecret(with: command.publicKey, .own, &ether)
        },
        .beginning(HCI.LEGenerateDHKeyV2.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.makeSecret(with: command.publicKey, command.pair, &ether)
        },
    ]

    /// Creates a new key pair, which replaces the previous one, and returns the event with its
    /// public key.
    fileprivate mutating func makePair(
        using generator: inout RandomStream
    ) throws(HCI.ErrorCode) -> HCI.Event {
        guard result == nil else { throw .commandDisallowed }
        guard let pair = P256KeyPair(using: &generator),
            let publicKey = HCI.P256PublicKey(pair.publicKey)
        else { throw .hardwareFailure }
        self.pair = pair
        return .readLocalP256PublicKeyComplete(
            HCI.LEReadLocalP256PublicKeyComplete(status: .success, publicKey: publicKey)
        )
    }

    /// Returns the event with the shared secret of the pair and the key of a peer. A key that is
    /// not a point on the curve could reveal the private key, so the event has an error instead of
    /// a secret (Vol 4, Part E, 7.7.65.9).
    fileprivate func makeSecret(
        with key: HCI.P256PublicKey,
        _ choice: HCI.KeyPairChoice
    ) throws(HCI.ErrorCode) -> HCI.Event {
        let pair = try pair(choice)
        guard result == nil, let pair else { throw .commandDisallowed }
        guard let nothing = HCI.SharedSecret256([UInt8](repeating: 0xFF, count: 32)) else {
            throw .hardwareFailure
        }
        let secret = pair.sharedSecret(with: P256PublicKey(key))
            .flatMap { HCI.SharedSecret256($0.reversed()) }
        return .generateDHKeyComplete(
            HCI.LEGenerateDHKeyComplete(
                status: secret == nil ? .invalidCommandParameters : .success,
                secret: secret ?? nothing
            )
        )
    }

    private func pair(_ choice: HCI.KeyPairChoice) throws(HCI.ErrorCode) -> P256KeyPair? {
        switch choice {
        case .own: pair
        case .debug: .debug
        default: throw .invalidCommandParameters
        }
    }

    fileprivate mutating func begin(_ result: HCI.Event, of radio: RadioID, _ ether: inout Ether) {
        self.result = result
        _ = ether.schedule(.computation, of: radio, at: ether.now + Self.computingTime)
    }

    /// Returns and removes the finished result.
    fileprivate mutating func takeResult() -> HCI.Event? {
        defer { result = nil }
        return result
    }
}

extension VirtualController {
    fileprivate mutating func makeKeyPair(_ ether: inout Ether) throws(HCI.ErrorCode) {
        let result = try keyAgreement.makePair(using: &generator)
        keyAgreement.begin(result, of: radio, &ether)
    }

    fileprivate mutating func makeSecret(
        with key: HCI.P256PublicKey,
        _ choice: HCI.KeyPairChoice,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        let result = try keyAgreement.makeSecret(with: key, choice)
        keyAgreement.begin(result, of: radio, &ether)
    }

    /// Sends the result of the finished computation to the host.
    mutating func finishComputation(_ ether: inout Ether) {
        guard let result = keyAgreement.takeResult() else { return }
        ether.emit(result, to: radio)
    }
}

// The coordinates of HCI begin with the least significant byte.
extension HCI.P256PublicKey {
    /// Creates the key of a point; `nil` unless its coordinates have 32 bytes.
    package init?(_ key: P256PublicKey) {
        guard let x = HCI.Coordinate256(key.x.reversed()),
            let y = HCI.Coordinate256(key.y.reversed())
        else { return nil }
        self.init(x: x, y: y)
    }
}

extension P256PublicKey {
    /// Creates the unverified point of a key.
    package init(_ key: HCI.P256PublicKey) {
        self.init(x: key.x.bytes.reversed(), y: key.y.bytes.reversed())
    }
}
