// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATT {
    /// The key and the counter with which one write command is signed (Vol 3, Part H, 2.4.5). The
    /// server has the same key. A counter is used only once with a key.
    package struct CommandSigner: Equatable, Sendable {
        private let key: SigningKey
        private let counter: UInt32

        /// Creates a signer, or returns `nil` if the key does not have 16 bytes.
        package init?(_ key: SigningKey, counter: UInt32) {
            guard key.signature(of: [], counter: counter) != nil else { return nil }
            self.key = key
            self.counter = counter
        }

        /// Returns the signed command that writes a value.
        func sign(_ value: [UInt8], for handle: AttributeHandle) -> ATT.SignedWriteCommand {
            let nothing = [UInt8](repeating: 0, count: ATT.SignedWriteCommand.signatureLength)
            let draft = ATT.SignedWriteCommand(
                handle: handle,
                value: value[...],
                signature: nothing[...]
            )
            let signature = key.signature(of: draft.signedBytes, counter: counter) ?? nothing
            return .init(handle: handle, value: value[...], signature: signature[...])
        }
    }
}
