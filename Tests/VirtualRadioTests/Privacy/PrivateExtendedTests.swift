// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// Privacy with extended advertising: on secondary channels, with several sets, and anonymous.
@Suite struct PrivateExtendedTests {
    let fixture: PrivacyFixture

    init() throws {
        fixture = try PrivacyFixture()
    }

    @Test("The advertiser's address on the secondary channel is private and is resolved")
    func reportsIdentity() throws {
        try fixture.sensor.setTimeout(2)
        try start([], data: [2, 1, 6])
        try fixture.phone.scanExtended()
        fixture.world.run(for: .seconds(10))
        let addresses = fixture.sniffer.packets.compactMap(\.extended?.advertiser)
        let key = IdentityResolvingKey(fixture.sensorKey)
        #expect(Set(addresses).count >= 4)
        #expect(addresses.allSatisfy { key.resolves($0) })
        let reports = fixture.phone.extendedReports
        #expect(reports.count > 30)
        #expect(reports.allSatisfy { $0.address == sensorIdentity })
    }

    @Test("Two sets for the same peer share a private address, and a public set does not")
    func sets() throws {
        try start([], handle: 1)
        try start([], handle: 2)
        try start([], handle: 3, own: .public)
        fixture.world.run(for: .seconds(2))
        let packets = fixture.sniffer.packets.compactMap(\.extended)
        let private1 = Set(packets.filter { $0.set == 1 }.compactMap(\.advertiser))
        let private2 = Set(packets.filter { $0.set == 2 }.compactMap(\.advertiser))
        let public3 = Set(packets.filter { $0.set == 3 }.compactMap(\.advertiser))
        #expect(private1 == [try fixture.sensorAddress])
        #expect(private2 == private1)
        #expect(public3 == [fixture.sensor.publicAddress])
    }

    @Test("The events of a connection on a secondary channel have the identities")
    func connects() throws {
        try start([.connectable])
        let timing = HCI.ConnectionParameters(
            intervalMinimum: HCI.ConnectionInterval(rawValue: 24),
            intervalMaximum: HCI.ConnectionInterval(rawValue: 24),
            supervisionTimeout: HCI.Timeout(rawValue: 100)
        )
        let le1M = HCI.PHYInitiatingParameters(
            scanInterval: HCI.ScanInterval(rawValue: 0x10),
            scanWindow: HCI.ScanInterval(rawValue: 0x10),
            parameters: timing
        )
        let command = HCI.LEExtendedCreateConnection(
            filterPolicy: .peerAddress,
            ownAddressType: .resolvableOrPublic,
            peerAddress: HCI.PeerAddress(PrivacyFixture.sensorIdentity),
            phys: .init(le1M: le1M, le2M: nil, coded: nil)
        )
        #expect(try fixture.phone.status(command) == .success)
        fixture.world.run(for: .seconds(2))
        let request = try #require(fixture.connectionRequests.first)
        #expect(request.isAuxiliary)
        #expect(IdentityResolvingKey(fixture.phoneKey).resolves(request.initiator))
        let central = try #require(fixture.phone.connections.first)
        #expect(central.peerAddress == sensorIdentity)
        #expect(central.peerPrivateAddress == HCI.BareAddress(request.advertiser))
        let peripheral = try #require(fixture.sensor.connections.first)
        let phone = HCI.PeerAddress(type: .publicIdentity, value: fixture.phoneIdentity.value)
        #expect(peripheral.peerAddress == phone)
        #expect(peripheral.localPrivateAddress == HCI.BareAddress(request.advertiser))
    }

    @Test("With the Filter Accept List, anonymous advertising needs an anonymous entry")
    func anonymous() throws {
        try start([.anonymous], data: [2, 1, 6])
        try fixture.phone.scanExtended(policy: .filterAcceptList)
        fixture.world.run(for: .seconds(2))
        #expect(fixture.phone.extendedReports.isEmpty)
        try fixture.phone.perform(
            HCI.LESetExtendedScanEnable(
                isEnabled: false,
                duplicates: .off,
                duration: HCI.Timeout(rawValue: 0),
                period: HCI.ScanPeriod(rawValue: 0)
            )
        )
        let entry = HCI.PeerAddress(type: .anonymous, value: 0)
        try fixture.phone.perform(HCI.LEAddDeviceToFilterAcceptList(address: entry))
        try fixture.phone.scanExtended(policy: .filterAcceptList)
        fixture.world.run(for: .seconds(2))
        #expect(fixture.phone.extendedReports.count > 10)
        #expect(fixture.phone.extendedReports.allSatisfy { $0.address.type == .anonymous })
    }

    @Test("A directed set contains a private address of its target")
    func directed() throws {
        try start([.directed], data: [2, 1, 6])
        try fixture.phone.scanExtended()
        try fixture.unknownPeer.scanExtended()
        fixture.world.run(for: .seconds(3))
        let targets = Set(fixture.sniffer.packets.compactMap(\.extended?.target))
        let key = IdentityResolvingKey(fixture.phoneKey)
        #expect(!targets.isEmpty && targets.allSatisfy { key.resolves($0) })
        #expect(fixture.phone.extendedReports.count > 10)
        #expect(fixture.phone.extendedReports.allSatisfy { $0.address == sensorIdentity })
        #expect(fixture.unknownPeer.extendedReports.isEmpty)
    }

    private var sensorIdentity: HCI.PeerAddress {
        HCI.PeerAddress(type: .randomIdentity, value: PrivacyFixture.sensorIdentity.value)
    }

    private func start(
        _ properties: HCI.AdvertisingProperties,
        handle: UInt8 = 1,
        own: HCI.OwnAddressType = .resolvableOrRandom,
        data: [UInt8] = []
    ) throws {
        var parameters = TestHost.setParameters(handle, properties)
        parameters.ownAddressType = own
        parameters.peerAddress = HCI.PeerAddress(fixture.phoneIdentity)
        try fixture.sensor.perform(parameters)
        try fixture.sensor.perform(
            HCI.LESetAdvertisingSetRandomAddress(
                advertisingHandle: handle,
                address: HCI.BareAddress(PrivacyFixture.sensorIdentity)
            )
        )
        if !data.isEmpty { try fixture.sensor.setData(data, of: handle) }
        try fixture.sensor.enable(HCI.AdvertisingSetRun(advertisingHandle: handle))
    }
}
