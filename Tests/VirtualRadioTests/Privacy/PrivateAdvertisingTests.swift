// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// Private addresses on the air, and the reports of scanners. The named test cases are from the
/// section SCN of the official suite.
@Suite struct PrivateAdvertisingTests {
    let fixture: PrivacyFixture

    init() throws {
        fixture = try PrivacyFixture()
    }

    @Test("The advertiser uses a private address and not its identity")
    func hidesIdentity() throws {
        try fixture.advertise()
        fixture.world.run(for: .seconds(10))
        let address = try #require(fixture.advertisers.first)
        #expect(fixture.advertisers == [address])
        #expect(IdentityResolvingKey(fixture.sensorKey).resolves(address))
    }

    @Test("Without resolution, the advertiser still uses a private address")
    func advertisesWhileOff() throws {
        try fixture.sensor.setResolution(false)
        try fixture.advertise()
        fixture.world.run(for: .seconds(1))
        let address = try #require(fixture.advertisers.first)
        #expect(IdentityResolvingKey(fixture.sensorKey).resolves(address))
    }

    @Test("The address changes after its timeout")
    func rotates() throws {
        try fixture.sensor.setTimeout(60)
        try fixture.advertise()
        fixture.world.run(for: .seconds(301))
        let addresses = fixture.advertisers
        #expect(addresses.count == 6)
        #expect(Set(addresses).count == 6)
        let key = IdentityResolvingKey(fixture.sensorKey)
        #expect(addresses.allSatisfy { key.resolves($0) })
    }

    @Test("All packets of one advertising event have the same address")
    func oneAddressPerEvent() throws {
        try fixture.sensor.setTimeout(1)
        try fixture.advertise()
        fixture.world.run(for: .seconds(60))
        for event in fixture.sniffer.events {
            #expect(Set(event.compactMap(\.legacy?.advertiser)).count == 1)
        }
        #expect(fixture.advertisers.count > 50)
    }

    @Test("The first event after the timeout has a new address")
    func rotatesAtTheSecond() throws {
        try fixture.sensor.setTimeout(10)
        try fixture.advertise()
        fixture.world.run(for: .seconds(30))
        let old = try #require(fixture.advertisers.first)
        let starts = fixture.sniffer.packets
            .filter { $0.legacy?.advertiser == old }.map(\.start)
        let end = Instant.zero + .seconds(10)
        let last = try #require(starts.last)
        // An event takes a few milliseconds, and events are a tenth of a second apart.
        #expect(last <= end + .milliseconds(5))
        #expect(end - last < .milliseconds(120))
    }

    @Test("A scanner with the key reports the identity for all private addresses")
    func reportsIdentity() throws {
        try fixture.sensor.setTimeout(1)
        try fixture.advertise()
        try fixture.phone.scan(policy: .unfiltered)
        fixture.world.run(for: .seconds(10))
        let identity = HCI.PeerAddress(
            type: .randomIdentity,
            value: PrivacyFixture.sensorIdentity.value
        )
        #expect(fixture.phone.reports.count > 50)
        #expect(fixture.phone.reports.allSatisfy { $0.address == identity })
    }

    @Test("The host may read the private address of the last packet from a peer")
    func readsPeerAddress() throws {
        try fixture.sensor.setTimeout(1)
        try fixture.advertise()
        try fixture.phone.scan()
        for _ in 0..<5 {
            fixture.world.run(for: .milliseconds(1300))
            let identity = HCI.PeerAddress(PrivacyFixture.sensorIdentity)
            let address = try fixture.phone.perform(
                HCI.LEReadPeerResolvableAddress(peerIdentity: identity)
            ).address
            #expect(address == (try HCI.BareAddress(fixture.sensorAddress)))
        }
    }

    @Test("A public identity is reported as public")
    func reportsPublicIdentity() throws {
        try fixture.phone.advertise(own: .resolvableOrPublic, peer: PrivacyFixture.sensorIdentity)
        try fixture.sensor.scan(policy: .unfiltered)
        fixture.world.run(for: .seconds(3))
        let identity = HCI.PeerAddress(type: .publicIdentity, value: fixture.phoneIdentity.value)
        #expect(fixture.sensor.reports.count > 10)
        #expect(fixture.sensor.reports.allSatisfy { $0.address == identity })
    }

    @Test("A scanner without the key reports each address as a new device")
    func reportsAddresses() throws {
        try fixture.sensor.setTimeout(1)
        try fixture.advertise()
        try fixture.unknownPeer.scan(policy: .unfiltered)
        fixture.world.run(for: .seconds(10))
        let addresses = Set(fixture.unknownPeer.reports.map(\.address))
        #expect(addresses.count >= 9)
        #expect(addresses.allSatisfy { $0.type == .random })
    }

    @Test("A duplicate filter compares identities and not addresses")
    func filtersDuplicatesByIdentity() throws {
        try fixture.sensor.setTimeout(1)
        try fixture.advertise()
        for host in [fixture.phone, fixture.unknownPeer] {
            try host.scan(policy: .unfiltered)
            try host.stopScan()
            try host.perform(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: true))
            host.forget()
        }
        fixture.world.run(for: .seconds(10))
        #expect(fixture.phone.reports.count == 1)
        #expect(fixture.unknownPeer.reports.count >= 9)
    }

    @Test("LL/DDI/SCN/BV-26-C: In network privacy mode, an identity address is not reported")
    func networkMode() throws {
        try fixture.advertise(own: .random)
        try fixture.phone.scan(policy: .unfiltered)
        try fixture.unknownPeer.scan(policy: .unfiltered)
        fixture.world.run(for: .seconds(5))
        #expect(fixture.phone.reports.isEmpty)
        let address = HCI.PeerAddress(PrivacyFixture.sensorIdentity)
        #expect(fixture.unknownPeer.reports.count > 30)
        #expect(fixture.unknownPeer.reports.allSatisfy { $0.address == address })
    }

    @Test("LL/DDI/SCN/BV-28-C: In device privacy mode, an identity address is reported")
    func deviceMode() throws {
        try fixture.phone.perform(
            HCI.LESetPrivacyMode(
                peerIdentity: HCI.PeerAddress(PrivacyFixture.sensorIdentity),
                mode: .device
            )
        )
        try fixture.advertise(own: .random)
        try fixture.phone.scan(policy: .unfiltered)
        fixture.world.run(for: .seconds(5))
        let address = HCI.PeerAddress(PrivacyFixture.sensorIdentity)
        #expect(fixture.phone.reports.count > 30)
        #expect(fixture.phone.reports.allSatisfy { $0.address == address })
    }

    @Test("Without resolution, the address on the air is reported")
    func resolutionOff() throws {
        try fixture.phone.setResolution(false)
        try fixture.advertise()
        try fixture.phone.scan(policy: .unfiltered)
        fixture.world.run(for: .seconds(2))
        let address = try #require(fixture.advertisers.first)
        #expect(fixture.phone.reports.count > 10)
        #expect(fixture.phone.reports.allSatisfy { $0.address == HCI.PeerAddress(address) })
    }

    @Test("An identity in the Filter Accept List includes the private addresses of the device")
    func acceptsIdentities() throws {
        try fixture.sensor.setTimeout(1)
        let identity = HCI.PeerAddress(PrivacyFixture.sensorIdentity)
        try fixture.phone.perform(HCI.LEAddDeviceToFilterAcceptList(address: identity))
        try fixture.unknownPeer.perform(HCI.LEAddDeviceToFilterAcceptList(address: identity))
        try fixture.advertise()
        try fixture.phone.scan(policy: .filterAcceptList)
        try fixture.unknownPeer.scan(policy: .filterAcceptList)
        fixture.world.run(for: .seconds(5))
        #expect(fixture.phone.reports.count > 30)
        #expect(fixture.unknownPeer.reports.isEmpty)
    }

    @Test("A device outside the Filter Accept List is not reported, even if its identity is known")
    func refusesOthers() throws {
        let other = HCI.PeerAddress(TestHost.unknownPeer)
        try fixture.phone.perform(HCI.LEAddDeviceToFilterAcceptList(address: other))
        try fixture.advertise()
        try fixture.phone.scan(policy: .filterAcceptList)
        fixture.world.run(for: .seconds(5))
        #expect(fixture.phone.reports.isEmpty)
    }

    @Test("During advertising, the resolution settings cannot change")
    func holdsTheList() throws {
        try fixture.advertise()
        let key = try HCI.Key128.repeating(3)
        let adding = HCI.LEAddDeviceToResolvingList(
            peerIdentity: HCI.PeerAddress(TestHost.unknownPeer),
            peerKey: key,
            localKey: key
        )
        #expect(try fixture.sensor.status(adding) == .commandDisallowed)
        #expect(try fixture.sensor.status(HCI.LEClearResolvingList()) == .commandDisallowed)
        let switching = HCI.LESetAddressResolutionEnable(isEnabled: false)
        #expect(try fixture.sensor.status(switching) == .commandDisallowed)
        try fixture.sensor.perform(HCI.LESetAdvertisingEnable(isEnabled: false))
        #expect(try fixture.sensor.status(adding) == .success)
    }

    @Test(
        "Advertising that uses the Filter Accept List locks the list",
        arguments: [
            (HCI.AdvertisingFilterPolicy.unfiltered, false), (.scanFiltered, true),
            (.connectFiltered, true), (.filtered, true),
        ]
    )
    func holdsTheAcceptList(_ policy: HCI.AdvertisingFilterPolicy, _ isHeld: Bool) throws {
        try fixture.advertise(policy: policy)
        let clearing = HCI.LEClearFilterAcceptList()
        #expect(try fixture.sensor.status(clearing) == (isHeld ? .commandDisallowed : .success))
        try fixture.sensor.perform(HCI.LESetAdvertisingEnable(isEnabled: false))
        #expect(try fixture.sensor.status(clearing) == .success)
    }
}

/// Scan requests between devices that can resolve each other.
@Suite struct PrivateScanRequestTests {
    let fixture: PrivacyFixture

    init() throws {
        fixture = try PrivacyFixture()
    }

    @Test("A scanner sends its requests from a private address that the advertiser can resolve")
    func asksPrivately() throws {
        try fixture.advertise(.scannable)
        try fixture.phone.scan(.active, own: .resolvableOrPublic)
        fixture.world.run(for: .seconds(2))
        let request = try #require(requests.first)
        #expect(IdentityResolvingKey(fixture.phoneKey).resolves(request.scanner))
        #expect(IdentityResolvingKey(fixture.sensorKey).resolves(request.advertiser))
        #expect(fixture.phone.reports.contains { $0.type == .scanResponse })
    }

    @Test("In network privacy mode, a scanner with its identity address gets no response")
    func refusesBareScanner() throws {
        try fixture.advertise(.scannable)
        try fixture.phone.scan(.active, own: .public)
        fixture.world.run(for: .seconds(5))
        #expect(requests.contains { $0.scanner == fixture.phoneIdentity })
        #expect(!fixture.phone.reports.contains { $0.type == .scanResponse })
    }

    @Test("In device privacy mode, a scanner with its identity address gets a response")
    func answersBareScanner() throws {
        let phone = HCI.PeerAddress(fixture.phoneIdentity)
        try fixture.sensor.perform(HCI.LESetPrivacyMode(peerIdentity: phone, mode: .device))
        try fixture.advertise(.scannable)
        try fixture.phone.scan(.active, own: .public)
        fixture.world.run(for: .seconds(2))
        #expect(fixture.phone.reports.contains { $0.type == .scanResponse })
    }

    @Test("An advertiser that uses its Filter Accept List answers only a listed identity")
    func answersListed() throws {
        let phone = HCI.PeerAddress(fixture.phoneIdentity)
        try fixture.sensor.perform(HCI.LEAddDeviceToFilterAcceptList(address: phone))
        try fixture.advertise(.scannable, policy: .scanFiltered)
        try fixture.phone.scan(.active, own: .resolvableOrPublic)
        try fixture.unknownPeer.scan(.active)
        fixture.world.run(for: .seconds(5))
        #expect(fixture.phone.reports.contains { $0.type == .scanResponse })
        #expect(!requests.filter { $0.scanner == fixture.unknownPeer.publicAddress }.isEmpty)
        let responses = fixture.sniffer.packets.filter { $0.scanResponse != nil }
        #expect(responses.allSatisfy { $0.addressee == fixture.phone.id.radio })
    }

    private var requests: [ScanRequestPDU] {
        fixture.sniffer.packets.compactMap {
            if case .scanRequest(let request) = $0.pdu { request } else { nil }
        }
    }
}
