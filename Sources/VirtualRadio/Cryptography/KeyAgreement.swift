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

    private var pair: KeyPair?
    /// What is being computed: the event that will bring it.
    private var result: HCI.Event?

    /// LE Read Local P-256 Public Key and both versions of LE Generate DHKey (Vol 4, Part E, 7.8.36
    /// and 7.8.37).
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

    /// Makes a new pair, which takes the place of the one before.
    fileprivate mutating func makePair(
        using dice: inout RandomStream
    ) throws(HCI.ErrorCode) -> HCI.Event {
        guard result == nil else { throw .commandDisallowed }
        guard let pair = KeyPair(using: &dice) else { throw .hardwareFailure }
        self.pair = pair
        return .readLocalP256PublicKeyComplete(
            HCI.LEReadLocalP256PublicKeyComplete(status: .success, publicKey: pair.publicKey)
        )
    }

    /// What comes of the pair and the key of a peer. A key that is no point of the curve could be
    /// made to give the private key away, so it leads to nothing (Vol 4, Part E, 7.7.65.9).
    fileprivate func makeSecret(
        with key: HCI.P256PublicKey,
        _ choice: HCI.KeyPairChoice
    ) throws(HCI.ErrorCode) -> HCI.Event {
        let pair = try pair(choice)
        guard result == nil, let pair else { throw .commandDisallowed }
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

    private func pair(_ choice: HCI.KeyPairChoice) throws(HCI.ErrorCode) -> KeyPair? {
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

    /// Takes the result out, which is computed now.
    fileprivate mutating func takeResult() -> HCI.Event? {
        defer { result = nil }
        return result
    }
}

extension VirtualController {
    fileprivate mutating func makeKeyPair(_ ether: inout Ether) throws(HCI.ErrorCode) {
        let result = try keyAgreement.makePair(using: &dice)
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

    /// The key that was asked for is ready.
    mutating func finishComputation(_ ether: inout Ether) {
        guard let result = keyAgreement.takeResult() else { return }
        ether.emit(result, to: radio)
    }
}
