// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import Testing
import VirtualAdapters
import VirtualRadio

@testable import BluetoothHost

/// A lamp and a phone that are bonded, and a third device that scans, all with our host.
final class PrivateHostsHarness: Sendable {
    /// One of the devices.
    struct Member: Sendable {
        let address: DeviceAddress
        let key: HCI.Key128

        init(_ number: UInt8) {
            address = DeviceAddress(value: 0xC000_0000_0000 + UInt64(number), kind: .random)
            key = HCI.Key128([UInt8](repeating: number, count: 16)) ?? HCI.Key128()
        }
    }

    /// The kind of the controllers.
    enum Controllers: CaseIterable, Sendable {
        /// Controllers that resolve private addresses.
        case extended
        /// Controllers that have no privacy modes, so their hosts resolve private addresses.
        case legacy
        /// Controllers without a resolving list, which leave the resolution to their hosts.
        case extendedWithoutList, legacyWithoutList

        fileprivate func describe(_ configuration: inout ControllerConfiguration) {
            configuration.isOld = self == .legacy || self == .legacyWithoutList
            let hasList = self == .extended || self == .legacy
            if !hasList { configuration.resolvingListLimit = 0 }
        }
    }

    static let phone = Member(1)
    static let lamp = Member(2)
    static let unknownPeer = Member(3)

    let air: SimulatedAir
    let recorder: AddressRecorder
    private let transports: [VirtualTransport]
    private let rotation: Duration
    private let lampIsPrivate: Bool

    /// Creates the three devices.
    ///
    /// - Parameter lampIsPrivate: Whether the lamp uses private addresses. If not, the phone still
    ///   has the lamp's resolving key.
    init(
        _ controllers: Controllers = .extended,
        seed: UInt64 = 1,
        rotation: Duration = .seconds(10),
        lampIsPrivate: Bool = true
    ) throws {
        air = SimulatedAir(seed: seed)
        air.world.watchInvariants()
        recorder = AddressRecorder(air.world)
        self.rotation = rotation
        self.lampIsPrivate = lampIsPrivate
        transports = try ["phone", "lamp", "unknownPeer"].enumerated().map { [air] place, name in
            var configuration = ControllerConfiguration(
                name: name,
                at: Position(x: 2 * Double(place), y: 0)
            )
            controllers.describe(&configuration)
            return try air.addAdapter(configuration)
        }
    }

    /// Starts the hosts, runs the body, and shuts them down. Checks that no packet contained the
    /// identity address of a private device.
    func run(
        bound: Duration = .seconds(4_000),
        _ body:
            @escaping @Sendable (
                _ phone: BluetoothHost, _ lamp: BluetoothHost, _ unknownPeer: BluetoothHost
            ) async throws -> Void
    ) async throws {
        try await air.run(bound: bound) { [self] in
            let phone = host(0, Self.phone, peer: Self.lamp, privacy)
            let lamp = host(1, Self.lamp, peer: Self.phone, lampIsPrivate ? privacy : .off)
            let unknownPeer = host(2, Self.unknownPeer, peer: nil, privacy)
            for host in [phone, lamp, unknownPeer] { try await host.start() }
            let result: Result<Void, any Error>
            do { result = .success(try await body(phone, lamp, unknownPeer)) } catch {
                result = .failure(error)
            }
            for host in [phone, lamp, unknownPeer] { await host.shutdown() }
            try result.get()
        }
        air.world.finishWatching()
        #expect(air.world.violations.isEmpty, "\(air.world)")
        let shown = recorder.received.all.filter { $0.randomKind != .resolvablePrivate }
        #expect(shown.subtracting(lampIsPrivate ? [] : [Self.lamp.address]).isEmpty)
    }

    private var privacy: Privacy { .resolvable(rotation: rotation) }

    private func host(
        _ place: Int,
        _ member: Member,
        peer: Member?,
        _ privacy: Privacy
    ) -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.address = member.address
        configuration.privacy = privacy
        let identity = Pairing.LocalIdentity(address: member.address, resolvingKey: member.key)
        configuration.store = MemoryStore([RecordName.identity.key: identity.encode()])
        if let peer {
            var bond = Bond(peer: peer.address, longTermKey: Self.phone.key)
            bond.resolvingKey = peer.key
            configuration.bonds = [bond]
        }
        return BluetoothHost(
            transport: transports[place],
            configuration: configuration,
            executor: air.executor
        )
    }

    /// The lamp's advertisement.
    static var lampProposal: Advertising {
        var proposal = Advertising(AdvertisingContent(localName: "Lamp"))
        proposal.interval = .milliseconds(180) ... .milliseconds(220)
        return proposal
    }
}
