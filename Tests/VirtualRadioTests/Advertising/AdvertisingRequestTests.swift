// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Answers of an advertiser")
struct AdvertisingRequestTests {
    let world = World(seed: 13, pathLoss: .indoors)
    let host: TestHost
    let sniffer: Sniffer
    let requester: RequestingRadio

    init() throws {
        host = try TestHost(world)
        sniffer = Sniffer(world)
        requester = try RequestingRadio(world, sniffer)
        try host.unmaskEverything()
    }

    private func addToAcceptList(_ address: DeviceAddress) throws {
        try host.perform(HCI.LEAddDeviceToFilterAcceptList(address: HCI.PeerAddress(address)))
    }

    @Test(
        "LL/DDI/ADV/BV-05-C and BV-17-C: A scan request is answered after T_IFS",
        arguments: [HCI.AdvertisingType.connectableUndirected, .scannable]
    )
    func scanResponse(type: HCI.AdvertisingType) throws {
        try host.advertise(type, response: [3, 9, 65, 66])
        let answer = try #require(try requester.requestScan())
        #expect(answer.scanResponse?.data == [3, 9, 65, 66])
        #expect(answer.channel == 38 && answer.addressee == requester.radio)
        // The event continues after the response, on the remaining channel.
        let rest = sniffer.packets.drop { $0.start <= answer.start }
        #expect(rest.first?.channel == 39)
        let pause = try #require(rest.first).start - answer.end
        #expect(pause > .zero && pause < .milliseconds(1))
        #expect(host.events.isEmpty)
    }

    @Test(
        "Advertising that is not scannable does not answer scan requests",
        arguments: [HCI.AdvertisingType.nonConnectable, .directedLowDutyCycle]
    )
    func noScanResponse(type: HCI.AdvertisingType) throws {
        try host.advertise(type, response: [3, 9, 65, 66])
        #expect(try requester.requestScan() == nil)
    }

    @Test("A late request or a request for another device is not answered")
    func wrongRequests() throws {
        try host.advertise(response: [1, 2])
        requester.lateness = .microseconds(5)
        #expect(try requester.requestScan() == nil)
        requester.lateness = .zero
        requester.advertiser = TestHost.unknownPeer
        #expect(try requester.requestScan() == nil)
        #expect(try requester.requestConnection() == nil)
        #expect(host.events.isEmpty)
        requester.advertiser = nil
        #expect(try requester.requestScan() != nil)
    }

    @Test("A request is not received while the radio is busy")
    func busyRadio() throws {
        try host.advertise(response: [1, 2])
        requester.willRequest = { [world, host] start in
            world.core.ether.schedules[host.id.radio.index].reserve(
                from: start + .microseconds(20),
                to: start + .microseconds(40),
                now: world.now
            )
        }
        #expect(try requester.requestScan() == nil)
        #expect(try requester.requestConnection() == nil)
        #expect(host.events.isEmpty)
        requester.willRequest = nil
        #expect(try requester.requestScan() != nil)
    }

    @Test("The event continues after a request without an answer")
    func unanswered() throws {
        try host.advertise(policy: .filtered)
        #expect(try requester.requestScan() == nil)
        let next = try #require(sniffer.packets.first { $0.channel == 39 })
        let request = try #require(sniffer.packets.first { $0.sender == requester.radio })
        #expect(next.start > request.end)
        #expect(next.start - request.end < .milliseconds(1))
        world.run(for: .seconds(1))
        #expect(sniffer.packets.count > 20)
    }

    @Test("LL/DDI/ADV/BV-06-C: A connection request ends advertising")
    func connection() throws {
        try host.advertise()
        #expect(try requester.requestConnection() == nil)
        guard case .enhancedConnectionCompleteV2(let event) = host.events.first else {
            Issue.record("No Connection Complete: \(host.events)")
            return
        }
        #expect(event.connection.status == .success && event.connection.role == .peripheral)
        #expect(event.connection.peerAddress == HCI.PeerAddress(requester.address))
        #expect(event.advertisingHandle == 0xFF)
        sniffer.forget()
        world.run(for: .milliseconds(100))
        #expect(sniffer.packets.isEmpty)
        try host.perform(TestHost.parameters())
    }

    @Test("LL/DDI/ADV/BV-07-C: A scan request and then a connection request are handled")
    func both() throws {
        try host.advertise(response: [2, 10, 0])
        #expect(try requester.requestScan() != nil)
        #expect(host.events.isEmpty)
        try requester.requestConnection()
        #expect(!host.events.isEmpty)
    }

    @Test(
        "LL/DDI/ADV/BV-08-C and BV-09-C: Requests of unlisted devices are ignored",
        arguments: [
            HCI.AdvertisingFilterPolicy.unfiltered, .scanFiltered, .connectFiltered, .filtered,
        ]
    )
    func filter(policy: HCI.AdvertisingFilterPolicy) throws {
        let knownPeer = requester.address
        try addToAcceptList(knownPeer)
        try host.advertise(policy: policy, response: [1, 2])
        requester.address = TestHost.unknownPeer
        let filtersScans = policy == .scanFiltered || policy == .filtered
        let filtersConnections = policy == .connectFiltered || policy == .filtered
        #expect((try requester.requestScan() == nil) == filtersScans)
        requester.address = knownPeer
        #expect(try requester.requestScan() != nil)
        requester.address = TestHost.unknownPeer
        try requester.requestConnection()
        #expect(host.events.isEmpty == filtersConnections)
        guard filtersConnections else { return }
        requester.address = knownPeer
        try requester.requestConnection()
        #expect(!host.events.isEmpty)
    }

    @Test(
        "Only the target connects to directed advertising, even if it is not in the accept list",
        arguments: [HCI.AdvertisingType.directedLowDutyCycle, .directedHighDutyCycle]
    )
    func directed(type: HCI.AdvertisingType) throws {
        try host.advertise(type, policy: .filtered)
        try requester.requestConnection()
        #expect(host.events.isEmpty)
        requester.address = TestHost.unknownPeer
        try requester.requestConnection()
        #expect(host.events.count >= 1)
        world.run(for: .milliseconds(500))
        #expect(sniffer.packets.last?.legacy == nil)
    }

    @Test("A connected device cannot connect again")
    func connectedAlready() throws {
        try host.advertise()
        try requester.requestConnection()
        host.forget()
        try host.perform(HCI.LESetAdvertisingEnable(isEnabled: true))
        try requester.requestConnection()
        let isConnected = host.events.contains {
            if case .enhancedConnectionCompleteV2 = $0 { true } else { false }
        }
        #expect(!isConnected)
    }
}

@Suite("Answers of an extended advertiser")
struct ExtendedRequestTests {
    let world = World(seed: 14)
    let host: TestHost
    let sniffer: Sniffer
    let requester: RequestingRadio

    init() throws {
        host = try TestHost(world)
        sniffer = Sniffer(world)
        requester = try RequestingRadio(world, sniffer)
        try host.unmaskEverything()
    }

    @Test(
        "LL/DDI/ADV/BV-45-C and BV-52-C: AUX_SCAN_RSP and its chain answer a request",
        arguments: [1, 245, 246, 800, 1650],
        [PHY.le1M, .le2M, .leCoded]
    )
    func scanResponse(length: Int, phy: PHY) throws {
        let data = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        var parameters = TestHost.setParameters(2, [.scannable], interval: 400...400)
        parameters.secondaryPHY = phy
        parameters.reportsScanRequests = true
        try host.perform(parameters)
        try host.setResponse(data, of: 2)
        try host.enable(HCI.AdvertisingSetRun(advertisingHandle: 2))
        let answer = try #require(try requester.requestAuxiliaryScan())
        #expect(answer.extended?.kind == .scanResponse && answer.modulation.phy == phy)
        #expect(answer.extended?.advertiser != nil && answer.extended?.sid == 2)
        world.run(for: .milliseconds(150))
        let chain = sniffer.packets.filter { $0.start >= answer.start && $0.channel < 37 }
        let parts = chain.prefix { $0.extended?.kind != .auxiliary }
        #expect(parts.flatMap { $0.extended?.data ?? [] } == data)
        #expect(parts.last?.extended?.pointer == nil)
        #expect(
            host.events == [
                .scanRequestReceived(
                    HCI.LEScanRequestReceived(
                        advertisingHandle: 2,
                        scanner: HCI.PeerAddress(requester.address)
                    )
                )
            ]
        )
    }

    @Test("Only the target gets a directed scan response, even if it is not in the accept list")
    func directedScanResponse() throws {
        var parameters = TestHost.setParameters(2, [.scannable, .directed])
        parameters.filterPolicy = .filtered
        try host.perform(parameters)
        try host.setResponse([1, 2, 3], of: 2)
        try host.enable(HCI.AdvertisingSetRun(advertisingHandle: 2))
        #expect(try requester.requestAuxiliaryScan() == nil)
        requester.address = TestHost.unknownPeer
        #expect(try requester.requestAuxiliaryScan()?.extended?.data == [1, 2, 3])
    }

    @Test("Scan requests are reported only if the host enables it", arguments: [true, false])
    func reports(isRequested: Bool) throws {
        var parameters = TestHost.setParameters(2, [.legacy, .scannable])
        parameters.reportsScanRequests = isRequested
        try host.perform(parameters)
        try host.enable(HCI.AdvertisingSetRun(advertisingHandle: 2))
        #expect(try requester.requestScan() != nil)
        #expect(host.events.count == (isRequested ? 1 : 0))
    }

    @Test("AUX_CONNECT_REQ is answered, and the set ends", arguments: [PHY.le1M, .le2M, .leCoded])
    func connection(phy: PHY) throws {
        var parameters = TestHost.setParameters(5, [.connectable])
        parameters.secondaryPHY = phy
        try host.perform(parameters)
        try host.perform(TestHost.setParameters(6, [.legacy]))
        try host.setData([1, 2, 3], of: 5)
        try host.enable(HCI.AdvertisingSetRun(advertisingHandle: 5, eventLimit: 100))
        let answer = try #require(try requester.requestAuxiliaryConnection())
        #expect(answer.connectionResponse?.initiator == requester.address)
        #expect(answer.addressee == requester.radio && answer.modulation.phy == phy)
        guard case .enhancedConnectionCompleteV2(let event) = host.events.first else {
            Issue.record("No Connection Complete: \(host.events)")
            return
        }
        #expect(event.advertisingHandle == 5)
        let end = try #require(host.terminations.first)
        #expect(end.status == .success && end.advertisingHandle == 5)
        #expect(end.connectionHandle == event.connection.connectionHandle)
        #expect(end.completedEvents >= 1)
        sniffer.forget()
        world.run(for: .milliseconds(500))
        #expect(sniffer.packets.isEmpty)
    }

    @Test("After a connection through one set, another set can advertise")
    func otherSets() throws {
        try host.perform(TestHost.setParameters(5, [.legacy, .connectable, .scannable]))
        try host.enable(HCI.AdvertisingSetRun(advertisingHandle: 5))
        try requester.requestConnection()
        try host.perform(TestHost.setParameters(6, [.legacy], interval: 32...32))
        try host.enable(HCI.AdvertisingSetRun(advertisingHandle: 6))
        sniffer.forget()
        world.run(for: .seconds(1))
        #expect(sniffer.packets.count > 100)
        #expect(sniffer.packets.allSatisfy { $0.legacy?.set == 6 })
    }
}
