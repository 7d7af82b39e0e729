// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import Synchronization
import Testing
import VirtualAdapters
import VirtualRadio

@testable import BluetoothHost

/// Two controllers that share one host identity and its bonds. The first test covers the cells for
/// our own peripherals of the matrix in docs/ROAMING.md.
@Suite("One identity on two controllers, in virtual time")
struct SharedIdentityTests {
    /// The longest time from the loss of one controller to the encrypted link through the other:
    /// the peripheral's supervision timeout, and three seconds.
    static let gapLimit = Duration.seconds(8)

    @Test(
        "A peer that bonded through one controller encrypts through the other",
        arguments: TwoControllers.Peripheral.allCases,
        [Privacy.off, .on]
    )
    func takeOver(_ peripheral: TwoControllers.Peripheral, _ privacy: Privacy) async throws {
        let harness = try TwoControllers(peripheral)
        try await harness.air.run(bound: .seconds(300)) { [air = harness.air] in
            let strap = try await harness.startPeripheral(peripheral)
            let first = try await harness.start(0, privacy: privacy)
            let second = try await harness.start(1, privacy: privacy)
            let link = try await harness.connect(first)
            #expect(try await link.pair().isBonded)
            let secret = try await TwoControllers.secretHandle(link)
            #expect(try await link.read(secret) == [42])
            let bond = try #require(await first.bonds.first)
            // The host on the other controller has the bond at once.
            #expect(await second.bonds.map(\.identifier) == [bond.identifier])
            #expect(bond.isPrivate)

            harness.unplug(0)
            let lost = air.now
            let again = try await second.connect(to: bond.identity, options: .whenAvailable)
            #expect(air.now - lost <= Self.gapLimit)
            #expect(try await again.security.isEncrypted)
            #expect(try await again.bondedPeer?.identifier == bond.identifier)
            #expect(try await again.read(secret) == [42])

            // The first controller uses the bond again, because the bond belongs to neither
            // controller.
            harness.plugIn(0)
            try await air.sleep(for: .seconds(30))
            harness.unplug(1)
            let back = try await first.connect(to: bond.identity, options: .whenAvailable)
            #expect(try await back.security.isEncrypted)
            #expect(try await back.read(secret) == [42])
            #expect(await first.bonds.map(\.identifier) == [bond.identifier])
            for host in [strap, first, second] { await host?.shutdown() }
        }
    }

    @Test("A bond that one host removes is removed on the other host")
    func removal() async throws {
        let harness = try TwoControllers(.staticAccessory)
        try await harness.air.run(bound: .seconds(60)) {
            let first = try await harness.start(0)
            let second = try await harness.start(1)
            let link = try await harness.connect(first)
            _ = try await link.pair()
            let bond = try #require(await second.bonds.first)
            await second.removeBond(bond.identifier)
            #expect(await first.bonds.isEmpty)
            #expect(await second.bonds.isEmpty)
            #expect(!harness.store.contents.keys.contains { "\($0)".hasPrefix("bond") })
            _ = try await link.ended()
            await first.shutdown()
            await second.shutdown()
        }
    }

    @Test(
        "The other controller's host uses the database without discovering it again",
        arguments: [true, false]
    )
    func table(isBonded: Bool) async throws {
        let harness = try TwoControllers(.staticHost)
        let requests = RequestCount(of: harness.accessory, in: harness.air.world)
        try await harness.air.run(bound: .seconds(60)) {
            let strap = try await harness.startPeripheral(.staticHost)
            let first = try await harness.start(0)
            let second = try await harness.start(1)
            let link = try await harness.connect(first)
            if isBonded { _ = try await link.pair() }
            let table = try await link.database()
            let discovery = requests.take()
            try await link.disconnect()
            let again = try await second.connect(to: link.address)
            _ = requests.take()
            #expect(try await again.database() == table)
            // The host reads only the hash of the database.
            #expect(requests.take() <= 1, "\(discovery) for the discovery")
            #expect(discovery > 5)
            await strap?.shutdown()
            await first.shutdown()
            await second.shutdown()
        }
    }

    @Test("No counter of signatures is used twice")
    func signCounters() async throws {
        let harness = try TwoControllers(.staticAccessory)
        try await harness.air.run(bound: .seconds(60)) {
            let hosts = [try await harness.start(0), try await harness.start(1)]
            let peer = DeviceAddress(value: 0xC000_0000_0009, kind: .random)
            let key = try #require(HCI.Key128(Array(0..<16)))
            var bond = Bond(peer: peer, longTermKey: key)
            bond.localSigningKey = key
            await hosts[0].keep(bond)
            var last: UInt32?
            for turn in 0..<40 {
                let counter = try #require(await hosts[turn / 4 % 2].takeSignCounter(for: peer))
                if let last { #expect(counter > last) }
                last = counter
            }
            for host in hosts { await host.shutdown() }
        }
    }

    @Test("Hosts that share a store have one identity even if it cannot be saved")
    func fullDisk() async throws {
        let shared = SharedStore(FullStore())
        var addresses: Set<DeviceAddress> = []
        for _ in 0..<3 {
            var configuration = HostConfiguration()
            configuration.store = shared.makeMember()
            addresses.insert(HostIdentity(of: &configuration).local.address)
        }
        #expect(addresses.count == 1)
    }
}

/// A store without space.
private struct FullStore: HostStore {
    struct Full: Error {}

    func load(_ key: StoreKey) -> [UInt8]? { nil }
    func save(_ bytes: [UInt8], as key: StoreKey) throws { throw Full() }
    func remove(_ key: StoreKey) {}
    func keys() -> [StoreKey] { [] }
    func setAside(_ key: StoreKey, because reason: String) {}
}

/// The number of ATT requests that a controller has received.
private final class RequestCount: Sendable {
    private let count = Mutex(0)

    init(of controller: ControllerID, in world: World) {
        world.observe { [weak self] packet in
            guard packet.controller == controller, packet.direction == .toHost,
                Self.isRequest(packet.bytes)
            else { return }
            self?.count.withLock { $0 += 1 }
        }
    }

    /// Returns the number since the last call.
    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    /// Returns whether a packet is the beginning of an ATT request other than an MTU exchange: H4,
    /// ACL, L2CAP, PDU. Requests have even opcodes, and bit 6 marks a command.
    private static func isRequest(_ packet: [UInt8]) -> Bool {
        guard packet.count > 9, packet[0] == 0x02, packet[2] & 0x30 == 0x20,
            packet[7] == 0x04, packet[8] == 0x00
        else { return false }
        let opcode = packet[9]
        return opcode.isMultiple(of: 2) && opcode & 0x40 == 0 && ![0x02, 0x1E].contains(opcode)
    }
}

extension BluetoothHost {
    fileprivate func keep(_ bond: Bond) {
        core.keepBond(bond, now: executor.now)
        drain()
    }

    fileprivate func takeSignCounter(for peer: DeviceAddress) -> UInt32? {
        defer { drain() }
        return core.takeSignCounter(for: peer)
    }
}
