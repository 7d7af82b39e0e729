// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("An advertiser with private addresses")
struct PrivateAdvertiserTests {
    let world = World(seed: 17)
    let host: TestHost
    let sniffer: Sniffer
    let knownPeer = DeviceAddress(value: 0xC000_5E00_0003, kind: .random)

    init() throws {
        host = try TestHost(world)
        sniffer = Sniffer(world)
        try host.unmaskEverything()
        try host.perform(
            HCI.LEAddDeviceToResolvingList(
                peerIdentity: HCI.PeerAddress(knownPeer),
                peerKey: try #require(HCI.Key128([UInt8](repeating: 3, count: 16))),
                localKey: try #require(HCI.Key128([UInt8](repeating: 5, count: 16)))
            )
        )
        try host.perform(HCI.LESetAddressResolutionEnable(isEnabled: true))
    }

    @Test("With an entry for the peer, the own address is resolvable and private")
    func ownAddress() throws {
        try host.advertise(.connectableUndirected, own: .resolvableOrPublic, peer: knownPeer)
        world.run(for: .seconds(1))
        let addresses = Set(sniffer.packets.compactMap(\.legacy?.advertiser))
        #expect(addresses.count == 1)
        #expect(addresses.allSatisfy { $0.randomKind == .resolvablePrivate })
    }

    @Test("Without an entry, the own address is public")
    func fallback() throws {
        try host.advertise(.connectableUndirected, own: .resolvableOrPublic)
        world.run(for: .seconds(1))
        let addresses = Set(sniffer.packets.compactMap(\.legacy?.advertiser))
        #expect(addresses.count == 1 && addresses.allSatisfy { $0.kind == .public })
    }

    @Test("The own address changes after each timeout, and the events continue")
    func rotation() throws {
        try host.perform(
            HCI.LESetResolvablePrivateAddressTimeout(timeout: HCI.AddressTimeout(rawValue: 10))
        )
        try host.advertise(.connectableUndirected, own: .resolvableOrPublic, peer: knownPeer)
        world.run(for: .seconds(100))
        let addresses = Set(sniffer.packets.compactMap(\.legacy?.advertiser))
        #expect((9...12).contains(addresses.count))
        #expect((930...960).contains(sniffer.events.count))
        for event in sniffer.events {
            #expect(Set(event.compactMap(\.legacy?.advertiser)).count == 1)
        }
    }

    @Test("Directed advertising has a resolvable private address of its target")
    func target() throws {
        try host.advertise(.directedLowDutyCycle, own: .resolvableOrPublic, peer: knownPeer)
        world.run(for: .seconds(1))
        let targets = Set(sniffer.packets.compactMap(\.legacy?.target))
        #expect(targets.count == 1 && targets != [knownPeer])
        #expect(targets.allSatisfy { $0.randomKind == .resolvablePrivate })
    }

    @Test("A target that connects with its private address is reported with its identity")
    func connection() throws {
        let requester = try RequestingRadio(world, sniffer)
        try host.advertise(.directedLowDutyCycle, own: .resolvableOrPublic, peer: knownPeer)
        world.run(for: .seconds(1))
        let advertisement = try #require(sniffer.packets.last?.legacy)
        requester.address = try #require(advertisement.target)
        try requester.requestConnection()
        guard case .enhancedConnectionCompleteV2(let event) = host.events.first else {
            Issue.record("No Connection Complete: \(host.events)")
            return
        }
        #expect(event.connection.peerAddress.isIdentity)
        #expect(event.connection.peerAddress.value == knownPeer.value)
        #expect(event.connection.peerPrivateAddress.value == requester.address.value)
        #expect(event.connection.localPrivateAddress.value == advertisement.advertiser.value)
    }

    @Test("In network privacy mode, a device that uses its identity address gets no answer")
    func refused() throws {
        let requester = try RequestingRadio(world, sniffer)
        try host.advertise(.connectableUndirected, own: .public, response: [1, 1])
        requester.address = knownPeer
        #expect(try requester.requestScan() == nil)
        try requester.requestConnection()
        #expect(host.events.isEmpty)
        requester.address = TestHost.unknownPeer
        #expect(try requester.requestScan() != nil)
    }
}
