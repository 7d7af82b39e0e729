// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

@Suite("Signed commands (Vol 3, Part H, 2.4.5)")
struct SignatureTests {
    typealias Table = ServedTable

    /// The key of RFC 4493, 4.
    static let key: [UInt8] = [
        0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F,
        0x3C,
    ]
    static let signingKey = SigningKey(key: key)

    /// Returns the command as a client with the key sends it.
    static func command(_ counter: UInt32, value: [UInt8] = [1, 2]) throws -> ATT.SignedWriteCommand
    {
        let unsigned = ATT.SignedWriteCommand(
            handle: AttributeHandle(0x0012),
            value: value[...],
            signature: [UInt8](repeating: 0, count: 12)[...]
        )
        let signature = try #require(
            signingKey.signature(of: unsigned.signedBytes, counter: counter)
        )
        return .init(handle: unsigned.handle, value: unsigned.value, signature: signature[...])
    }

    static func table(_ security: LinkSecurity = LinkSecurity(isBonded: true)) throws -> Table {
        var table = try Table(security: security)
        table.server.setSigningKey(signingKey, of: Table.client)
        return table
    }

    @Test("A signature is the counter and the upper half of the MAC, in reversed order")
    func vector() throws {
        // The MAC of RFC 4493, 4, example 2, is 070a16b4 6b4d4144 f79bdd9d d04a287c. The message
        // is reversed so that, with the counter at its end, it is the 16 bytes of that example.
        let message: [UInt8] = [
            0x2A, 0x17, 0x93, 0x73, 0x11, 0x7E, 0x3D, 0xE9, 0x96, 0x9F, 0x40, 0x2E,
        ]
        let signature = Self.signingKey.signature(of: message, counter: 0x6BC1_BEE2)
        #expect(
            signature == [
                0xE2, 0xBE, 0xC1, 0x6B, 0x44, 0x41, 0x4D, 0x6B, 0xB4, 0x16, 0x0A, 0x07,
            ]
        )
        #expect(
            Self.signingKey.signature(of: [], counter: 0)
                == [0, 0, 0, 0, 0xB3, 0xA8, 0x59, 0x41, 0x27, 0xEB, 0xC2, 0xC0]
        )
        #expect(SigningKey(key: [1]).signature(of: [], counter: 0) == nil)
    }

    @Test("SM/SIGN/BV-03-C: A valid signature is accepted once, and its counter is stored")
    func accepted() throws {
        var table = try Self.table()
        var actions: [GATTServer.Action] = []
        let first = try Self.command(5)
        #expect(table.server.acceptSignature(of: first, on: Table.fixed, into: &actions))
        #expect(actions.clientRecords.map(\.lastSignCounter) == [5])
        #expect(!table.server.acceptSignature(of: first, on: Table.fixed, into: &actions))
        let older = try Self.command(4)
        #expect(!table.server.acceptSignature(of: older, on: Table.fixed, into: &actions))
        let newer = try Self.command(6)
        #expect(table.server.acceptSignature(of: newer, on: Table.fixed, into: &actions))
        #expect(actions.clientRecords.map(\.lastSignCounter) == [5, 6])
    }

    @Test("The first counter may be zero, and no counter is accepted after the largest")
    func counterLimits() throws {
        var table = try Self.table()
        var actions: [GATTServer.Action] = []
        for (counter, isGood) in [(0, true), (0, false), (UInt32.max, true), (0, false)] {
            let command = try Self.command(counter)
            #expect(
                table.server.acceptSignature(of: command, on: Table.fixed, into: &actions) == isGood
            )
        }
    }

    @Test("SM/SIGN/BI-01-C: A command with any changed byte is not accepted")
    func forged() throws {
        var table = try Self.table()
        var actions: [GATTServer.Action] = []
        let bytes = try Self.command(9).encode()
        for index in 1..<bytes.count {
            var changed = bytes
            changed[index] ^= 0x10
            guard case .signedWriteCommand(let command) = try ATT.PDU(parsing: changed[...]) else {
                Issue.record("The PDU is no longer a signed command")
                return
            }
            #expect(!table.server.acceptSignature(of: command, on: Table.fixed, into: &actions))
        }
        #expect(actions.clientRecords == [])
        let good = try Self.command(9)
        #expect(table.server.acceptSignature(of: good, on: Table.fixed, into: &actions))
    }

    @Test("A signature is refused on an encrypted link, without a key, and after the link ended")
    func notAccepted() throws {
        var actions: [GATTServer.Action] = []
        let command = try Self.command(1)
        var encrypted = try Self.table(Table.bonded)
        #expect(!encrypted.server.acceptSignature(of: command, on: Table.fixed, into: &actions))
        var keyless = try Table(security: .none)
        #expect(!keyless.server.acceptSignature(of: command, on: Table.fixed, into: &actions))
        var away = try Self.table()
        away.server.close(Table.fixed)
        #expect(!away.server.acceptSignature(of: command, on: Table.fixed, into: &actions))
    }

    @Test("The reason why a signed command is ignored is reported")
    func reasons() throws {
        /// Returns the actions of the server for a command, which report the violation.
        func violation(
            of command: ATT.SignedWriteCommand,
            _ table: inout Table
        ) -> [GATTServer.Action] {
            table.server.receive(.signedWriteCommand(command), on: Table.fixed, now: .zero)
        }
        let command = try Self.command(1)
        var encrypted = try Self.table(Table.bonded)
        #expect(
            violation(of: command, &encrypted)
                == [.violated(Table.client, "a signed command on an encrypted link")]
        )
        var keyless = try Table(security: .none)
        #expect(
            violation(of: command, &keyless)
                == [.violated(Table.client, "a signed command without a key to verify it")]
        )
        var table = try Self.table()
        var actions: [GATTServer.Action] = []
        #expect(table.server.acceptSignature(of: command, on: Table.fixed, into: &actions))
        #expect(
            violation(of: command, &table)
                == [.violated(Table.client, "a signed command with an old counter")]
        )
        let forged = ATT.SignedWriteCommand(
            handle: command.handle,
            value: [9],
            signature: try Self.command(2).signature
        )
        #expect(
            violation(of: forged, &table)
                == [.violated(Table.client, "a signed command with an invalid signature")]
        )
    }

    @Test("The stored counter applies after a restart")
    func restart() throws {
        var table = try Self.table()
        var clientRecord = ClientRecord()
        clientRecord.knownHash = table.server.database.hash
        clientRecord.lastSignCounter = 7
        _ = table.server.restore(Table.client, clientRecord)
        var actions: [GATTServer.Action] = []
        let old = try Self.command(7)
        #expect(!table.server.acceptSignature(of: old, on: Table.fixed, into: &actions))
        let new = try Self.command(8)
        #expect(table.server.acceptSignature(of: new, on: Table.fixed, into: &actions))
    }

    @Test("A counter that changes before the client's record is restored is stored in that record")
    func beforeRestoring() throws {
        let stored = try BondedClientTests.clientRecord(of: try Table())
        var old = stored
        old.lastSignCounter = 7
        var table = try Table(security: LinkSecurity(isBonded: true))
        table.server.setSigningKey(Self.signingKey, of: Table.client, storedRecord: old)
        var actions: [GATTServer.Action] = []
        let replayed = try Self.command(7)
        #expect(!table.server.acceptSignature(of: replayed, on: Table.fixed, into: &actions))
        let new = try Self.command(8)
        #expect(table.server.acceptSignature(of: new, on: Table.fixed, into: &actions))
        var expected = stored
        expected.lastSignCounter = 8
        #expect(actions.clientRecords == [expected])
        #expect(table.server.subscriptions(of: Table.client) == [:])
    }

    @Test("A new key starts with a new counter")
    func newKey() throws {
        var table = try Self.table()
        var actions: [GATTServer.Action] = []
        let last = try Self.command(9)
        #expect(table.server.acceptSignature(of: last, on: Table.fixed, into: &actions))
        let other = SigningKey(key: [UInt8](repeating: 8, count: 16))
        table.server.setSigningKey(other, of: Table.client)
        let old = try Self.command(10)
        #expect(!table.server.acceptSignature(of: old, on: Table.fixed, into: &actions))
        let zeros = [UInt8](repeating: 0, count: 12)
        let draft = ATT.SignedWriteCommand(handle: old.handle, value: [1], signature: zeros[...])
        let signature = try #require(other.signature(of: draft.signedBytes, counter: 0))
        let first = ATT.SignedWriteCommand(
            handle: old.handle,
            value: [1],
            signature: signature[...]
        )
        #expect(table.server.acceptSignature(of: first, on: Table.fixed, into: &actions))
    }

    @Test("On an unencrypted link, only the counter of the record is stored")
    func onlyTheCounter() throws {
        var table = try Self.table(.none)
        try table.subscribe(to: Table.notified)
        _ = table.server.securityChanged(Table.client, LinkSecurity(isBonded: true))
        var actions: [GATTServer.Action] = []
        let command = try Self.command(1)
        #expect(table.server.acceptSignature(of: command, on: Table.fixed, into: &actions))
        #expect(actions.clientRecords.map(\.configurations) == [[:]])
    }
}
