// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// A bond survives a restart of either side, and each side notices when the other has lost the
/// bond.
@Suite(.machines) struct AccessoryBondTests {
    @Test("A bond encrypts the link after both sides have restarted", arguments: Setting.all)
    func reconnection(_ setting: Setting) async throws {
        try await reconnect(setting, .by(.numericComparison))
    }

    @Test(
        "A legacy bond encrypts the link after both sides have restarted",
        arguments: Setting.latestOnly
    )
    func legacyReconnection(_ setting: Setting) async throws {
        try await reconnect(setting, .by(.passkeyEntryOnBoth, .legacy))
    }

    private func reconnect(_ setting: Setting, _ variant: PairingVariant) async throws {
        try await withBond(setting, "bonded reconnection", variant) { pair in
            for _ in 0..<2 {
                try await pair.restart()
                let link = try await pair.connect()
                #expect(try await link.read(pair.secret) == BondedFixture.secret)
                #expect(try await link.security == variant.security)
                #expect(try await link.bondedPeer?.identifier == pair.bond.identifier)
                #expect(pair.person.experiences == [])
                try await pair.disconnect(link)
            }
            #expect(try pair.bluez.pendingEvents("agent") == [])
        }
    }

    /// What our host does when BlueZ has lost the bond, according to its `BondLossPolicy`.
    enum Answer {
        case refuse, pairAnew
    }

    @Test(
        "A BlueZ that lost its keys is refused or paired again, as the host's policy says",
        arguments: Setting.each(Answer.refuse, orElse: .pairAnew)
    )
    func lostByBlueZ(_ setting: Setting, answer: Answer) async throws {
        let variant = PairingVariant.by(.numericComparison)
        try await withBond(setting, "bond lost by BlueZ", variant) { pair in
            try await pair.bluez.forget(pair.path)
            try await pair.restart(answer == .refuse ? .refuse : .pairOnce)
            switch answer {
            case .refuse:
                await #expect(throws: HostError.bondLost) { try await pair.connect() }
                #expect(await pair.host.bonds == [pair.bond])
            case .pairAnew:
                let link = try await pair.connect()
                #expect(try await link.read(pair.secret) == BondedFixture.secret)
                #expect(try await link.security == variant.security)
                let question = try await pair.bluez.question("confirm")
                let number = try #require(question["passkey"].integer)
                #expect(pair.person.experiences == [.compared(UInt32(number))])
            }
        }
    }

    @Test(
        "A host that lost its keys pairs again with a BlueZ that has kept them",
        arguments: Setting.latestOnly
    )
    func lostByHost(_ setting: Setting) async throws {
        let variant = PairingVariant.by(.numericComparison)
        try await withBond(setting, "bond lost by the host", variant) { pair in
            await pair.host.removeBond(pair.bond.identifier)
            try await pair.restart()
            // BlueZ requests encryption at once. Our host has no keys, and our user consents to a
            // new pairing.
            let link = try await pair.connect()
            #expect(try await link.read(pair.secret) == BondedFixture.secret)
            #expect(try await link.security == variant.security)
            _ = try await pair.bluez.question("confirm")
            // The new keys work.
            try await pair.disconnect(link)
            let again = try await pair.connect()
            #expect(try await again.read(pair.secret) == BondedFixture.secret)
            #expect(try pair.bluez.pendingEvents("agent") == [])
        }
    }

    @Test(
        "BlueZ refuses to replace a bond by Just Works",
        arguments: Setting.latestOnly
    )
    func noQuietReplacement(_ setting: Setting) async throws {
        try await withBond(setting, "bond lost by the host", .by(.justWorks)) { pair in
            await pair.host.removeBond(pair.bond.identifier)
            try await pair.restart()
            try await pair.bluez.watchHCI()
            let attempt = Task { try await pair.connect().pair() }
            // BlueZ uses this error for a denied confirmation, even with Just Works.
            try await pair.bluez.sawHCI { $0.contains("Numeric comparison failed (0x0c)") }
            // BlueZ has requested encryption and sends no answer without it, so our host's requests
            // might wait for long.
            attempt.cancel()
            await #expect(throws: (any Error).self) { try await attempt.value }
            #expect(await pair.host.bonds == [])
            #expect(try await pair.bluez.device(pair.path)["Bonded"] == .boolean(true))
        }
    }
}
