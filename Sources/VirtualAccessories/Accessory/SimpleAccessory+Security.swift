// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

// The security of the link.
extension SimpleAccessory {
    /// Pairing Failed with the reason Pairing Not Supported (Vol 3, Part H, 3.5.5).
    private static let pairingFailed: [UInt8] = [0x05, 0x05]
    /// The code of Pairing Request (Vol 3, Part H, 3.5.1).
    private static let pairingRequest: UInt8 = 0x01

    mutating func receiveSecurity(_ payload: ArraySlice<UInt8>, now: Instant) {
        if let events = security?.receive(payload, now: now) {
            carryOut(events, now: now)
        } else if payload.first == Self.pairingRequest {
            link?.answer(Self.pairingFailed, on: .securityManager)
        }
    }

    mutating func carryOut(_ events: [AccessorySecurity.Event], now: Instant) {
        for event in events {
            switch event {
            case .send(let pdu): link?.answer(pdu, on: .securityManager)
            case .changed(let security):
                let clientRecord = self.security?.clientRecord
                let events = server.securityChanged(security, restoring: clientRecord, now: now)
                for event in events { carryOut(event, now: now) }
            }
        }
    }

    /// Answers the controller's request for a long-term key, with the key or with a negative reply
    /// if there is none.
    mutating func longTermKeyRequested(_ event: HCI.LELongTermKeyRequest, now: Instant) {
        let handle = event.connectionHandle
        let key = security?.key(diversifier: event.encryptedDiversifier, random: event.random)
        guard let key else {
            return session.send(
                HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle),
                now: now
            )
        }
        session.send(
            HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: key),
            now: now
        )
    }

    /// Handles a change of encryption. A failed change has no effect.
    mutating func encryptionChanged(
        on handle: ConnectionHandle,
        _ status: HCI.ErrorCode,
        isEncrypted: Bool,
        now: Instant
    ) {
        guard status == .success, handle == link?.connectionHandle,
            let events = security?.encryptionChanged(isEncrypted, now: now)
        else { return }
        carryOut(events, now: now)
    }
}
