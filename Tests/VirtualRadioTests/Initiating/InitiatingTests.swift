// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Connecting to advertisers")
struct InitiatingTests {
    let world = World(seed: 37)
    let central: TestHost
    let peripheral: TestHost
    let sniffer: Sniffer

    init() throws {
        central = try TestHost(world, "central", at: 0)
        peripheral = try TestHost(world, "peripheral", at: 1)
        sniffer = Sniffer(world)
        for host in [central, peripheral] { try host.unmaskEverything() }
    }

    private var peer: HCI.PeerAddress { HCI.PeerAddress(peripheral.publicAddress) }

    private var requests: [ConnectIndication] {
        sniffer.packets.compactMap {
            if case .connectionRequest(let request) = $0.pdu { request } else { nil }
        }
    }

    @Test("LL/CON/INI/BV-01-C: The initiator connects to the requested advertiser")
    func connecting() throws {
        let other = try TestHost(world, "other", at: 0.5)
        try other.advertise(interval: 32)
        try peripheral.advertise()
        #expect(try central.status(TestHost.create(peer)) == .success)
        world.run(for: .seconds(2))
        let completion = try #require(central.completions.first)
        #expect(completion.status == .success && completion.role == .central)
        #expect(completion.peerAddress == peer)
        #expect(completion.peripheralLatency == 0)
        #expect(completion.supervisionTimeout.rawValue == 100)
        let answer = try #require(peripheral.completions.first)
        #expect(answer.role == .peripheral)
        #expect(answer.peerAddress == HCI.PeerAddress(central.publicAddress))
        #expect(requests.count == 1)
        #expect(other.completions.isEmpty)
        #expect(world.core.ether.listeners.isEmpty)
    }

    @Test("The request follows the advertisement after exactly T_IFS")
    func timing() throws {
        try peripheral.advertise()
        try central.status(TestHost.create(peer))
        world.run(for: .seconds(2))
        let place = try #require(
            sniffer.packets.firstIndex {
                if case .connectionRequest = $0.pdu { true } else { false }
            }
        )
        let (asked, request) = (sniffer.packets[place - 1], sniffer.packets[place])
        #expect(request.start - asked.end == FrameSpace.betweenFrames)
        #expect(request.channel == asked.channel)
        #expect(request.end - request.start == .microseconds(352))
    }

    @Test("The shortest of the requested intervals is used")
    func interval() throws {
        try peripheral.advertise()
        let parameters = TestHost.connectionParameters(interval: 20...80, latency: 3, timeout: 500)
        try central.status(TestHost.create(peer, parameters))
        world.run(for: .seconds(2))
        let completion = try #require(central.completions.first)
        #expect(completion.interval.rawValue == 20)
        #expect(completion.peripheralLatency == 3)
        #expect(completion.supervisionTimeout.rawValue == 500)
    }

    @Test("A link has at least two channels, even if the host classifies all but one as bad")
    func oneGoodChannel() throws {
        let channels = HCI.ChannelMap(rawValue: 1 << 5)
        try central.perform(HCI.LESetHostChannelClassification(channels: channels))
        try peripheral.advertise()
        try central.status(TestHost.create(peer))
        world.run(for: .seconds(2))
        let handle = try #require(central.completions.first?.connectionHandle)
        let read = HCI.LEReadChannelMap(connectionHandle: handle)
        #expect(try central.perform(read).channels == .all)

        let two = HCI.ChannelMap(rawValue: 1 << 5 | 1 << 6)
        try central.perform(HCI.LESetHostChannelClassification(channels: two))
        world.run(for: .seconds(2))
        #expect(try central.perform(read).channels == two)
    }

    @Test(
        "The initiator does not connect to non-connectable advertisers",
        arguments: [.nonConnectable, .scannable] as [HCI.AdvertisingType]
    )
    func notConnectable(type: HCI.AdvertisingType) throws {
        try peripheral.advertise(type)
        try central.status(TestHost.create(peer))
        world.run(for: .seconds(2))
        #expect(requests.isEmpty && central.events.isEmpty)
    }

    @Test("LL/CON/INI/BV-02-C: Directed advertising is answered by its target")
    func directed() throws {
        try peripheral.advertise(.directedLowDutyCycle, peer: TestHost.unknownPeer)
        try central.status(TestHost.create(peer))
        world.run(for: .seconds(2))
        #expect(requests.isEmpty)
        try peripheral.perform(HCI.LESetAdvertisingEnable(isEnabled: false))
        try peripheral.advertise(.directedLowDutyCycle, peer: central.publicAddress)
        world.run(for: .seconds(2))
        #expect(central.completions.map(\.status) == [.success])
    }

    @Test("LL/CON/INI/BV-06-C: With the Filter Accept List, only a listed device is connected")
    func acceptList() throws {
        let other = try TestHost(world, "other", at: 0.5)
        try other.advertise(interval: 32)
        try peripheral.advertise()
        try central.perform(HCI.LEAddDeviceToFilterAcceptList(address: peer))
        try central.status(TestHost.create(.none, policy: .filterAcceptList))
        world.run(for: .seconds(2))
        #expect(central.completions.map(\.peerAddress) == [peer])
    }

    @Test("The address type of an identity selects the same device")
    func identityTypes() throws {
        try peripheral.advertise()
        let identity = HCI.PeerAddress(type: .publicIdentity, value: peer.value)
        try central.status(TestHost.create(identity))
        world.run(for: .seconds(2))
        #expect(central.completions.map(\.status) == [.success])
    }

    @Test("A random address with the same bits is another device")
    func addressKinds() throws {
        try peripheral.advertise()
        try central.status(TestHost.create(HCI.PeerAddress(type: .random, value: peer.value)))
        world.run(for: .seconds(2))
        #expect(central.events.isEmpty)
    }

    @Test("The initiator does not connect to a connected device")
    func alreadyConnected() throws {
        try peripheral.advertise()
        try central.status(TestHost.create(peer))
        world.run(for: .seconds(2))
        #expect(central.completions.count == 1)
        #expect(try central.status(TestHost.create(peer)) == .connectionAlreadyExists)
        try central.perform(HCI.LEAddDeviceToFilterAcceptList(address: peer))
        try peripheral.advertise()
        try central.status(TestHost.create(.none, policy: .filterAcceptList))
        world.run(for: .seconds(2))
        #expect(requests.count == 1)
    }

    @Test("A controller without a free link refuses to connect")
    func linkLimit() throws {
        var configuration = ControllerConfiguration(name: "small")
        configuration.linkLimit = 1
        let small = try TestHost(world, configuration)
        try peripheral.advertise()
        try small.status(TestHost.create(peer))
        world.run(for: .seconds(2))
        #expect(world.core.ether.linkCount(of: small.id.radio) == 1)
        let next = TestHost.create(HCI.PeerAddress(TestHost.unknownPeer))
        #expect(try small.status(next) == .connectionLimitExceeded)
    }

    @Test("A request that is not received makes a link that is not established")
    func notReceived() throws {
        try peripheral.advertise()
        try central.status(TestHost.create(peer))
        world.run(until: { world.core.ether.links.count > 0 }, bound: .seconds(2))
        world.core.ether.environment.setLoss(
            200,
            between: central.id.radio,
            and: peripheral.id.radio
        )
        world.run(for: .seconds(2))
        #expect(central.completions.map(\.status) == [.success])
        #expect(peripheral.completions.isEmpty)
        #expect(Self.ends(of: central) == [.connectionFailedToBeEstablished])
    }

    /// Returns the reasons for a host's disconnections.
    private static func ends(of host: TestHost) -> [HCI.ErrorCode] {
        host.events.compactMap { event in
            if case .disconnectionComplete(let event) = event { event.reason } else { nil }
        }
    }

    /// The other initiator is either so close that the advertiser captures its request, or as far
    /// away as the central.
    @Test(
        "Of two requests that answer one advertisement, at most one makes a link",
        arguments: [0.95, 2]
    )
    func twoInitiators(place: Double) throws {
        let other = try TestHost(world, "other", at: place)
        try other.unmaskEverything()
        for host in [central, other] { try host.status(TestHost.create(peer)) }
        try peripheral.advertise()
        world.run(for: .seconds(2))
        #expect(requests.count == 2)
        #expect([central, other].allSatisfy { $0.completions.map(\.status) == [.success] })
        let isCaptured = place < 1
        let lost: [HCI.ErrorCode] = [.connectionFailedToBeEstablished]
        #expect(Self.ends(of: central) == lost)
        #expect(Self.ends(of: other) == (isCaptured ? [] : lost))
        let joined = peripheral.completions.map(\.peerAddress)
        #expect(joined == (isCaptured ? [HCI.PeerAddress(other.publicAddress)] : []))
    }

    @Test("A short scan window is enough with sufficient time")
    func duty() throws {
        try peripheral.advertise()
        try central.status(TestHost.create(peer, interval: 0xA0, window: 0x10))
        world.run(for: .seconds(20))
        #expect(central.completions.map(\.status) == [.success])
    }

    @Test("A controller scans and initiates at the same time")
    func scanningToo() throws {
        let other = try TestHost(world, "other", at: 2)
        try other.advertise(.nonConnectable)
        try central.scan(.active)
        try central.status(TestHost.create(peer))
        world.run(for: .seconds(2))
        #expect(!central.reports.isEmpty)
        try peripheral.advertise(response: [1])
        world.run(for: .seconds(2))
        #expect(central.completions.map(\.status) == [.success])
        central.forget()
        world.run(for: .seconds(2))
        #expect(!central.reports.isEmpty)
    }

    @Test("An attempt that is canceled between advertisement and request makes no link")
    func canceledInFlight() throws {
        try peripheral.advertise()
        try central.status(TestHost.create(peer))
        world.run(until: { world.core.ether.links.count > 0 }, bound: .seconds(2))
        #expect(requests.isEmpty && world.core.ether.links.count == 1)
        try central.perform(HCI.LECreateConnectionCancel())
        world.run(for: .seconds(3))
        #expect(central.completions.map(\.status) == [.unknownConnectionIdentifier])
        #expect(peripheral.completions.isEmpty)
        #expect(world.core.ether.links.count == 0)
    }
}
