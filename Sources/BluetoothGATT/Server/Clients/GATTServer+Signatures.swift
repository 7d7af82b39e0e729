// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// Says with which key a bonded client signs; nil for none. The counter that is remembered of the
    /// client counts if it is the higher one.
    package mutating func setSigningKey(_ key: SigningKey?, of client: ClientID) {
        clients[client]?.signingKey = key
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
