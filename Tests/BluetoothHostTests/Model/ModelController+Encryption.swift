// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Encryption as the host observes it: the host sends keys, and the controller reports the results.
extension ModelController {
    /// Starts encryption as the central. The peer may have the same key, another key, or none.
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

    /// Starts encryption by the peer, which requests a key.
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

    /// Receives the host's key for the request of the peer.
    mutating func receiveKey(_ command: HCI.LELongTermKeyRequestReply) {
        let handle = command.connectionHandle
        reply(.leLongTermKeyRequestReply, on: handle, Self.named)
        guard let peer = links[handle]?.peer else { return }
        guard command.longTermKey == peers[peer]?.key else {
            return linkEnded(handle, .messageIntegrityFailure)
        }
        changeEncryption(on: handle)
    }

    /// Reports encryption to the host, whether or not the link is encrypted.
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

    /// Sends a PDU of the peer on the channel of the Security Manager.
    mutating func sendSecurity(_ pdu: [UInt8], from address: DeviceAddress) {
        guard let handle = handle(of: address) else { return }
        sendFrame(L2CAPFrame.encode(pdu, on: .securityManager), on: handle)
    }
}
