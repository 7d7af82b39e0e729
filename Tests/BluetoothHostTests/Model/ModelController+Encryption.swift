// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Encryption, as far as a host sees of it: keys go down, and word comes up of what became of them.
extension ModelController {
    /// The host begins encryption as the Central; the peer has the same key, or another, or none.
    mutating func encrypt(_ command: HCI.LEEnableEncryption) {
        let handle = command.connectionHandle
        guard let peer = links[handle]?.peer else {
            return answer(.leEnableEncryption, .unknownConnectionIdentifier)
        }
        answer(.leEnableEncryption, .success)
        guard !endlessCommands.contains(.leEnableEncryption) else { return }
        switch peers[peer]?.key {
        case command.longTermKey: changeEncryption(on: handle)
        case nil: changeEncryption(on: handle, .pinOrKeyMissing, .off)
        default: linkEnded(handle, .messageIntegrityFailure)
        }
    }

    /// The peer begins encryption, and names the key.
    mutating func requestKey(
        from address: DeviceAddress,
        random: UInt64 = 0,
        encryptedDiversifier: UInt16 = 0
    ) {
        guard let handle = handle(of: address) else { return }
        send(
            .longTermKeyRequest(
                .init(
                    connectionHandle: handle,
                    random: random,
                    encryptedDiversifier: encryptedDiversifier
                )
            )
        )
    }

    /// The host gives the key that the peer has named.
    mutating func receiveKey(_ command: HCI.LELongTermKeyRequestReply) {
        let handle = command.connectionHandle
        tell(.leLongTermKeyRequestReply, on: handle, Self.named)
        guard let peer = links[handle]?.peer else { return }
        guard command.longTermKey == peers[peer]?.key else {
            return linkEnded(handle, .messageIntegrityFailure)
        }
        changeEncryption(on: handle)
    }

    /// Tells the host of encryption, whether it is true or not.
    mutating func changeEncryption(
        on handle: ConnectionHandle,
        _ status: HCI.ErrorCode = .success,
        _ encryption: HCI.EncryptionState = .on
    ) {
        if keepsEncryptedPackets { keepsPackets = true }
        send(
            .encryptionChange(
                .init(status: status, connectionHandle: handle, encryption: encryption)
            )
        )
    }

    /// The peer says something on the Security Manager's channel.
    mutating func sendSecurity(_ pdu: [UInt8], from address: DeviceAddress) {
        guard let handle = handle(of: address) else { return }
        sendFrame(L2CAPFrame.encode(pdu, on: .securityManager), on: handle)
    }
}
