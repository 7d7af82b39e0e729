// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothTypes
import Testing
import VirtualAdapters

@testable import BluetoothHost

/// Directed advertising from the lamp to the bonded phone. Both addresses in its packets are
/// private: the lamp's controller makes them, and the phone's controller resolves them. No packet
/// contains the identity address of a private host (`PrivateHostsHarness.run`).
@Suite("Directed advertising between private addresses, in virtual time")
struct DirectedPrivacyTests {
    private typealias Harness = PrivateHostsHarness

    /// The advertisement of the lamp to the phone, with private addresses of both.
    private static var directed: Advertising {
        var directed = Advertising(kind: .directed(Harness.phone.address, .low))
        directed.address = .ofBond
        return directed
    }

    @Test("GAP/CONN/ACEP/BV-03-C: A pending connection request accepts directed advertising")
    func pending() async throws {
        let harness = try Harness()
        try await harness.run { phone, lamp, _ in
            async let link = phone.connect(to: Harness.lamp.address, options: .whenAvailable)
            try await harness.air.sleep(for: .seconds(3))
            let set = try await lamp.advertise(Self.directed)
            #expect(try await link.address == Harness.lamp.address)
            #expect(try await set.ended() == .connected)
        }
    }

    @Test("GAP/CONN/GCEP/BV-05-C: A scan reports directed advertising with the identity address")
    func discovered() async throws {
        let harness = try Harness()
        try await harness.run { phone, lamp, _ in
            _ = try await lamp.advertise(Self.directed)
            let found = try await BroadcastTests.receive(phone) { $0.isDirected }
            #expect(found.address == Harness.lamp.address && found.isIdentityResolved)
            let link = try await phone.connect(to: found.address)
            #expect(link.address == Harness.lamp.address)
        }
    }

    @Test("GAP/CONN/DCEP/BV-05-C: A direct connection request accepts directed advertising")
    func direct() async throws {
        let harness = try Harness()
        try await harness.run { phone, lamp, _ in
            _ = try await lamp.advertise(Self.directed)
            let link = try await phone.connect(to: Harness.lamp.address)
            #expect(link.address == Harness.lamp.address)
            #expect(try await link.role == .central)
        }
    }

    @Test("GAP/CONN/DCON/BV-04-C: A peripheral directs advertising at a central that resolves it")
    func directing() async throws {
        let harness = try Harness()
        try await harness.run { phone, lamp, _ in
            let first = try await lamp.advertise(Harness.lampProposal)
            let link = try await phone.connect(to: Harness.lamp.address)
            let toPhone = try #require(await lamp.links.first)
            let answer = try await toPhone.read(uuid: BluetoothUUID(0x2AA6))
            #expect(answer.map(\.value) == [[1]])
            try await link.disconnect()
            _ = try await toPhone.ended()
            await first.stop()
            let set = try await lamp.advertise(Self.directed)
            let again = try await phone.connect(to: Harness.lamp.address)
            #expect(again.address == Harness.lamp.address)
            #expect(try await set.ended() == .connected)
            let arrived = try #require(await lamp.links.first)
            #expect(arrived.address == Harness.phone.address)
        }
    }

    @Test(
        "GAP/CONN/DCON/BV-05-C: Advertising is not directed at a central without resolution",
        arguments: [PrivateHostsHarness.Controllers.extendedWithoutList, .legacyWithoutList]
    )
    func notDirecting(controllers: PrivateHostsHarness.Controllers) async throws {
        let harness = try Harness(controllers)
        try await harness.run { phone, lamp, _ in
            let first = try await lamp.advertise(Harness.lampProposal)
            _ = try await phone.connect(to: Harness.lamp.address)
            let toPhone = try #require(await lamp.links.first)
            let answer = try await toPhone.read(uuid: BluetoothUUID(0x2AA6))
            #expect(answer.map(\.value) == [[0]])
            await first.stop()
            await #expect(throws: AdvertisingError.unsupported("private addresses of a bond")) {
                try await lamp.advertise(Self.directed)
            }
        }
    }

    @Test(
        "GAP/GAT/BV-18-C: A private host states whether its controller resolves addresses",
        arguments: PrivateHostsHarness.Controllers.allCases
    )
    func stated(controllers: PrivateHostsHarness.Controllers) async throws {
        let harness = try Harness(controllers)
        try await harness.run { phone, lamp, _ in
            _ = try await lamp.advertise(Harness.lampProposal)
            _ = try await phone.connect(to: Harness.lamp.address)
            let toPhone = try #require(await lamp.links.first)
            let values = try await toPhone.read(uuid: BluetoothUUID(0x2AA6))
            #expect(values.map(\.value) == [[controllers == .extended ? 1 : 0]])
        }
    }

    @Test("A host without private addresses does not state whether it resolves addresses")
    func notStated() async throws {
        let harness = try Harness(lampIsPrivate: false)
        try await harness.run { phone, lamp, _ in
            _ = try await lamp.advertise(Harness.lampProposal)
            let toLamp = try await phone.connect(to: Harness.lamp.address)
            await #expect(throws: (any Error).self) {
                try await toLamp.read(uuid: BluetoothUUID(0x2AA6))
            }
        }
    }
}
