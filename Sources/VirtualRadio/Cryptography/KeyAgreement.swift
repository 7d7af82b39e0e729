// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The controller's part in Secure Connections: a pair of keys, and secrets made with it.
///
/// Both take the controller a while, so the commands are answered with Command Status, and an event
/// brings the result when `computingTime` has passed. It does one at a time.
package struct KeyAgreement: Sendable {
    /// How long a controller computes. Small processors take some milliseconds for a point.
    package static let computingTime = Duration.milliseconds(20)

    /// What is being computed: the event that will bring it, and when.
    private struct Computation: Sendable {
        let result: HCI.Event
        let end: Instant
    }

    private var pair: KeyPair?
    private var computation: Computation?
    private var timer: EventToken?

    /// LE Read Local P-256 Public Key and LE Generate DHKey (Vol 4, Part E, 7.8.36, 7.8.37).
    static let handlers: [CommandHandler] = [
        .beginning(HCI.LEReadLocalP256PublicKey.self) {
            (controller, _, ether) throws(HCI.ErrorCode) in
            try controller.makeKeyPair(&ether)
        },
        .beginning(HCI.LEGenerateDHKey.self) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.makeSecret(with: command.publicKey, &ether)
        },
    ]

    /// Makes a new pair, which takes the place of the one before.
    fileprivate mutating func makePair(
        using dice: inout RandomStream
    ) throws(HCI.ErrorCode) -> HCI.Event {
        guard computation == nil else { throw .commandDisallowed }
        guard let pair = KeyPair(using: &dice) else { throw .hardwareFailure }
        self.pair = pair
        return .readLocalP256PublicKeyComplete(
            HCI.LEReadLocalP256PublicKeyComplete(status: .success, publicKey: pair.publicKey)
        )
    }

    /// What comes of the pair and the key of a peer. A key that is no point of the curve could be
    /// made to give the private key away, so it leads to nothing (Vol 4, Part E, 7.7.65.9).
    fileprivate func makeSecret(
        with key: HCI.P256PublicKey
    ) throws(HCI.ErrorCode) -> HCI.Event {
        guard computation == nil, let pair else { throw .commandDisallowed }
        guard let nothing = HCI.SharedSecret256([UInt8](repeating: 0xFF, count: 32)) else {
            throw .hardwareFailure
        }
        let secret = pair.secret(with: key)
        return .generateDHKeyComplete(
            HCI.LEGenerateDHKeyComplete(
                status: secret == nil ? .invalidCommandParameters : .success,
                secret: secret ?? nothing
            )
        )
    }

    fileprivate mutating func begin(_ result: HCI.Event, of radio: RadioID, _ ether: inout Ether) {
        let end = ether.now + Self.computingTime
        computation = Computation(result: result, end: end)
        timer = ether.schedule(.computation, of: radio, at: end)
    }

    /// The result that is due at the instant, once. A timer from before a Reset finds nothing.
    fileprivate mutating func takeResult(at now: Instant) -> HCI.Event? {
        guard let computation, computation.end == now else { return nil }
        self.computation = nil
        timer = nil
        return computation.result
    }

    /// Gives up what is being computed, for Reset.
    package mutating func cancel(_ ether: inout Ether) {
        computation = nil
        ether.cancel(&timer)
    }
}

extension VirtualController {
    fileprivate mutating func makeKeyPair(_ ether: inout Ether) throws(HCI.ErrorCode) {
        let result = try keyAgreement.makePair(using: &dice)
        keyAgreement.begin(result, of: radio, &ether)
    }

    fileprivate mutating func makeSecret(
        with key: HCI.P256PublicKey,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        let result = try keyAgreement.makeSecret(with: key)
        keyAgreement.begin(result, of: radio, &ether)
    }

    /// The key that was asked for is ready.
    mutating func finishComputation(_ ether: inout Ether) {
        guard let result = keyAgreement.takeResult(at: ether.now) else { return }
        ether.emit(result, to: radio)
    }
}
