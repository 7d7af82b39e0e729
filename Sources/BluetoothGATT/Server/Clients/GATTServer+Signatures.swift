// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// Sets the key that verifies the signed commands of a bonded client.
    ///
    /// Signed commands arrive on links without encryption, and therefore before `restore`. The
    /// server needs the counter of the stored record before that, or an attacker could replay old
    /// commands.
    ///
    /// - Parameters:
    ///   - key: The key, or `nil` to refuse all signed commands.
    ///   - client: The client.
    ///   - storedRecord: The stored record of the client. Only its counter is used here. The rest
    ///     takes effect with `restore`. Until then, an action that stores a new counter stores the
    ///     rest unchanged.
    package mutating func setSigningKey(
        _ key: SigningKey?,
        of client: ClientID,
        storedRecord: ClientRecord? = nil
    ) {
        guard var record = clients[client] else { return }
        // Each key has its own counter.
        if let before = record.signingKey, before.key != key?.key {
            record.clientRecord.lastSignCounter = nil
        }
        record.signingKey = key
        record.storedRecord = record.storedRecord ?? storedRecord
        let counters = [record.clientRecord.lastSignCounter, storedRecord?.lastSignCounter]
            .compactMap { $0 }
        record.clientRecord.lastSignCounter = counters.max()
        clients[client] = record
    }

    /// Returns whether a signed command may be executed: its signature is valid, its counter is
    /// new, and the link is not encrypted.
    ///
    /// An encrypted link makes signatures unnecessary, and a server must not accept them on such a
    /// link (Vol 3, Part C, 10.4). The method does not check the attribute's permissions. A
    /// signature does not satisfy a requirement for encryption. The counter of a valid signature is
    /// used up, whether the write succeeds or fails.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - bearer: The bearer on which it arrived.
    ///   - actions: The list to which the action that stores the counter, or the reason for a
    ///     refusal, is appended.
    /// - Returns: Whether the command may be executed.
    package mutating func acceptSignature(
        of command: ATT.SignedWriteCommand,
        on bearer: BearerID,
        into actions: inout [Action]
    ) -> Bool {
        guard let client = clients[bearer.client] else { return false }
        func refuse(_ reason: String) -> Bool {
            actions.append(.violated(bearer.client, "a signed command \(reason)"))
            return false
        }
        guard !client.security.isEncrypted else { return refuse("on an encrypted link") }
        guard var key = client.signingKey else { return refuse("without a key to verify it") }
        let counters = [key.lastCounter, client.clientRecord.lastSignCounter].compactMap { $0 }
        key.lastCounter = counters.max()
        guard key.hasNewCounter(command) else { return refuse("with an old counter") }
        guard key.accept(command) else { return refuse("with an invalid signature") }
        clients[bearer.client]?.signingKey = key
        clients[bearer.client]?.clientRecord.lastSignCounter = key.lastCounter
        actions += rememberCounter(of: bearer.client)
        return true
    }

    /// Returns an action that stores the client's counter, or none without a bond.
    ///
    /// The counter is stored although the link is not encrypted, because the signature proves the
    /// identity of the client. No other change on such a link is stored.
    private mutating func rememberCounter(of client: ClientID) -> [Action] {
        guard let record = clients[client], record.security.isBonded else { return [] }
        var clientRecord = record.storedRecord ?? ClientRecord()
        clientRecord.lastSignCounter = record.clientRecord.lastSignCounter
        clients[client]?.storedRecord = clientRecord
        return [.remember(client, clientRecord)]
    }
}
