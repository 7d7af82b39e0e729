// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// Connections between devices that know each other's identities and use private addresses (Vol 6,
/// Part B, 6.2 and 6.4).
@Suite struct PrivateConnectingTests {
    let fixture: PrivacyFixture

    init() throws {
        fixture = try PrivacyFixture()
    }

    @Test("A connection by identity uses the private addresses of both devices")
    func connectsByIdentity() throws {
        try fixture.advertise()
        try fixture.connect()
        fixture.world.run(for: .seconds(1))
        let request = try #require(fixture.connectionRequests.first)
        #expect(IdentityResolvingKey(fixture.phoneKey).resolves(request.initiator))
        #expect(IdentityResolvingKey(fixture.sensorKey).resolves(request.advertiser))

        let central = try #require(fixture.phone.connections.first)
        #expect(central.status == .success)
        #expect(central.role == .central)
        #expect(central.peerAddress == sensorIdentity)
        #expect(central.peerPrivateAddress == HCI.BareAddress(request.advertiser))
        #expect(central.localPrivateAddress == HCI.BareAddress(request.initiator))

        let peripheral = try #require(fixture.sensor.connections.first)
        #expect(peripheral.status == .success)
        #expect(peripheral.role == .peripheral)
        #expect(peripheral.peerAddress == phoneIdentity)
        #expect(peripheral.peerPrivateAddress == HCI.BareAddress(request.initiator))
        #expect(peripheral.localPrivateAddress == HCI.BareAddress(request.advertiser))
    }

    @Test("A link between private addresses lasts longer than the addresses")
    func lasts() throws {
        try fixture.advertise()
        try fixture.connect()
        fixture.world.run(for: .seconds(2000))
        #expect(fixture.phone.connections.count == 1)
        let isEnded = fixture.phone.events.contains { event in
            if case .disconnectionComplete = event { true } else { false }
        }
        #expect(!isEnded)
    }

    @Test("A request with the address type of an identity reaches the same device")
    func connectsByIdentityType() throws {
        try fixture.advertise()
        try fixture.connect(to: sensorIdentity)
        fixture.world.run(for: .seconds(1))
        #expect(fixture.phone.connections.first?.peerAddress == sensorIdentity)
    }

    @Test("An initiator with a private address for the peer needs no random address")
    func withoutRandomAddress() throws {
        let unknown = TestHost.create(
            HCI.PeerAddress(TestHost.unknownPeer),
            own: .resolvableOrRandom
        )
        #expect(try fixture.phone.status(unknown) == .invalidCommandParameters)
        try fixture.advertise()
        try fixture.connect(own: .resolvableOrRandom)
        fixture.world.run(for: .seconds(1))
        let central = try #require(fixture.phone.connections.first)
        let request = try #require(fixture.connectionRequests.first)
        #expect(central.status == .success && central.peerAddress == sensorIdentity)
        #expect(central.localPrivateAddress == HCI.BareAddress(request.initiator))
    }

    @Test("With the Filter Accept List, the initiator connects to a listed identity")
    func connectsByAcceptList() throws {
        let identity = HCI.PeerAddress(PrivacyFixture.sensorIdentity)
        try fixture.phone.perform(HCI.LEAddDeviceToFilterAcceptList(address: identity))
        try fixture.unknownPeer.advertise()
        try fixture.advertise()
        try fixture.connect(.filterAcceptList, to: .none)
        #expect(try fixture.phone.status(HCI.LEClearFilterAcceptList()) == .commandDisallowed)
        fixture.world.run(for: .seconds(2))
        #expect(fixture.phone.connections.map(\.peerAddress) == [sensorIdentity])
        #expect(try fixture.phone.status(HCI.LEClearFilterAcceptList()) == .success)
    }

    @Test("An advertiser finds the identity of an initiator in its Filter Accept List")
    func acceptsIdentity() throws {
        let identity = HCI.PeerAddress(fixture.phoneIdentity)
        try fixture.sensor.perform(HCI.LEAddDeviceToFilterAcceptList(address: identity))
        try fixture.advertise(policy: .connectFiltered)
        try fixture.connect()
        fixture.world.run(for: .seconds(2))
        #expect(fixture.sensor.connections.map(\.peerAddress) == [phoneIdentity])
    }

    @Test("An initiator outside the Filter Accept List gets no connection")
    func refusesOthers() throws {
        try fixture.advertise(policy: .connectFiltered)
        try fixture.connect()
        fixture.world.run(for: .seconds(2))
        #expect(fixture.sensor.connections.isEmpty)
        #expect(fixture.phone.connections.allSatisfy { $0.status == .success })
        let reasons = fixture.phone.disconnections.map(\.reason)
        #expect(reasons == [.connectionFailedToBeEstablished])
    }

    @Test("In network privacy mode, an initiator with its identity address is refused")
    func refusesBareInitiator() throws {
        try fixture.advertise()
        try fixture.connect(own: .public)
        fixture.world.run(for: .seconds(2))
        #expect(fixture.sensor.connections.isEmpty)
        #expect(fixture.connectionRequests.map(\.initiator) == [fixture.phoneIdentity])
        #expect(fixture.phone.disconnections.count == 1)
    }

    @Test("In device privacy mode, an initiator with its identity address is accepted")
    func acceptsBareInitiator() throws {
        try fixture.sensor.perform(
            HCI.LESetPrivacyMode(
                peerIdentity: HCI.PeerAddress(fixture.phoneIdentity),
                mode: .device
            )
        )
        try fixture.advertise()
        try fixture.connect(own: .public)
        fixture.world.run(for: .seconds(2))
        let peripheral = try #require(fixture.sensor.connections.first)
        #expect(peripheral.peerAddress == HCI.PeerAddress(fixture.phoneIdentity))
        #expect(peripheral.peerPrivateAddress.value == 0)
    }

    @Test("In network privacy mode, an initiator ignores an advertiser's identity address")
    func refusesBareAdvertiser() throws {
        try fixture.advertise(own: .random)
        try fixture.connect()
        fixture.world.run(for: .seconds(5))
        #expect(fixture.connectionRequests.isEmpty)
        #expect(fixture.phone.connections.isEmpty)
    }

    @Test("During initiating, the resolution settings cannot change")
    func holdsTheList() throws {
        try fixture.connect()
        #expect(try fixture.phone.status(HCI.LEClearResolvingList()) == .commandDisallowed)
        let switching = HCI.LESetAddressResolutionEnable(isEnabled: false)
        #expect(try fixture.phone.status(switching) == .commandDisallowed)
        try fixture.phone.perform(HCI.LECreateConnectionCancel())
        #expect(try fixture.phone.status(switching) == .success)
    }

    @Test("Directed advertising has two private addresses, and only the target reports it")
    func directed() throws {
        try fixture.advertise(.directedLowDutyCycle)
        try fixture.phone.scan(policy: .unfiltered)
        try fixture.unknownPeer.scan(policy: .unfiltered)
        fixture.world.run(for: .seconds(2))
        let packet = try #require(fixture.sniffer.packets.compactMap(\.legacy).first)
        let target = try #require(packet.target)
        #expect(IdentityResolvingKey(fixture.sensorKey).resolves(packet.advertiser))
        #expect(IdentityResolvingKey(fixture.phoneKey).resolves(target))
        #expect(fixture.phone.reports.count > 10)
        #expect(fixture.phone.reports.allSatisfy { $0.address == sensorIdentity })
        #expect(fixture.phone.reports.allSatisfy { $0.type == .connectableDirected })
        #expect(fixture.unknownPeer.reports.isEmpty)
    }

    @Test("The target of directed advertising connects")
    func directedConnects() throws {
        try fixture.advertise(.directedLowDutyCycle)
        try fixture.connect()
        fixture.world.run(for: .seconds(1))
        #expect(fixture.phone.connections.map(\.peerAddress) == [sensorIdentity])
        #expect(fixture.sensor.connections.map(\.peerAddress) == [phoneIdentity])
    }

    @Test(
        "The target answers with its own private address, even if its host chose another",
        arguments: [HCI.OwnAddressType.resolvableOrPublic, .public]
    )
    func directedAnswer(_ own: HCI.OwnAddressType) throws {
        try fixture.advertise(.directedLowDutyCycle)
        try fixture.connect(own: own)
        fixture.world.run(for: .seconds(1))
        let request = try #require(fixture.connectionRequests.first)
        let target = fixture.sniffer.packets.compactMap(\.legacy?.target).first
        #expect(IdentityResolvingKey(fixture.phoneKey).resolves(request.initiator))
        #expect(request.initiator != target)
        #expect(fixture.sensor.connections.map(\.peerAddress) == [phoneIdentity])
    }

    @Test("The first version of LE Connection Complete also has the identity")
    func firstForm() throws {
        let later: HCI.LEEventMask = [.enhancedConnectionComplete, .enhancedConnectionCompleteV2]
        let mask = HCI.LEEventMask(rawValue: .max).subtracting(later)
        try fixture.phone.perform(HCI.LESetEventMask(mask: mask))
        try fixture.advertise()
        try fixture.connect()
        fixture.world.run(for: .seconds(1))
        let peers = fixture.phone.events.compactMap { event -> HCI.PeerAddress? in
            if case .connectionComplete(let event) = event { event.peerAddress } else { nil }
        }
        #expect(peers == [HCI.PeerAddress(PrivacyFixture.sensorIdentity)])
    }

    @Test("The target of high duty cycle directed advertising connects")
    func highDutyCycle() throws {
        try fixture.advertise(.directedHighDutyCycle)
        try fixture.connect()
        fixture.world.run(for: .seconds(1))
        #expect(fixture.phone.connections.map(\.peerAddress) == [sensorIdentity])
        #expect(fixture.sensor.connections.map(\.peerAddress) == [phoneIdentity])
    }

    @Test("A target that is not resolved is reported under the extended unfiltered policy")
    func unresolvedTargets() throws {
        try fixture.advertise(.directedLowDutyCycle)
        try fixture.unknownPeer.scan(policy: .unfilteredExtended)
        fixture.world.run(for: .seconds(2))
        let packet = try #require(fixture.sniffer.packets.compactMap(\.legacy).first)
        let reports = fixture.unknownPeer.directedReports
        #expect(reports.count > 10)
        #expect(reports.allSatisfy { $0.address.value == packet.advertiser.value })
        #expect(reports.allSatisfy { $0.target.value == packet.target?.value })
    }

    @Test("The same seed leads to the same packets, and another seed to other packets")
    func followsFromSeed() throws {
        let traces = try [UInt64(5), 5, 6].map { seed in
            let fixture = try PrivacyFixture(seed: seed)
            try fixture.sensor.setTimeout(1)
            try fixture.advertise()
            try fixture.phone.scan(policy: .unfiltered)
            fixture.world.run(for: .seconds(20))
            return fixture.sniffer.packets.map { "\($0.start) \(String(describing: $0.legacy))" }
        }
        #expect(traces[0] == traces[1])
        #expect(traces[0] != traces[2])
    }

    private var sensorIdentity: HCI.PeerAddress {
        HCI.PeerAddress(type: .randomIdentity, value: PrivacyFixture.sensorIdentity.value)
    }

    private var phoneIdentity: HCI.PeerAddress {
        HCI.PeerAddress(type: .publicIdentity, value: fixture.phoneIdentity.value)
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
