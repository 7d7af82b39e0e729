// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The cryptographic functions of a controller: AES blocks, hashes of addresses, and keys on the
/// curve P-256.
///
/// HCI is little-endian: keys, blocks and coordinates begin with the least significant byte. The
/// algorithms are defined in big-endian order, so each function here reverses its arguments and its
/// result (Vol 3, Part H, 2.2).
package enum Cryptography {
    /// The handlers of LE Encrypt, LE Rand, LE Read Local P-256 Public Key and LE Generate DHKey
    /// (Vol 4, Part E, 7.8.22, 7.8.23, 7.8.36, 7.8.37).
    static let handlers: [CommandHandler] = [encrypt, random] + KeyAgreement.handlers

    private static let encrypt = CommandHandler.completing(HCI.LEEncrypt.self) {
        (_, command, _) throws(HCI.ErrorCode) -> HCI.LEEncrypt.ReturnParameters in
        guard let ciphertext = BlockCipher(command.key).encrypt(command.plaintext) else {
            throw .hardwareFailure
        }
        return HCI.LEEncrypt.ReturnParameters(ciphertext: ciphertext)
    }

    private static let random = CommandHandler.completing(HCI.LERand.self) {
        (controller, _, _) throws(HCI.ErrorCode) -> HCI.LERand.ReturnParameters in
        HCI.LERand.ReturnParameters(random: controller.generator.next())
    }
}
