// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

// Encryption with keys that are known already (Vol 6, Part B, 5.1.3): the Central begins it, the
// Peripheral's host is asked for the key, and both controllers tell when the link is encrypted.
extension HostCore {
    /// How well a link is protected; nil once it has ended.
    package func security(of link: LinkIdentifier) -> LinkSecurity? {
        handles[link].flatMap { links[$0]?.security }
    }

    /// The bond with a new link's peer.
    mutating func recogniseBond(of handle: ConnectionHandle) {
        let identity = links[handle]?.identity
        guard let bond = bonds.first(where: { $0.peer == identity }) else { return }
        links[handle]?.bond = bond
        links[handle]?.security = bond.security(isEncrypted: false)
    }

    /// Tells the server what the peer signs with, if anything.
    mutating func useSigningKey(on handle: ConnectionHandle) {
        guard let client = links[handle]?.identifier.client, let peer = links[handle]?.identity
        else {
            return
        }
        let key = links[handle]?.bond?.signingKey
        server.setSigningKey(key, of: client, kept: key == nil ? nil : memories[peer])
    }

    /// Encrypts a link as its Central.
    mutating func encrypt(
        _ handle: ConnectionHandle,
        of link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard links[handle]?.bond != nil else { return fail(id, HostError.notBonded) }
        guard links[handle]?.role == .central else {
            return fail(id, HostError.controller(.commandDisallowed))
        }
        guard links[handle]?.security.isEncrypted == false else { return complete(id, .done) }
        if let key = links[handle]?.bond?.peerKey { reportUse(of: key, on: handle) }
        sendCommand(for: .encrypt, to: handle, of: link, id: id, now: now)
    }

    func encryptionCommand(for handle: ConnectionHandle) -> HCI.EncodedCommand? {
        guard let key = links[handle]?.bond?.peerKey else { return nil }
        return HCI.EncodedCommand(
            HCI.LEEnableEncryption(
                connectionHandle: handle,
                random: key.random,
                encryptedDiversifier: key.diversifier,
                longTermKey: key.value
            )
        )
    }

    /// The Central wants to encrypt: the controller gets the key, if it is named as the bond's is,
    /// and otherwise hears at once that there is none, rather than let the peer wait.
    mutating func longTermKeyAsked(_ event: HCI.LELongTermKeyRequest, now: Instant) {
        let handle = event.connectionHandle
        guard let key = links[handle]?.bond?.localKey, key.random == event.random,
            key.diversifier == event.encryptedDiversifier
        else {
            let reply = HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle)
            return upkeep(HCI.EncodedCommand(reply), on: handle, now: now)
        }
        reportUse(of: key, on: handle)
        let reply = HCI.LELongTermKeyRequestReply(
            connectionHandle: handle,
            longTermKey: key.value
        )
        upkeep(HCI.EncodedCommand(reply), on: handle, now: now)
    }

    /// Encryption began, ended, or failed to begin (Vol 4, Part E, 7.7.8).
    mutating func encryptionChanged(
        on handle: ConnectionHandle,
        _ status: HCI.ErrorCode,
        _ encryption: HCI.EncryptionState,
        now: Instant
    ) {
        guard links[handle] != nil else { return }
        guard status == .success else { return encryptionFailed(status, on: handle) }
        // A controller that encrypts with a key that nobody gave it proves nothing of the peer.
        guard let bond = links[handle]?.bond else {
            emit(.log("ignored encryption of a link that no key is known for"))
            return procedureEnded(.encryption, on: handle, .failure(.notBonded))
        }
        let isEncrypted = encryption != .off
        links[handle]?.security = bond.security(isEncrypted: isEncrypted)
        serverHearsOfSecurity(of: handle)
        if isEncrypted { procedureEnded(.encryption, on: handle, .success(.done)) }
        pump(handle, now: now)
    }

    /// An encrypted link has a new key, or failed to get one (Vol 4, Part E, 7.7.39).
    mutating func keyRefreshed(_ event: HCI.EncryptionKeyRefreshComplete, now: Instant) {
        encryptionChanged(on: event.connectionHandle, event.status, .on, now: now)
    }

    /// The link stays as it is, unless its controller ends it.
    private mutating func encryptionFailed(
        _ status: HCI.ErrorCode,
        on handle: ConnectionHandle
    ) {
        emit(.log("a link could not be encrypted: \(status)"))
        procedureEnded(.encryption, on: handle, .failure(.encryptionFailed(status)))
    }
}

// The Security Manager's channel. This host does not pair yet, and says so.
extension HostCore {
    /// Pairing Request and Pairing Failed (Vol 3, Part H, 3.3).
    private static let pairingRequest: UInt8 = 0x01
    private static let pairingNotSupported: [UInt8] = [0x05, 0x05]

    /// Whoever asks for pairing is refused; whatever else comes is not for a host that does not
    /// pair. However often the peer asks, one answer waits at most.
    mutating func receiveSecurity(
        _ payload: ArraySlice<UInt8>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard payload.first == Self.pairingRequest else {
            return emit(.log("ignored a command of the Security Manager"))
        }
        links[handle]?.owesPairingRefusal = true
        pump(handle, now: now)
    }

    /// The refusal that a peer is owed.
    mutating func nextSecurityFrame(of handle: ConnectionHandle) -> [UInt8]? {
        guard links[handle]?.owesPairingRefusal == true else { return nil }
        links[handle]?.owesPairingRefusal = false
        return L2CAPFrame.encode(Self.pairingNotSupported, on: .securityManager)
    }
}
