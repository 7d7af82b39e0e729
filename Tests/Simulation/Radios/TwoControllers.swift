// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// Two hosts of one device, each with its own controller, and a peripheral, on a virtual radio.
final class TwoControllers: Sendable {
    /// The peripheral.
    enum Peripheral: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// A virtual accessory with its own server and keys, by the kind of its address.
        case publicAccessory, staticAccessory, privateAccessory
        /// One of our hosts, by the kind of its address.
        case staticHost, privateHost

        var testDescription: String {
            switch self {
            case .publicAccessory: "an accessory with a public address"
            case .staticAccessory: "an accessory with a random static address"
            case .privateAccessory: "an accessory with private addresses"
            case .staticHost: "our host with a random static address"
            case .privateHost: "our host with private addresses"
            }
        }

        var isPrivate: Bool { self == .privateAccessory || self == .privateHost }

        /// The profile, if it is a virtual accessory.
        var profile: SimpleAccessoryProfile? {
            var profile = SimpleAccessoryProfile(
                name: "Strap",
                services: [
                    .init(
                        Strap.definition.uuid,
                        [
                            .init(
                                TwoControllers.secret,
                                [.read, .notify],
                                value: [42],
                                requirement: .encrypted
                            )
                        ]
                    )
                ],
                pairing: AccessoryPairing()
            )
            switch self {
            case .publicAccessory: profile.address = .public
            case .staticAccessory: profile.address = .randomStatic
            case .privateAccessory: profile.address = .rotating(every: .seconds(20))
            case .staticHost, .privateHost: return nil
            }
            return profile
        }
    }

    /// The value that requires encryption.
    static let secret = BluetoothUUID(0x2A8D)

    let air: SimulatedAir
    let store = MemoryStore()
    let controllers: [ControllerID]
    let accessory: ControllerID
    private let transports: [VirtualTransport]
    private let shared: SharedStore
    private let seed: UInt64

    /// Creates the controllers and the peripheral.
    ///
    /// - Parameter positions: The positions of the two controllers in meters. The peripheral is at
    ///   the origin.
    init(seed: UInt64 = 1, _ peripheral: Peripheral, positions: [Double] = [2, 3]) throws {
        self.seed = seed
        air = SimulatedAir(seed: seed)
        shared = SharedStore(store)
        controllers = try positions.enumerated().map { [air] index, meters in
            try air.world.addController(
                ControllerConfiguration(name: "room \(index)", at: Position(x: meters, y: 0))
            )
        }
        transports = controllers.map { [air] in air.adapter(of: $0) }
        let place = ControllerConfiguration(name: "strap")
        if let profile = peripheral.profile {
            accessory = try air.world.addController(place, host: SimpleAccessory(profile))
        } else {
            accessory = try air.world.addController(place)
        }
    }

    /// Starts the host on a controller.
    func start(_ index: Int, privacy: Privacy = .off) async throws -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.randomness = SplitMix64(seed: seed &+ UInt64(index))
        configuration.store = shared.makeMember()
        configuration.privacy = privacy
        configuration.pairingDelegate = ConsentingUser()
        let host = BluetoothHost(
            transport: transports[index],
            configuration: configuration,
            executor: air.executor
        )
        try await host.start()
        return host
    }

    /// Starts the peripheral if it is one of our hosts.
    func startPeripheral(_ peripheral: Peripheral) async throws -> BluetoothHost? {
        guard peripheral.profile == nil else { return nil }
        var configuration = HostConfiguration()
        configuration.randomness = SplitMix64(seed: seed &+ 99)
        configuration.privacy = peripheral.isPrivate ? .on : .off
        configuration.pairingDelegate = ConsentingUser()
        let host = BluetoothHost(
            transport: air.adapter(of: accessory),
            configuration: configuration,
            executor: air.executor
        )
        try await host.start()
        _ = try await host.publish(Strap.definition)
        _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Strap")))
        return host
    }

    /// Unplugs a controller: its links end without a packet, and its transport reports that to the
    /// host.
    func unplug(_ index: Int) {
        air.world.switchOff(controllers[index])
        transports[index].close(.closedByPeer(transports[index].name))
    }

    /// Connects the controller again. Its host opens it by itself.
    func plugIn(_ index: Int) { air.world.switchOn(controllers[index]) }

    /// Finds the peripheral by its name, and connects to it.
    func connect(_ host: BluetoothHost) async throws -> Link {
        for try await found in host.scan(for: ScanFilter(name: "Strap")) {
            return try await host.connect(to: found.address)
        }
        throw CancellationError()
    }

    /// Returns the handle of the secret value in the peer's database.
    static func secretHandle(_ link: Link) async throws -> AttributeHandle {
        let database = try await link.database()
        let values = database.services.flatMap(\.characteristics)
        let found = values.first { $0.characteristic.uuid == secret }
        return try #require(found).characteristic.valueHandle
    }

    struct ConsentingUser: PairingDelegate {
        func consents(to pairing: PairingRequest) async -> Bool { true }
    }
}
