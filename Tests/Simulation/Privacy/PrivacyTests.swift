// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualAdapters
import VirtualRadio

@testable import BluetoothHost

/// Hosts with private addresses that change every few seconds, on the virtual radio. No packet may
/// contain the identity address of a host with private addresses (`PrivateHostsHarness.run`).
@Suite("Privacy, in virtual time")
struct PrivacyTests {
    private typealias Harness = PrivateHostsHarness

    @Test(
        "A bonded phone resolves the addresses of the lamp, and another device does not",
        arguments: PrivateHostsHarness.Controllers.allCases
    )
    func recognition(controllers: PrivateHostsHarness.Controllers) async throws {
        let harness = try Harness(controllers, rotation: .seconds(5))
        try await harness.run { phone, lamp, unknownPeer in
            _ = try await lamp.advertise(Harness.lampProposal)
            async let known = Self.count(phone, for: .seconds(600), harness.air) {
                $0.address == Harness.lamp.address && $0.isIdentityResolved
            }
            async let strange = Self.count(unknownPeer, for: .seconds(600), harness.air) {
                $0.isIdentityResolved || $0.address == Harness.lamp.address
            }
            let counts = try await (known, strange)
            // Five discoveries in a second, except at the moments of a change.
            #expect(counts.0 > 600 * 3)
            #expect(counts.1 == 0)
        }
        #expect(harness.recorder.received.advertisers.count > 100)
    }

    @Test(
        "Bonded peers connect by identity repeatedly while addresses change",
        arguments: PrivateHostsHarness.Controllers.allCases
    )
    func connecting(controllers: PrivateHostsHarness.Controllers) async throws {
        let harness = try Harness(controllers, rotation: .seconds(4))
        try await harness.run { phone, lamp, _ in
            _ = try await lamp.advertise(Harness.lampProposal)
            var arrivals = lamp.incomingLinks.makeAsyncIterator()
            for _ in 0..<12 {
                let link = try await phone.connect(to: Harness.lamp.address)
                #expect(link.address == Harness.lamp.address)
                let arrived = try #require(await arrivals.next())
                #expect(arrived.address == Harness.phone.address)
                try await harness.air.sleep(for: .seconds(5))
                #expect(await phone.links.map(\.address) == [Harness.lamp.address])
                try await link.disconnect()
                _ = try await arrived.ended()
                try await harness.air.sleep(for: .seconds(3))
            }
        }
    }

    @Test(
        "A pending connection request succeeds when the peer arrives with any address",
        arguments: PrivateHostsHarness.Controllers.allCases
    )
    func pending(controllers: PrivateHostsHarness.Controllers) async throws {
        let harness = try Harness(controllers, rotation: .seconds(5))
        try await harness.run { phone, lamp, _ in
            async let link = phone.connect(to: Harness.lamp.address, options: .whenAvailable)
            try await harness.air.sleep(for: .seconds(61))
            _ = try await lamp.advertise(Harness.lampProposal)
            #expect(try await link.address == Harness.lamp.address)
        }
    }

    @Test(
        "A peer that does not use its private addresses is recognized",
        arguments: PrivateHostsHarness.Controllers.allCases
    )
    func notPrivate(controllers: PrivateHostsHarness.Controllers) async throws {
        let harness = try Harness(controllers, lampIsPrivate: false)
        try await harness.run { phone, lamp, _ in
            _ = try await lamp.advertise(Harness.lampProposal)
            let link = try await phone.connect(to: Harness.lamp.address)
            #expect(link.address == Harness.lamp.address)
        }
    }

    @Test("Links and discoveries continue while three busy hosts rotate addresses")
    func everything() async throws {
        let harness = try Harness(rotation: .seconds(3))
        try await harness.run { phone, lamp, unknownPeer in
            _ = try await lamp.advertise(Harness.lampProposal)
            _ = try await lamp.advertise(Advertising(AdvertisingContent(localName: "Second")))
            _ = try await phone.advertise(Advertising(AdvertisingContent(localName: "Phone")))
            let link = try await phone.connect(to: Harness.lamp.address)
            async let received = Self.count(phone, for: .seconds(120), harness.air) {
                $0.isIdentityResolved && $0.address == Harness.lamp.address
            }
            async let others = Self.count(unknownPeer, for: .seconds(120), harness.air) { _ in true
            }
            let counts = try await (received, others)
            #expect(counts.0 > 100 && counts.1 > 100)
            #expect(await phone.links.count == 1)
            try await link.disconnect()
        }
        // Sets that change together still have addresses of their own.
        #expect(harness.recorder.received.advertisers.count > 3 * 35)
    }

    /// Returns the number of discoveries that match during this time.
    private static func count(
        _ host: BluetoothHost,
        for duration: Duration,
        _ air: SimulatedAir,
        _ predicate: @Sendable @escaping (Advertisement) -> Bool
    ) async throws -> Int {
        let scan = Task(executorPreference: air.executor.taskExecutor) {
            var count = 0
            for try await found in host.scan(reportsDuplicates: true) where predicate(found) {
                count += 1
            }
            return count
        }
        try await air.sleep(for: duration)
        scan.cancel()
        return try await scan.value
    }
}
