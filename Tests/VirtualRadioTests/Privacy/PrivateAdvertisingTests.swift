// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// Private addresses on the air, and the reports of scanners. The named test cases are from the
/// section SCN of the official suite.
@Suite struct PrivateAdvertisingTests {
    let room: PrivateRoom

    init() throws {
        room = try PrivateRoom()
    }

    @Test("The advertiser uses a private address and not its identity")
    func hidesIdentity() throws {
        try room.advertise()
        room.world.run(for: .seconds(10))
        let address = try #require(room.advertisers.first)
        #expect(room.advertisers == [address])
        #expect(IdentityResolvingKey(room.sensorKey).resolves(address))
    }

    @Test("Without resolution, the advertiser still uses a private address")
    func advertisesWhileOff() throws {
        try room.sensor.setResolution(false)
        try room.advertise()
        room.world.run(for: .seconds(1))
        let address = try #require(room.advertisers.first)
        #expect(IdentityResolvingKey(room.sensorKey).resolves(address))
    }

    @Test("The address changes after its timeout")
    func rotates() throws {
        try room.sensor.setTimeout(60)
        try room.advertise()
        room.world.run(for: .seconds(301))
        let addresses = room.advertisers
        #expect(addresses.count == 6)
        #expect(Set(addresses).count == 6)
        let key = IdentityResolvingKey(room.sensorKey)
        #expect(addresses.allSatisfy { key.resolves($0) })
    }

    @Test("All packets of one advertising event have the same address")
    func oneAddressPerEvent() throws {
        try room.sensor.setTimeout(1)
        try room.advertise()
        room.world.run(for: .seconds(60))
        for event in room.sniffer.events {
            #expect(Set(event.compactMap(\.legacy?.advertiser)).count == 1)
        }
        #expect(room.advertisers.count > 50)
    }

    @Test("The first event after the timeout has a new address")
    func rotatesAtTheSecond() throws {
        try room.sensor.setTimeout(10)
        try room.advertise()
        room.world.run(for: .seconds(30))
        let old = try #require(room.advertisers.first)
        let starts = room.sniffer.packets
            .filter { $0.legacy?.advertiser == old }.map(\.start)
        let end = Instant.zero + .seconds(10)
        let last = try #require(starts.last)
        // An event takes a few milliseconds, and events are a tenth of a second apart.
        #expect(last <= end + .milliseconds(5))
        #expect(end - last < .milliseconds(120))
    }

    @Test("A scanner with the key reports the identity for all private addresses")
    func reportsIdentity() throws {
        try room.sensor.setTimeout(1)
        try room.advertise()
        try room.phone.scan(policy: .unfiltered)
        room.world.run(for: .seconds(10))
        let identity = HCI.PeerAddress(
            type: .randomIdentity,
            value: PrivateRoom.sensorIdentity.value
        )
        #expect(room.phone.reports.count > 50)
        #expect(room.phone.reports.allSatisfy { $0.address == identity })
    }

    @Test("The host may read the private address of the last packet from a peer")
    func readsPeerAddress() throws {
        try room.sensor.setTimeout(1)
        try room.advertise()
        try room.phone.scan()
        for _ in 0..<5 {
            room.world.run(for: .milliseconds(1300))
            let identity = HCI.PeerAddress(PrivateRoom.sensorIdentity)
            let address = try room.phone.perform(
                HCI.LEReadPeerResolvableAddress(peerIdentity: identity)
            ).address
            #expect(address == (try HCI.BareAddress(room.sensorAddress)))
        }
    }

    @Test("A public identity is reported as public")
    func reportsPublicIdentity() throws {
        try room.phone.advertise(own: .resolvableOrPublic, peer: PrivateRoom.sensorIdentity)
        try room.sensor.scan(policy: .unfiltered)
        room.world.run(for: .seconds(3))
        let identity = HCI.PeerAddress(type: .publicIdentity, value: room.phoneIdentity.value)
        #expect(room.sensor.reports.count > 10)
        #expect(room.sensor.reports.allSatisfy { $0.address == identity })
    }

    @Test("A scanner without the key reports each address as a new device")
    func reportsAddresses() throws {
        try room.sensor.setTimeout(1)
        try room.advertise()
        try room.unknownPeer.scan(policy: .unfiltered)
        room.world.run(for: .seconds(10))
        let addresses = Set(room.unknownPeer.reports.map(\.address))
        #expect(addresses.count >= 9)
        #expect(addresses.allSatisfy { $0.type == .random })
    }

    @Test("A duplicate filter compares identities and not addresses")
    func filtersDuplicatesByIdentity() throws {
        try room.sensor.setTimeout(1)
        try room.advertise()
        for host in [room.phone, room.unknownPeer] {
            try host.scan(policy: .unfiltered)
            try host.stopScan()
            try host.perform(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: true))
            host.forget()
        }
        room.world.run(for: .seconds(10))
        #expect(room.phone.reports.count == 1)
        #expect(room.unknownPeer.reports.count >= 9)
    }

    @Test("LL/DDI/SCN/BV-26-C: In network privacy mode, an identity address is not reported")
    func networkMode() throws {
        try room.advertise(own: .random)
        try room.phone.scan(policy: .unfiltered)
        try room.unknownPeer.scan(policy: .unfiltered)
        room.world.run(for: .seconds(5))
        #expect(room.phone.reports.isEmpty)
        let address = HCI.PeerAddress(PrivateRoom.sensorIdentity)
        #expect(room.unknownPeer.reports.count > 30)
        #expect(room.unknownPeer.reports.allSatisfy { $0.address == address })
    }

    @Test("LL/DDI/SCN/BV-28-C: In device privacy mode, an identity address is reported")
    func deviceMode() throws {
        try room.phone.perform(
            HCI.LESetPrivacyMode(
                peerIdentity: HCI.PeerAddress(PrivateRoom.sensorIdentity),
                mode: .device
            )
        )
        try room.advertise(own: .random)
        try room.phone.scan(policy: .unfiltered)
        room.world.run(for: .seconds(5))
        let address = HCI.PeerAddress(PrivateRoom.sensorIdentity)
        #expect(room.phone.reports.count > 30)
        #expect(room.phone.reports.allSatisfy { $0.address == address })
    }

    @Test("Without resolution, the address on the air is reported")
    func resolutionOff() throws {
        try room.phone.setResolution(false)
        try room.advertise()
        try room.phone.scan(policy: .unfiltered)
        room.world.run(for: .seconds(2))
        let address = try #require(room.advertisers.first)
        #expect(room.phone.reports.count > 10)
        #expect(room.phone.reports.allSatisfy { $0.address == HCI.PeerAddress(address) })
    }

    @Test("An identity in the Filter Accept List includes the private addresses of the device")
    func acceptsIdentities() throws {
        try room.sensor.setTimeout(1)
        let identity = HCI.PeerAddress(PrivateRoom.sensorIdentity)
        try room.phone.perform(HCI.LEAddDeviceToFilterAcceptList(address: identity))
        try room.unknownPeer.perform(HCI.LEAddDeviceToFilterAcceptList(address: identity))
        try room.advertise()
        try room.phone.scan(policy: .filterAcceptList)
        try room.unknownPeer.scan(policy: .filterAcceptList)
        room.world.run(for: .seconds(5))
        #expect(room.phone.reports.count > 30)
        #expect(room.unknownPeer.reports.isEmpty)
    }

    @Test("A device outside the Filter Accept List is not reported, even if its identity is known")
    func refusesOthers() throws {
        let other = HCI.PeerAddress(TestHost.unknownPeer)
        try room.phone.perform(HCI.LEAddDeviceToFilterAcceptList(address: other))
        try room.advertise()
        try room.phone.scan(policy: .filterAcceptList)
        room.world.run(for: .seconds(5))
        #expect(room.phone.reports.isEmpty)
    }

    @Test("During advertising, the resolution settings cannot change")
    func holdsTheList() throws {
        try room.advertise()
        let key = try HCI.Key128.repeating(3)
        let adding = HCI.LEAddDeviceToResolvingList(
            peerIdentity: HCI.PeerAddress(TestHost.unknownPeer),
            peerKey: key,
            localKey: key
        )
        #expect(try room.sensor.status(adding) == .commandDisallowed)
        #expect(try room.sensor.status(HCI.LEClearResolvingList()) == .commandDisallowed)
        let switching = HCI.LESetAddressResolutionEnable(isEnabled: false)
        #expect(try room.sensor.status(switching) == .commandDisallowed)
        try room.sensor.perform(HCI.LESetAdvertisingEnable(isEnabled: false))
        #expect(try room.sensor.status(adding) == .success)
    }

    @Test(
        "Advertising that uses the Filter Accept List locks the list",
        arguments: [
            (HCI.AdvertisingFilterPolicy.unfiltered, false), (.scanFiltered, true),
            (.connectFiltered, true), (.filtered, true),
        ]
    )
    func holdsTheAcceptList(_ policy: HCI.AdvertisingFilterPolicy, _ isHeld: Bool) throws {
        try room.advertise(policy: policy)
        let clearing = HCI.LEClearFilterAcceptList()
        #expect(try room.sensor.status(clearing) == (isHeld ? .commandDisallowed : .success))
        try room.sensor.perform(HCI.LESetAdvertisingEnable(isEnabled: false))
        #expect(try room.sensor.status(clearing) == .success)
    }
}

/// Scan requests between devices that can resolve each other.
@Suite struct PrivateScanRequestTests {
    let room: PrivateRoom

    init() throws {
        room = try PrivateRoom()
    }

    @Test("A scanner sends its requests from a private address that the advertiser can resolve")
    func asksPrivately() throws {
        try room.advertise(.scannable)
        try room.phone.scan(.active, own: .resolvableOrPublic)
        room.world.run(for: .seconds(2))
        let request = try #require(requests.first)
        #expect(IdentityResolvingKey(room.phoneKey).resolves(request.scanner))
        #expect(IdentityResolvingKey(room.sensorKey).resolves(request.advertiser))
        #expect(room.phone.reports.contains { $0.type == .scanResponse })
    }

    @Test("In network privacy mode, a scanner with its identity address gets no response")
    func refusesBareScanner() throws {
        try room.advertise(.scannable)
        try room.phone.scan(.active, own: .public)
        room.world.run(for: .seconds(5))
        #expect(requests.contains { $0.scanner == room.phoneIdentity })
        #expect(!room.phone.reports.contains { $0.type == .scanResponse })
    }

    @Test("In device privacy mode, a scanner with its identity address gets a response")
    func answersBareScanner() throws {
        let phone = HCI.PeerAddress(room.phoneIdentity)
        try room.sensor.perform(HCI.LESetPrivacyMode(peerIdentity: phone, mode: .device))
        try room.advertise(.scannable)
        try room.phone.scan(.active, own: .public)
        room.world.run(for: .seconds(2))
        #expect(room.phone.reports.contains { $0.type == .scanResponse })
    }

    @Test("An advertiser that uses its Filter Accept List answers only a listed identity")
    func answersListed() throws {
        let phone = HCI.PeerAddress(room.phoneIdentity)
        try room.sensor.perform(HCI.LEAddDeviceToFilterAcceptList(address: phone))
        try room.advertise(.scannable, policy: .scanFiltered)
        try room.phone.scan(.active, own: .resolvableOrPublic)
        try room.unknownPeer.scan(.active)
        room.world.run(for: .seconds(5))
        #expect(room.phone.reports.contains { $0.type == .scanResponse })
        #expect(!requests.filter { $0.scanner == room.unknownPeer.publicAddress }.isEmpty)
        let responses = room.sniffer.packets.filter { $0.scanResponse != nil }
        #expect(responses.allSatisfy { $0.addressee == room.phone.id.radio })
    }

    private var requests: [ScanRequestPDU] {
        room.sniffer.packets.compactMap {
            if case .scanRequest(let request) = $0.pdu { request } else { nil }
        }
    }
}
