// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What controllers compute: AES blocks, hashes of addresses, keys on the curve P-256.
package enum Cryptography {
    /// LE Encrypt, LE Rand, LE Read Local P-256 Public Key and LE Generate DHKey
    /// (Vol 4, Part E, 7.8.22, 7.8.23, 7.8.36, 7.8.37).
    static let handlers: [CommandHandler] = []
}

extension VirtualController {
    /// The key that was asked for is ready.
    mutating func finishComputation(_ ether: inout Ether) {}
}
