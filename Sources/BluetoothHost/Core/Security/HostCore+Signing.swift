// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// Commands that are signed, for peers that want to know who commands them and need no secrecy.
extension HostCore {
    /// Writes a value without waiting for an answer: with a signature if the link is not encrypted
    /// and the bond has a key for that, and otherwise as any other command, on a link that is or
    /// gets encrypted (Vol 3, Part C, 10.2.2; Vol 3, Part G, 4.9.2).
    ///
    /// The counter of the signature is used up, whatever becomes of the command.
    mutating func writeSigned(
        _ value: [UInt8],
        to attribute: AttributeHandle,
        on handle: ConnectionHandle,
        of link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        let plain = GATT.Operation.writeWithoutResponse(attribute, value)
        guard let state = links[handle], let bond = state.bond else {
            return fail(id, HostError.notBonded)
        }
        guard !isOutOfSync(plain, on: handle) else { return failOutOfSync(plain, id) }
        guard !state.security.isEncrypted, let key = bond.localSigner else {
            return request(.gatt(plain), of: link, id: id, now: now)
        }
        guard let counter = takeSignCounter(for: state.identity),
            let signer = GATT.CommandSigner(key, counter: counter)
        else { return fail(id, HostError.notBonded) }
        let signed = GATT.Operation.signedWriteWithoutResponse(attribute, value, signer)
        start(signed, id: id.rawValue, on: handle, now: now)
    }
}

extension Bond {
    /// What the server checks the peer's signatures with; most significant octet first.
    var signingKey: SigningKey? { peerSigningKey.map(SigningKey.init) }

    /// What we sign with.
    var localSigner: SigningKey? { localSigningKey.map(SigningKey.init) }
}

extension SigningKey {
    fileprivate init(_ key: HCI.Key128) { self.init(key: key.bytes.reversed()) }
}
