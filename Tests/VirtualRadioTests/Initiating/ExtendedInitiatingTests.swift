// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Connecting to extended advertisers")
struct ExtendedInitiatingTests {
    let world = World(seed: 41)
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

    private func advertise(primary: PHY = .le1M, secondary: PHY = .le1M) throws {
        var parameters = TestHost.setParameters(1, [.connectable])
        parameters.primaryPHY = primary
        parameters.secondaryPHY = secondary
        try peripheral.perform(parameters)
        try peripheral.enable(HCI.AdvertisingSetRun(advertisingHandle: 1))
    }

    private var link: RadioLink? {
        world.core.ether.links.identifiers(of: central.id.radio).first.flatMap {
            world.core.ether.links[$0]
        }
    }

    @Test(
        "The link begins on the secondary PHY of the advertiser",
        arguments: [
            (.le1M, .le1M, .le1M), (.le1M, .le2M, .le2M), (.leCoded, .leCoded, .leCoded),
            (.leCoded, .le2M, .le2M),
        ] as [(PHY, PHY, PHY)]
    )
    func phys(primary: PHY, secondary: PHY, used: PHY) throws {
        try advertise(primary: primary, secondary: secondary)
        let command = TestHost.extendedCreate(
            peer,
            le1M: primary == .le1M ? TestHost.initiating() : nil,
            coded: primary == .leCoded ? TestHost.initiating() : nil
        )
        #expect(try central.status(command) == .success)
        world.run(until: { !central.completions.isEmpty }, bound: .seconds(10))
        #expect(central.completions.map(\.status) == [.success])
        #expect(central.completions.map(\.peerAddress) == [peer])
        #expect(link?.proposal.modulation.phy == used)
        // The transmit window opens late enough for the answer (Vol 6, Part B, 4.5.3).
        let request = try #require(sniffer.packets.first { $0.connectionRequest != nil })
        let delay = Duration.microseconds(used == .leCoded ? 3_750 : 2_500)
        #expect(link?.anchor == request.end + delay)
        world.run(for: .seconds(1))
        #expect(peripheral.completions.map(\.role) == [.peripheral])
        #expect(sniffer.packets.contains { $0.connectionResponse != nil })
    }

    @Test("Each PHY has its own connection parameters")
    func parametersByPHY() throws {
        try advertise(secondary: .le2M)
        let command = TestHost.extendedCreate(
            peer,
            le1M: TestHost.initiating(TestHost.connectionParameters(interval: 50...50)),
            le2M: TestHost.initiating(TestHost.connectionParameters(interval: 30...30))
        )
        try central.status(command)
        world.run(for: .seconds(3))
        #expect(central.completions.map(\.interval.rawValue) == [30])
    }

    @Test("A PHY without parameters uses the parameters of another PHY")
    func parametersOfAnother() throws {
        try advertise(secondary: .le2M)
        let parameters = TestHost.connectionParameters(interval: 50...50)
        try central.status(
            TestHost.extendedCreate(peer, le1M: TestHost.initiating(parameters))
        )
        world.run(for: .seconds(3))
        #expect(central.completions.map(\.interval.rawValue) == [50])
    }

    @Test("The extended command also connects to legacy advertisers")
    func legacy() throws {
        try peripheral.advertise()
        try central.status(TestHost.extendedCreate(peer))
        world.run(for: .seconds(3))
        #expect(central.completions.map(\.status) == [.success])
    }

    @Test("The legacy command does not connect to extended advertisers")
    func legacyCommand() throws {
        try advertise()
        try central.status(TestHost.create(peer))
        world.run(for: .seconds(3))
        #expect(central.events.isEmpty)
    }

    @Test("Initiating continues when the answer is not received")
    func unanswered() throws {
        try advertise()
        try central.status(TestHost.extendedCreate(peer))
        world.run(until: { isAttempting }, bound: .seconds(5))
        #expect(world.core.ether.links.count == 1)
        setLoss(200)
        world.run(for: .milliseconds(500))
        #expect(central.completions.isEmpty)
        #expect(world.core.controllers[central.id.radio.index].initiator.isActive)
        #expect(world.core.controllers[central.id.radio.index].initiator.attempt == nil)
        setLoss(nil)
        world.run(for: .seconds(10))
        #expect(central.completions.map(\.status) == [.success])
    }

    private var isAttempting: Bool {
        world.core.controllers[central.id.radio.index].initiator.attempt != nil
    }

    private func setLoss(_ decibels: Double?) {
        world.core.ether.environment.setLoss(
            decibels,
            between: central.id.radio,
            and: peripheral.id.radio
        )
    }

    @Test("A controller scans and initiates at the same time")
    func scanningToo() throws {
        try central.scanExtended()
        try central.status(TestHost.extendedCreate(peer))
        try advertise()
        world.run(for: .seconds(3))
        #expect(central.completions.map(\.status) == [.success])
        #expect(!central.extendedReports.isEmpty)
    }
}
