// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// Signed commands: they authenticate the sender of a command, and do not encrypt it.
extension LinkCore {
    /// Writes a value without a response. The write is signed if the link is not encrypted and the
    /// bond has a signing key. Otherwise, it is sent as an ordinary command, on a link that is or
    /// will be encrypted (Vol 3, Part C, 10.2.2; Vol 3, Part G, 4.9.2).
    ///
    /// The counter of the signature is used up even if the command fails.
    mutating func writeSigned(
        _ value: [UInt8],
        to attribute: AttributeHandle,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        let plain = GATT.Operation.writeWithoutResponse(attribute, value)
        guard let bond else { return context.fail(id, HostError.notBonded) }
        guard !isOutOfSync(plain) else { return context.failOutOfSync(plain, id) }
        guard !security.isEncrypted, let key = bond.localSigner else {
            return request(.gatt(plain), id: id, &context)
        }
        guard let counter = context.takeSignCounter(for: identity),
            let signer = GATT.CommandSigner(key, counter: counter)
        else { return context.fail(id, HostError.notBonded) }
        let signed = GATT.Operation.signedWriteWithoutResponse(attribute, value, signer)
        start(signed, id: id.rawValue, &context)
    }
}

extension Bond {
    /// The key that verifies the peer's signatures, most significant byte first.
    var signingKey: SigningKey? { peerSigningKey.map(SigningKey.init) }

    /// The key of this host's signatures.
    var localSigner: SigningKey? { localSigningKey.map(SigningKey.init) }
}

extension SigningKey {
    fileprivate init(_ key: HCI.Key128) { self.init(key: key.bytes.reversed()) }
}
