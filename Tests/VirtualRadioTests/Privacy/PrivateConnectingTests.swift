// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// Connections between devices that know each other's identities and use private addresses (Vol 6,
/// Part B, 6.2 and 6.4).
@Suite struct PrivateConnectingTests {
    let room: PrivateRoom

    init() throws {
        room = try PrivateRoom()
    }

    @Test("A connection by identity uses the private addresses of both devices")
    func connectsByIdentity() throws {
        try room.advertise()
        try room.connect()
        room.world.run(for: .seconds(1))
        let request = try #require(room.connectionRequests.first)
        #expect(IdentityResolvingKey(room.phoneKey).resolves(request.initiator))
        #expect(IdentityResolvingKey(room.sensorKey).resolves(request.advertiser))

        let central = try #require(room.phone.connections.first)
        #expect(central.status == .success)
        #expect(central.role == .central)
        #expect(central.peerAddress == sensorIdentity)
        #expect(central.peerPrivateAddress == HCI.BareAddress(request.advertiser))
        #expect(central.localPrivateAddress == HCI.BareAddress(request.initiator))

        let peripheral = try #require(room.sensor.connections.first)
        #expect(peripheral.status == .success)
        #expect(peripheral.role == .peripheral)
        #expect(peripheral.peerAddress == phoneIdentity)
        #expect(peripheral.peerPrivateAddress == HCI.BareAddress(request.initiator))
        #expect(peripheral.localPrivateAddress == HCI.BareAddress(request.advertiser))
    }

    @Test("A link between private addresses lasts longer than the addresses")
    func lasts() throws {
        try room.advertise()
        try room.connect()
        room.world.run(for: .seconds(2000))
        #expect(room.phone.connections.count == 1)
        let isEnded = room.phone.events.contains { event in
            if case .disconnectionComplete = event { true } else { false }
        }
        #expect(!isEnded)
    }

    @Test("A request with the address type of an identity reaches the same device")
    func connectsByIdentityType() throws {
        try room.advertise()
        try room.connect(to: sensorIdentity)
        room.world.run(for: .seconds(1))
        #expect(room.phone.connections.first?.peerAddress == sensorIdentity)
    }

    @Test("An initiator with a private address for the peer needs no random address")
    func withoutRandomAddress() throws {
        let unknown = TestHost.create(
            HCI.PeerAddress(TestHost.unknownPeer),
            own: .resolvableOrRandom
        )
        #expect(try room.phone.status(unknown) == .invalidCommandParameters)
        try room.advertise()
        try room.connect(own: .resolvableOrRandom)
        room.world.run(for: .seconds(1))
        let central = try #require(room.phone.connections.first)
        let request = try #require(room.connectionRequests.first)
        #expect(central.status == .success && central.peerAddress == sensorIdentity)
        #expect(central.localPrivateAddress == HCI.BareAddress(request.initiator))
    }

    @Test("With the Filter Accept List, the initiator connects to a listed identity")
    func connectsByAcceptList() throws {
        let identity = HCI.PeerAddress(PrivateRoom.sensorIdentity)
        try room.phone.perform(HCI.LEAddDeviceToFilterAcceptList(address: identity))
        try room.unknownPeer.advertise()
        try room.advertise()
        try room.connect(.filterAcceptList, to: .none)
        #expect(try room.phone.status(HCI.LEClearFilterAcceptList()) == .commandDisallowed)
        room.world.run(for: .seconds(2))
        #expect(room.phone.connections.map(\.peerAddress) == [sensorIdentity])
        #expect(try room.phone.status(HCI.LEClearFilterAcceptList()) == .success)
    }

    @Test("An advertiser finds the identity of an initiator in its Filter Accept List")
    func acceptsIdentity() throws {
        let identity = HCI.PeerAddress(room.phoneIdentity)
        try room.sensor.perform(HCI.LEAddDeviceToFilterAcceptList(address: identity))
        try room.advertise(policy: .connectFiltered)
        try room.connect()
        room.world.run(for: .seconds(2))
        #expect(room.sensor.connections.map(\.peerAddress) == [phoneIdentity])
    }

    @Test("An initiator outside the Filter Accept List gets no connection")
    func refusesOthers() throws {
        try room.advertise(policy: .connectFiltered)
        try room.connect()
        room.world.run(for: .seconds(2))
        #expect(room.sensor.connections.isEmpty)
        #expect(room.phone.connections.allSatisfy { $0.status == .success })
        let reasons = room.phone.disconnections.map(\.reason)
        #expect(reasons == [.connectionFailedToBeEstablished])
    }

    @Test("In network privacy mode, an initiator with its identity address is refused")
    func refusesBareInitiator() throws {
        try room.advertise()
        try room.connect(own: .public)
        room.world.run(for: .seconds(2))
        #expect(room.sensor.connections.isEmpty)
        #expect(room.connectionRequests.map(\.initiator) == [room.phoneIdentity])
        #expect(room.phone.disconnections.count == 1)
    }

    @Test("In device privacy mode, an initiator with its identity address is accepted")
    func acceptsBareInitiator() throws {
        try room.sensor.perform(
            HCI.LESetPrivacyMode(
                peerIdentity: HCI.PeerAddress(room.phoneIdentity),
                mode: .device
            )
        )
        try room.advertise()
        try room.connect(own: .public)
        room.world.run(for: .seconds(2))
        let peripheral = try #require(room.sensor.connections.first)
        #expect(peripheral.peerAddress == HCI.PeerAddress(room.phoneIdentity))
        #expect(peripheral.peerPrivateAddress.value == 0)
    }

    @Test("In network privacy mode, an initiator ignores an advertiser's identity address")
    func refusesBareAdvertiser() throws {
        try room.advertise(own: .random)
        try room.connect()
        room.world.run(for: .seconds(5))
        #expect(room.connectionRequests.isEmpty)
        #expect(room.phone.connections.isEmpty)
    }

    @Test("During initiating, the resolution settings cannot change")
    func holdsTheList() throws {
        try room.connect()
        #expect(try room.phone.status(HCI.LEClearResolvingList()) == .commandDisallowed)
        let switching = HCI.LESetAddressResolutionEnable(isEnabled: false)
        #expect(try room.phone.status(switching) == .commandDisallowed)
        try room.phone.perform(HCI.LECreateConnectionCancel())
        #expect(try room.phone.status(switching) == .success)
    }

    @Test("Directed advertising has two private addresses, and only the target reports it")
    func directed() throws {
        try room.advertise(.directedLowDutyCycle)
        try room.phone.scan(policy: .unfiltered)
        try room.unknownPeer.scan(policy: .unfiltered)
        room.world.run(for: .seconds(2))
        let packet = try #require(room.sniffer.packets.compactMap(\.legacy).first)
        let target = try #require(packet.target)
        #expect(IdentityResolvingKey(room.sensorKey).resolves(packet.advertiser))
        #expect(IdentityResolvingKey(room.phoneKey).resolves(target))
        #expect(room.phone.reports.count > 10)
        #expect(room.phone.reports.allSatisfy { $0.address == sensorIdentity })
        #expect(room.phone.reports.allSatisfy { $0.type == .connectableDirected })
        #expect(room.unknownPeer.reports.isEmpty)
    }

    @Test("The target of directed advertising connects")
    func directedConnects() throws {
        try room.advertise(.directedLowDutyCycle)
        try room.connect()
        room.world.run(for: .seconds(1))
        #expect(room.phone.connections.map(\.peerAddress) == [sensorIdentity])
        #expect(room.sensor.connections.map(\.peerAddress) == [phoneIdentity])
    }

    @Test(
        "The target answers with its own private address, even if its host chose another",
        arguments: [HCI.OwnAddressType.resolvableOrPublic, .public]
    )
    func directedAnswer(_ own: HCI.OwnAddressType) throws {
        try room.advertise(.directedLowDutyCycle)
        try room.connect(own: own)
        room.world.run(for: .seconds(1))
        let request = try #require(room.connectionRequests.first)
        let target = room.sniffer.packets.compactMap(\.legacy?.target).first
        #expect(IdentityResolvingKey(room.phoneKey).resolves(request.initiator))
        #expect(request.initiator != target)
        #expect(room.sensor.connections.map(\.peerAddress) == [phoneIdentity])
    }

    @Test("The first version of LE Connection Complete also has the identity")
    func firstForm() throws {
        let later: HCI.LEEventMask = [.enhancedConnectionComplete, .enhancedConnectionCompleteV2]
        let mask = HCI.LEEventMask(rawValue: .max).subtracting(later)
        try room.phone.perform(HCI.LESetEventMask(mask: mask))
        try room.advertise()
        try room.connect()
        room.world.run(for: .seconds(1))
        let peers = room.phone.events.compactMap { event -> HCI.PeerAddress? in
            if case .connectionComplete(let event) = event { event.peerAddress } else { nil }
        }
        #expect(peers == [HCI.PeerAddress(PrivateRoom.sensorIdentity)])
    }

    @Test("The target of high duty cycle directed advertising connects")
    func highDutyCycle() throws {
        try room.advertise(.directedHighDutyCycle)
        try room.connect()
        room.world.run(for: .seconds(1))
        #expect(room.phone.connections.map(\.peerAddress) == [sensorIdentity])
        #expect(room.sensor.connections.map(\.peerAddress) == [phoneIdentity])
    }

    @Test("A target that is not resolved is reported under the extended unfiltered policy")
    func unresolvedTargets() throws {
        try room.advertise(.directedLowDutyCycle)
        try room.unknownPeer.scan(policy: .unfilteredExtended)
        room.world.run(for: .seconds(2))
        let packet = try #require(room.sniffer.packets.compactMap(\.legacy).first)
        let reports = room.unknownPeer.directedReports
        #expect(reports.count > 10)
        #expect(reports.allSatisfy { $0.address.value == packet.advertiser.value })
        #expect(reports.allSatisfy { $0.target.value == packet.target?.value })
    }

    @Test("The same seed leads to the same packets, and another seed to other packets")
    func followsFromSeed() throws {
        let traces = try [UInt64(5), 5, 6].map { seed in
            let room = try PrivateRoom(seed: seed)
            try room.sensor.setTimeout(1)
            try room.advertise()
            try room.phone.scan(policy: .unfiltered)
            room.world.run(for: .seconds(20))
            return room.sniffer.packets.map { "\($0.start) \(String(describing: $0.legacy))" }
        }
        #expect(traces[0] == traces[1])
        #expect(traces[0] != traces[2])
    }

    private var sensorIdentity: HCI.PeerAddress {
        HCI.PeerAddress(type: .randomIdentity, value: PrivateRoom.sensorIdentity.value)
    }

    private var phoneIdentity: HCI.PeerAddress {
        HCI.PeerAddress(type: .publicIdentity, value: room.phoneIdentity.value)
    }
}

extension TestHost {
    /// The disconnections.
    fileprivate var disconnections: [HCI.DisconnectionComplete] {
        events.compactMap { event in
            if case .disconnectionComplete(let event) = event { event } else { nil }
        }
    }
}
