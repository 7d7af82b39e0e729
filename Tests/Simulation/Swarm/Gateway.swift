// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import HCITransports
import Synchronization
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// A host whose service has a protected value, and clients that connect to it again and again. All
/// of them run our host.
final class Gateway: Sendable {
    /// A violated invariant.
    struct InvariantViolation: Error, CustomStringConvertible {
        let description: String
    }

    static let address = DeviceAddress(value: 0xF1A0_0000_0007, kind: .random)
    /// The limit of a visit in virtual time. Longer visits are canceled.
    private static let visitLimit = Duration.seconds(60)

    let controller: ControllerID
    let clients: [ControllerID]
    private let air: SimulatedAir
    private let hosts: [BluetoothHost]
    private let server: BluetoothHost
    private let state = Mutex(State())

    private struct State {
        var service: GATT.DiscoveredService?
        var extra: GATT.DiscoveredService?
        var number: UInt32 = 0
        var violation: String?
        var visitCount = 0
        var visits: [Task<Void, Never>] = []
    }

    /// A user who consents to everything.
    private struct Consent: PairingDelegate {
        func consents(to pairing: PairingRequest) async -> Bool { true }
    }

    init(seed: UInt64, clients count: Int, on air: SimulatedAir) throws {
        self.air = air
        controller = try air.world.addController(
            ControllerConfiguration(name: "gateway", at: Position(x: 0, y: 6))
        )
        clients = try (0..<count).map { number in
            try air.world.addController(
                ControllerConfiguration(
                    name: "client \(number)",
                    at: Position(x: Double(number), y: 8)
                )
            )
        }
        server = Self.host(on: controller, Self.address, seed: seed, air)
        hosts = clients.enumerated().map { number, controller in
            let address = DeviceAddress(
                value: Self.address.value + 1 + UInt64(number),
                kind: .random
            )
            return Self.host(on: controller, address, seed: seed, air)
        }
    }

    private static func host(
        on controller: ControllerID,
        _ address: DeviceAddress,
        seed: UInt64,
        _ air: SimulatedAir
    ) -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.address = address
        configuration.store = MemoryStore()
        configuration.randomness = SplitMix64(seed: seed ^ address.value)
        configuration.pairingDelegate = Consent()
        // A fault can end a pairing when only one side has stored the bond.
        configuration.bondLossPolicy = .pairOnce
        return BluetoothHost(
            transport: air.adapter(of: controller),
            configuration: configuration,
            executor: air.executor
        )
    }

    // MARK: The server

    func begin() async throws {
        for host in hosts + [server] { try await host.start() }
        let service = try await server.publish(Strap.definition)
        state.withLock { $0.service = service }
        _ = try await server.advertise(Advertising(AdvertisingContent(localName: "Gateway")))
        let visits = hosts.indices.map { number in
            Task(executorPreference: air.executor.taskExecutor) { [weak self] in
                while !Task.isCancelled, let self {
                    // Faults end a visit with an error.
                    _ = try? await limitedVisit(of: number)
                    try? await air.sleep(for: .milliseconds(200 + 700 * number))
                }
            }
        }
        state.withLock { $0.visits = visits }
    }

    /// Notifies all subscribed clients of the next number.
    func notify() async {
        guard let handle = handle(.stored) else { return }
        for link in await server.subscribers(of: handle) {
            let value = state.withLock { state in
                state.number += 1
                return withUnsafeBytes(of: state.number.bigEndian, Array.init)
            }
            _ = try? await link.tryNotify(value, of: handle)
        }
    }

    func dropClients() async {
        for link in await server.links { try? await link.disconnect() }
    }

    /// Adds another service, or removes it.
    func changeTable() async throws {
        if let extra = state.withLock({ $0.extra.take() }) {
            return try await server.unpublish(extra)
        }
        let definition = GATT.ServiceDefinition(
            Demo.uuid(0x300),
            [.init(Demo.uuid(0x301), .read, value: .stored([7]))]
        )
        let added = try await server.publish(definition)
        state.withLock { $0.extra = added }
    }

    /// Ends the visits and all hosts.
    func end() async {
        for visit in state.withLock({ $0.visits }) {
            visit.cancel()
            await visit.value
        }
        for host in hosts + [server] { await host.shutdown() }
    }

    // MARK: The clients

    /// Throws if a visit violated an invariant.
    func check() throws {
        if let violation = state.withLock({ $0.violation }) {
            throw InvariantViolation(description: violation)
        }
    }

    /// Waits until every client has completed a visit from now on.
    func expectVisits(within limit: Duration) async throws {
        for visit in state.withLock({ $0.visits }) {
            visit.cancel()
            await visit.value
        }
        state.withLock { $0.visits = [] }
        for number in hosts.indices {
            let end = air.now + limit
            var isComplete = false
            var failure = ""
            while !isComplete {
                do {
                    isComplete = try await limitedVisit(of: number)
                } catch {
                    failure = "\(error)"
                    try await air.sleep(for: .seconds(1))
                }
                try check()
                guard isComplete || air.now < end else {
                    throw InvariantViolation(
                        description: "a client cannot use the gateway: client \(number), \(failure)"
                    )
                }
            }
        }
    }

    /// Makes a visit, and returns whether it was completed within its limit.
    @discardableResult
    private func limitedVisit(of number: Int) async throws -> Bool {
        let result: Result<Bool, any Error>
        do {
            result = .success(try await race(number))
        } catch {
            result = .failure(error)
        }
        // A visit that failed leaves its link open.
        for link in await hosts[number].links { try? await link.disconnect() }
        return try result.get()
    }

    private func race(_ number: Int) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { [self] in
                try await visit(of: number)
                return true
            }
            group.addTask { [air] in
                try await air.sleep(for: Self.visitLimit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    /// Connects, reads and subscribes, writes, and disconnects.
    private func visit(of number: Int) async throws {
        let link = try await hosts[number].connect(to: Self.address)
        let found = try await link.allCharacteristics()
        for wanted in Strap.definition.characteristics where found[wanted.uuid] == nil {
            noteViolation("a discovered database lacks a characteristic: \(wanted.uuid)")
        }
        let uuids = Strap.definition.characteristics.map(\.uuid)
        guard let stored = found[uuids[Strap.stored.rawValue]],
            let secret = found[uuids[Strap.secret.rawValue]]
        else { return }
        let values = try await link.subscribe(to: stored)
        let listening = Task(executorPreference: air.executor.taskExecutor) { [self] in
            var last: UInt32 = 0
            for try await value in values { last = follow(value, after: last) }
        }
        defer { listening.cancel() }
        let value = try await link.read(secret)
        if value != [42] { noteViolation("a read returned another value: \(value)") }
        let security = try await link.security
        if !security.isEncrypted { noteViolation("a protected value was read without encryption") }
        let written = [UInt8](repeating: UInt8(number), count: 200)
        try await link.write(written, to: stored)
        await notify()
        try await link.disconnect()
        state.withLock { $0.visitCount += 1 }
    }

    /// Checks that notified numbers increase.
    private func follow(_ value: [UInt8], after last: UInt32) -> UInt32 {
        let number = value.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        if value.count != 4 || number <= last {
            noteViolation("a notification is out of order: \(value)")
        }
        return number
    }

    private func noteViolation(_ text: String) {
        state.withLock { if $0.violation == nil { $0.violation = text } }
    }

    private func handle(_ value: Strap) -> AttributeHandle? {
        state.withLock { $0.service?.characteristics[value.rawValue].valueHandle }
    }
}
