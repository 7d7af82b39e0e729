// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import Testing

/// Our virtual radio joins RootCanal's, so that the devices of both receive each other.
@Suite(.needsPeers, .needsRootCanal) struct RootCanalTests {
    private static let service = GATT.ServiceDefinition(
        Demo.uuid(0x300),
        [
            .init(
                Companion.secret,
                .read,
                permissions: GATT.Permissions(read: .encrypted),
                value: .stored(Companion.secretValue)
            )
        ]
    )

    @Test("A Bumble central on RootCanal explores an accessory of our radio and is notified")
    func centralOnRootCanal() async throws {
        let scenario = #"{"devices": [{"name": "Lanyard Demo", "accessory": "demo"}]}"#
        try await withJoinedAir(scenario: scenario) { joined in
            let facts = try await joined.rootCanal.central()
            let explored = facts["explored"]
            #expect(explored["services"].elements.count == 6)
            #expect(explored["short"] == .boolean(true))
            #expect(explored["long"] == .boolean(true))
            #expect(explored["written"].text == "012a")
            #expect(
                explored["notified"].elements.map(\.text)
                    == ["083c0000", "003d", "003e", "003f", "08400400"]
            )
            #expect(explored["indicated"].elements.count == 3)
        }
    }

    @Test(
        "A Bumble central on RootCanal pairs with our host, and reads over the encrypted link",
        arguments: RootCanalRelease.available
    )
    func centralPairs(release: RootCanalRelease) async throws {
        try await withJoinedAir(release) { joined in
            try await joined.withHost { host in
                let services = try await host.publish(Self.service)
                let handle = try #require(services.characteristic(Companion.secret)).valueHandle
                var advertising = Advertising(AdvertisingContent(localName: "Server"))
                advertising.interval = .milliseconds(30) ... .milliseconds(40)
                _ = try await host.advertise(advertising)
                let companion = try await joined.companion()
                try await companion.prepare()
                try await companion.connect(name: "Server")
                let outcome = try await companion.pair()
                guard case .paired(let facts) = outcome else {
                    Issue.record("the pairing has not succeeded: \(outcome)")
                    return
                }
                #expect(facts.usesSecureConnections)
                #expect(try await companion.client.read(handle) == Companion.secretValue)
                #expect(await host.bonds.count == 1)
                try await companion.disconnect()
                // The second link uses the keys of the bond.
                try await companion.connect(name: "Server")
                try await companion.encrypt()
                #expect(try await companion.client.read(handle) == Companion.secretValue)
            }
        }
    }

    @Test("Our command explores a Bumble accessory on RootCanal")
    func accessoryOnRootCanal() async throws {
        try await withJoinedAir { joined in
            let accessory = try await joined.rootCanal.accessory()
            let seen = try await LanyardTool.run(
                "explore",
                accessory.address,
                "--json",
                adapter: joined.air.adapter
            )
            try #require(seen.succeeded, "\(seen.errors)")
            #expect(try JSON(parsing: seen.output).differences(from: accessory.database) == [])
        }
    }

    @Test(
        "Our host pairs with a Bumble host on RootCanal, reads, and encrypts again with the bond",
        arguments: RootCanalRelease.available
    )
    func hostPairs(release: RootCanalRelease) async throws {
        try await withJoinedAir(release) { joined in
            try await joined.withHost { host in
                let companion = try await joined.companion()
                try await companion.prepare()
                let text = try #require(try await companion.advertise())
                let address = try #require(DeviceAddress(text, kind: .random))
                let link = try await host.connectQuickly(to: address)
                try await companion.awaitLink()
                companion.awaitPairing()
                _ = try await link.pair()
                guard case .paired = try await companion.outcome() else {
                    Issue.record("the pairing has failed")
                    return
                }
                #expect(try await link.security.isEncrypted)
                let secret = try await link.handle(Companion.secret)
                #expect(try await link.read(secret) == Companion.secretValue)
                try await link.disconnect()
                try await companion.awaitEnd()
                // The second link uses the keys of the bond.
                _ = try await companion.advertise()
                let second = try await host.connectQuickly(to: address)
                #expect(try await second.read(secret) == Companion.secretValue)
                #expect(try await second.security.isEncrypted)
            }
        }
    }

    @Test("A Bumble accessory on RootCanal notifies our host of a hundred values in order")
    func notifications() async throws {
        try await withJoinedAir { joined in
            try await joined.withHost { host in
                let accessory = try await joined.rootCanal.accessory()
                let address = try #require(DeviceAddress(accessory.address, kind: .random))
                let link = try await host.connectQuickly(to: address)
                let values = try await link.subscribe(to: link.find(Demo.burst))
                try await link.command(.notify, count: 100, size: 100)
                let counters = try await take(100, of: values)
                #expect(counters == Array(0..<100))
            }
        }
    }

    @Test("A link to a device on RootCanal ends by its supervision timeout if RootCanal is killed")
    func killed() async throws {
        try await withJoinedAir { joined in
            try await joined.withHost { host in
                let accessory = try await joined.rootCanal.accessory()
                let address = try #require(DeviceAddress(accessory.address, kind: .random))
                let link = try await host.connectQuickly(to: address)
                joined.process.kill()
                let reason = try await within(HostFixture.limit, "the end of the link") {
                    try await link.ended()
                }
                #expect(reason == .disconnected(.connectionTimeout))
                #expect(try await joined.event("rootCanalEnded")["cause"].text != nil)
                #expect(await host.state == .ready)
            }
        }
    }

    @Test(
        "The radio joins again when RootCanal has returned at its port",
        arguments: RootCanalRelease.available
    )
    func returned(release: RootCanalRelease) async throws {
        try await withJoinedAir(release) { joined in
            joined.process.kill()
            _ = try await joined.event("rootCanalEnded")
            let again = try await joined.restarted()
            _ = try await again.event("rootCanalJoined")
            try await again.withHost { host in
                let accessory = try await again.rootCanal.accessory()
                let address = try #require(DeviceAddress(accessory.address, kind: .random))
                let link = try await host.connectQuickly(to: address)
                let values = try await link.subscribe(to: link.find(Demo.burst))
                try await link.command(.notify, count: 3, size: 20)
                #expect(try await take(3, of: values) == [0, 1, 2])
            }
        }
    }
}
