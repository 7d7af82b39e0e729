// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// Says with which key a bonded client signs; nil for none.
    ///
    /// Signed commands come on links that are not encrypted, and so before anything is restored. What
    /// is kept of the client has to be known even so, or its old commands could be played again.
    ///
    /// - Parameter kept: What is kept of the client. Only its counter counts here; the rest waits for
    ///   `restore`, and is handed out again, as it is, with a new counter.
    package mutating func setSigningKey(
        _ key: SigningKey?,
        of client: ClientID,
        kept: ClientMemory? = nil
    ) {
        guard var record = clients[client] else { return }
        // Each key has counters of its own.
        if let before = record.signingKey, before.key != key?.key {
            record.memory.lastSignCounter = nil
        }
        record.signingKey = key
        record.kept = record.kept ?? kept
        let counters = [record.memory.lastSignCounter, kept?.lastSignCounter].compactMap { $0 }
        record.memory.lastSignCounter = counters.max()
        clients[client] = record
    }

    /// Whether a signed command may be carried out: its signature is good, was not seen before, and
    /// the link is not encrypted. On an encrypted link nobody needs signatures, and a server must not
    /// take them (Vol 3, Part C, 10.4). The attribute's permissions are not looked at: a rule that
    /// asks for encryption is not met by a signature.
    ///
    /// The counter of a good signature is used up, whatever becomes of the write.
    package mutating func acceptSignature(
        of command: ATT.SignedWriteCommand,
        on bearer: BearerID,
        into actions: inout [Action]
    ) -> Bool {
        guard let client = clients[bearer.client],
            !client.security.isEncrypted,
            var key = client.signingKey
        else { return false }
        let counters = [key.lastCounter, client.memory.lastSignCounter].compactMap { $0 }
        key.lastCounter = counters.max()
        guard key.accept(command) else { return false }
        clients[bearer.client]?.signingKey = key
        clients[bearer.client]?.memory.lastSignCounter = key.lastCounter
        actions += rememberCounter(of: bearer.client)
        return true
    }

    /// A signature proves who sent the command, so its counter is kept, though the link proves
    /// nothing; and nothing else that was changed on such a link is kept with it.
    private mutating func rememberCounter(of client: ClientID) -> [Action] {
        guard let record = clients[client], record.security.isBonded else { return [] }
        var memory = record.kept ?? ClientMemory()
        memory.lastSignCounter = record.memory.lastSignCounter
        clients[client]?.kept = memory
        return [.remember(client, memory)]
    }
}
