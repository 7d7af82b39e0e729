// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Refused commands to connect")
struct InitiatingCommandTests {
    static let peer = HCI.PeerAddress(TestHost.unknownPeer)

    let world = World(seed: 31)
    let host: TestHost

    init() throws {
        host = try TestHost(world)
        try host.unmaskEverything()
    }

    static let badParameters: [HCI.ConnectionParameters] = [
        TestHost.connectionParameters(interval: 5...40),
        TestHost.connectionParameters(interval: 24...0x0C81, timeout: 0x0C80),
        TestHost.connectionParameters(latency: 0x01F4, timeout: 0x0C80),
        TestHost.connectionParameters(timeout: 9),
        TestHost.connectionParameters(timeout: 0x0C81),
        // 40 × 1.25 ms × 2 is 100 ms, and the timeout has to be longer.
        TestHost.connectionParameters(interval: 40...40, timeout: 10),
        TestHost.connectionParameters(interval: 40...40, latency: 9, timeout: 100),
        HCI.ConnectionParameters(
            intervalMinimum: .init(rawValue: 41),
            intervalMaximum: .init(rawValue: 40),
            supervisionTimeout: .init(rawValue: 100)
        ),
        HCI.ConnectionParameters(
            intervalMinimum: .init(rawValue: 24),
            intervalMaximum: .init(rawValue: 40),
            supervisionTimeout: .init(rawValue: 100),
            eventLengthMinimum: .init(rawValue: 2),
            eventLengthMaximum: .init(rawValue: 1)
        ),
    ]

    @Test("Connection parameters out of range are invalid", arguments: badParameters)
    func connectionParameters(parameters: HCI.ConnectionParameters) throws {
        let legacy = TestHost.create(Self.peer, parameters)
        #expect(try host.status(legacy) == .invalidCommandParameters)
        let extended = TestHost.extendedCreate(Self.peer, le1M: TestHost.initiating(parameters))
        #expect(try host.status(extended) == .invalidCommandParameters)
        #expect(try host.status(TestHost.create(Self.peer)) == .success)
    }

    @Test(
        "The shortest possible supervision timeout is valid",
        arguments: [(40, 0, 11), (40, 9, 101), (6, 0, 10)] as [(UInt16, UInt16, UInt16)]
    )
    func shortTimeout(interval: UInt16, latency: UInt16, timeout: UInt16) throws {
        let parameters = TestHost.connectionParameters(
            interval: interval...interval,
            latency: latency,
            timeout: timeout
        )
        #expect(try host.status(TestHost.create(Self.peer, parameters)) == .success)
    }

    @Test(
        "The legacy command is refused if its scan timing, policy or addresses are invalid",
        arguments: [
            TestHost.create(peer, interval: 3, window: 3), TestHost.create(peer, interval: 0x4001),
            TestHost.create(peer, window: 3), TestHost.create(peer, window: 0x11),
            TestHost.create(peer, policy: .init(rawValue: 2)),
            TestHost.create(peer, own: .init(rawValue: 4)),
            TestHost.create(HCI.PeerAddress(type: .init(rawValue: 4), value: 1)),
            TestHost.create(HCI.PeerAddress(type: .anonymous, value: 1)),
        ]
    )
    func legacyRanges(command: HCI.LECreateConnection) throws {
        #expect(try host.status(command) == .invalidCommandParameters)
    }

    @Test(
        "The extended command is refused if its PHYs, scan timing, policy or addresses are invalid",
        arguments: [
            TestHost.extendedCreate(peer, le1M: nil),
            TestHost.extendedCreate(peer, le1M: nil, le2M: TestHost.initiating()),
            TestHost.extendedCreate(peer, le1M: TestHost.initiating(interval: 3, window: 3)),
            TestHost.extendedCreate(peer, coded: TestHost.initiating(window: 0x41)),
            TestHost.extendedCreate(peer, policy: .init(rawValue: 2)),
            TestHost.extendedCreate(peer, own: .init(rawValue: 4)),
            TestHost.extendedCreate(HCI.PeerAddress(type: .init(rawValue: 4), value: 1)),
        ]
    )
    func extendedRanges(command: HCI.LEExtendedCreateConnection) throws {
        #expect(try host.status(command) == .invalidCommandParameters)
    }

    @Test("With the Filter Accept List, the peer's address is ignored")
    func ignoredPeer() throws {
        let ignored = HCI.PeerAddress(type: .init(rawValue: 9), value: 0)
        #expect(try host.status(TestHost.create(ignored, policy: .filterAcceptList)) == .success)
    }

    @Test("One connection is initiated at a time")
    func alreadyInitiating() throws {
        #expect(try host.status(TestHost.create(Self.peer)) == .success)
        #expect(try host.status(TestHost.create(Self.peer)) == .commandDisallowed)
        try host.perform(HCI.LECreateConnectionCancel())
        #expect(try host.status(TestHost.create(Self.peer)) == .success)
    }

    @Test("Canceling ends the attempt with one event")
    func canceling() throws {
        #expect(try host.status(HCI.LECreateConnectionCancel()) == .commandDisallowed)
        try host.status(TestHost.create(Self.peer))
        world.run(for: .seconds(1))
        #expect(host.events.isEmpty)
        try host.perform(HCI.LECreateConnectionCancel())
        let completion = try #require(host.completions.first)
        #expect(completion.status == .unknownConnectionIdentifier)
        #expect(completion.connectionHandle.rawValue == 0 && completion.role == .central)
        #expect(host.events.count == 1)
        #expect(try host.status(HCI.LECreateConnectionCancel()) == .commandDisallowed)
        #expect(world.core.ether.listeners.isEmpty)
    }

    @Test(
        "A random address must be set before the host connects with it",
        arguments: [.random, .resolvableOrRandom] as [HCI.OwnAddressType]
    )
    func randomAddress(own: HCI.OwnAddressType) throws {
        #expect(try host.status(TestHost.create(Self.peer, own: own)) == .invalidCommandParameters)
        try host.perform(HCI.LESetRandomAddress(address: .init(value: 0xC000_0000_0001)))
        #expect(try host.status(TestHost.create(Self.peer, own: own)) == .success)
    }

    @Test("Legacy and extended commands cannot be mixed")
    func dialects() throws {
        try host.status(TestHost.create(Self.peer))
        try host.perform(HCI.LECreateConnectionCancel())
        #expect(try host.status(TestHost.extendedCreate(Self.peer)) == .commandDisallowed)
        #expect(try host.status(TestHost.extendedScanParameters()) == .commandDisallowed)
        try host.perform(HCI.Reset())
        #expect(try host.status(TestHost.extendedCreate(Self.peer)) == .success)
        try host.perform(HCI.LECreateConnectionCancel())
        #expect(try host.status(TestHost.create(Self.peer)) == .commandDisallowed)
    }

    @Test("Reset ends the attempt without an event")
    func reset() throws {
        try host.status(TestHost.create(Self.peer))
        try host.perform(HCI.Reset())
        world.run(for: .seconds(1))
        #expect(host.events.isEmpty)
        #expect(world.core.ether.listeners.isEmpty)
    }
}
