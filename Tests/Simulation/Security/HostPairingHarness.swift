// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import HCITransports
import Synchronization
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

@testable import BluetoothHost

/// Two of our hosts on a virtual radio, a strap and a phone, each with a user: their pairings, and
/// every packet between them.
final class HostPairingHarness: Sendable {
    let air: SimulatedAir
    let strapController: ControllerID
    let phoneController: ControllerID
    let users = PairingUsers()
    let wire = WireRecord()

    /// The configuration of each side.
    struct Side: Sendable {
        var io = Pairing.IOCapability.noInputNoOutput
        var adjust: @Sendable (inout HostConfiguration) -> Void = { _ in }

        init(
            _ io: Pairing.IOCapability = .noInputNoOutput,
            _ adjust: @escaping @Sendable (inout HostConfiguration) -> Void = { _ in }
        ) {
            self.io = io
            self.adjust = adjust
        }
    }

    init(seed: UInt64 = 1) throws {
        air = SimulatedAir(seed: seed)
        strapController = try air.world.addController(ControllerConfiguration(name: "strap"))
        phoneController = try air.world.addController(
            ControllerConfiguration(name: "phone", at: Position(x: 2, y: 0))
        )
        air.world.observe { [wire] in wire.add($0) }
    }

    /// Starts a host on one of the two controllers.
    func start(
        _ controller: ControllerID,
        _ side: Side,
        store: MemoryStore? = nil
    ) async throws -> BluetoothHost {
        var configuration = HostConfiguration()
        let isStrap = controller == strapController
        configuration.address = isStrap ? HostServingHarness.strap : HostServingHarness.phone
        configuration.store = store
        configuration.randomness = SplitMix64(seed: isStrap ? 3 : 4)
        configuration.pairing.ioCapability = side.io
        configuration.pairing.requiresAuthentication = side.io != .noInputNoOutput
        configuration.pairingDelegate = SimulatedUser(users, air)
        side.adjust(&configuration)
        let host = BluetoothHost(
            transport: air.adapter(of: controller),
            configuration: configuration,
            executor: air.executor
        )
        try await host.start()
        return host
    }

    /// Runs a body with both hosts, the strap's services, and a first link.
    func run(
        strap: Side = Side(),
        phone: Side = Side(),
        bound: Duration = .seconds(600),
        _ body: @escaping @Sendable (Session) async throws -> Void
    ) async throws {
        try await air.run(bound: bound) { [self] in
            let strapHost = try await start(strapController, strap)
            let phoneHost = try await start(phoneController, phone)
            let service = try await strapHost.publish(Strap.definition)
            try await body(try await connect(strapHost, phoneHost, service))
            await phoneHost.shutdown()
            await strapHost.shutdown()
        }
    }

    /// Makes the strap advertise and the phone connect.
    func connect(
        _ strap: BluetoothHost,
        _ phone: BluetoothHost,
        _ service: GATT.DiscoveredService
    ) async throws -> Session {
        let set = try await strap.advertise(Advertising())
        let link = try await phone.connect(to: HostServingHarness.strap)
        await set.stop()
        return Session(
            strap: strap,
            phone: phone,
            service: service,
            toStrap: link,
            toPhone: try #require(await strap.links.last)
        )
    }

    /// Disconnects both hosts, and connects them again.
    func reconnect(_ session: Session) async throws -> Session {
        try? await session.toStrap.disconnect()
        _ = try? await session.toPhone.ended()
        return try await connect(session.strap, session.phone, session.service)
    }

    /// Waits until pending packets have arrived.
    func settle() async throws { try await air.sleep(for: .seconds(1)) }

    /// Returns a task on the virtual radio's own thread, because virtual time does not wait for
    /// work on other threads.
    func task<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task(executorPreference: air.executor.taskExecutor) { try await body() }
    }
}

/// The answers of both users, the questions that they got, and the digits that a device displays.
final class PairingUsers: Sendable {
    struct State {
        var shown: UInt32?
        var asked: [Pairing.Method] = []
        var agrees = true
        /// Whether the digits are hidden.
        var hides = false
    }

    let state = Mutex(State())

    var asked: [Pairing.Method] { state.withLock { $0.asked } }
}

/// The user of a device. The user consents, and enters the number that the other device displays.
struct SimulatedUser: PairingDelegate {
    private let users: PairingUsers
    private let air: SimulatedAir

    init(_ users: PairingUsers, _ air: SimulatedAir) {
        (self.users, self.air) = (users, air)
    }

    /// The number that is entered at two devices without a display.
    static let agreed: UInt32 = 471_100

    private func agree(_ pairing: PairingRequest) -> Bool {
        users.state.withLock { state in
            state.asked.append(pairing.method)
            return state.agrees
        }
    }

    func consents(to pairing: PairingRequest) async -> Bool { agree(pairing) }

    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        agree(pairing)
    }

    func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        users.state.withLock { $0.shown = digits.value }
    }

    func enterDigits(
        for pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> PairingDigits? {
        guard agree(pairing) else { return nil }
        guard pairing.method != .passkeyEntryOnBoth else { return PairingDigits(Self.agreed) }
        while !Task.isCancelled {
            if let shown = users.state.withLock({ $0.hides ? nil : $0.shown }) {
                return PairingDigits(shown)
            }
            try? await air.sleep(for: .milliseconds(50))
        }
        return nil
    }

    func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool {
        users.state.withLock { $0.agrees }
    }
}
