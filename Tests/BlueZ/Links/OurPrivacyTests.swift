// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// Our host uses private addresses. BlueZ resolves them once the two are bonded.
@Suite(.machines) struct OurPrivacyTests {
    @Test(
        "BlueZ reconnects to the bonded host after its private address changed",
        arguments: Setting.oldestAndLatest
    )
    func bluezReconnects(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "privacy: ours") { bluez in
            let address = try await bluez.powerOnForLinks()
            try await bluez.watchHCI()
            let host = try await bluez.makeHost(.bondingPrivately)
            _ = try await host.advertise(as: "ours")
            try await bluez.scan()
            let found = try await bluez.device(named: "ours")
            let first = try #require(DeviceAddress(ofBlueZPath: found))
            #expect(first.randomKind == .resolvablePrivate)

            try await bluez.pair(found, with: host)
            #expect(await host.bonds.map(\.identity) == [address])
            for link in await host.links { try await link.disconnect() }
            try await bluez.isAlone()

            try await bluez.receivedPrivateAddress(otherThan: first)
            let known = try await bluez.known(as: host.identityAddress)
            let link = try await host.incomingLink { try await bluez.connect(known) }
            #expect(try await link.pair().isEncrypted)
            #expect(try await link.bondedPeer?.identity == address)
            #expect(try await bluez.device(known)["Paired"] == .boolean(true))
            #expect(await host.bonds.count == 1)
        }
    }

    @Test(
        "BlueZ recognizes the bonded host that connects from another private address",
        arguments: Setting.oldestAndLatest
    )
    func bluezRecognizesHost(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "privacy: ours") { bluez in
            let address = try await bluez.powerOnForLinks()
            try await bluez.advertise(name: "theirs")
            try await bluez.watchHCI()
            let host = try await bluez.makeHost(.bondingPrivately)
            let first = try await bluez.pairedAddress { try await host.reach(address) }
            #expect(first.randomKind == .resolvablePrivate)

            let known = try await bluez.known(as: host.identityAddress)
            #expect(try await bluez.device(known)["Paired"] == .boolean(true))
            // Links may follow each other faster than the address changes.
            let end = ContinuousClock.now + Limits.discovery
            var second = first
            while second == first, ContinuousClock.now < end {
                do {
                    second = try await bluez.pairedAddress { try await host.reach(address) }
                } catch {
                    // In a series of links with a bonded peer, BlueZ may lose one by itself.
                    guard bluez.knownFault != nil else { throw error }
                    try await bluez.isAlone()
                }
            }
            #expect(second != first)
            #expect(second.randomKind == .resolvablePrivate)
            #expect(try await bluez.device(known)["Paired"] == .boolean(true))
            #expect(await host.bonds.count == 1)
        }
    }
}

extension BlueZ {
    /// Returns the address from which our host connects. The host encrypts the link, by pairing or
    /// with a bond's keys, and ends it.
    fileprivate func pairedAddress(
        _ connect: @Sendable () async throws -> Link
    ) async throws -> DeviceAddress {
        let link = try await connect()
        let isEncrypted = try await link.pair().isEncrypted
        #expect(isEncrypted)
        // For an advertising set, the monitor prints a peer address of zeros.
        let line = try await sawHCI {
            $0.contains("Peer address: ") && !$0.contains("00:00:00:00:00:00")
        }
        let digits = line.split(separator: " ").first { $0.count == 17 && $0.contains(":") }
        try await hasExplored()
        try await link.disconnect()
        try await isAlone()
        return try #require(digits.flatMap { DeviceAddress($0, kind: .random) })
    }
}
