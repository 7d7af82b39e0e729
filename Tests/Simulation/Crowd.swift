// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// A peripheral with a characteristic for notifications, and phones near it. All of them run
/// `BluetoothHost`.
final class Crowd: Sendable {
    static let service = Demo.uuid(0x200)
    static let stream = Demo.uuid(0x201)
    static let address = DeviceAddress(value: 0xF1A0_0000_0001, kind: .random)

    let air: SimulatedAir
    private let seed: UInt64
    private let peripheral: VirtualTransport
    /// The controllers of the phones.
    let phones: [ControllerID]

    /// Creates the peripheral, and this many phones in two rows beside it, 2 m to its left and
    /// right.
    init(seed: UInt64, phoneCount: Int) throws {
        self.seed = seed
        air = SimulatedAir(seed: seed)
        air.world.watchInvariants()
        peripheral = try air.addAdapter(ControllerConfiguration(name: "peripheral"))
        phones = try (0..<phoneCount).map { [air] number in
            let side = Double(number % 2) * 4 - 2
            let place = Position(x: side, y: Double(number) / Double(phoneCount))
            let name = "phone \(number)"
            return try air.world.addController(ControllerConfiguration(name: name, at: place))
        }
    }

    /// The peripheral's host, and the handle of the value that it notifies.
    struct Server: Sendable {
        let host: BluetoothHost
        let stream: AttributeHandle

        /// Returns the links of the subscribed phones, in the order of the phones.
        func subscribers() async -> [Link] {
            await host.subscribers(of: stream)
                .sorted { $0.address.value < $1.address.value }
        }
    }

    /// Starts all hosts, publishes and advertises, runs the body, and shuts all hosts down. Then
    /// every invariant of the radio must hold.
    func run<Value: Sendable>(
        bound: Duration,
        _ body: @escaping @Sendable (Server, [BluetoothHost]) async throws -> Value
    ) async throws -> Value {
        let value = try await air.run(bound: bound) { [self] in
            let host = host(on: peripheral, Self.address)
            let phones = phones.enumerated().map { number, phone in
                self.host(on: air.adapter(of: phone), Self.address(ofPhone: number))
            }
            for host in phones + [host] { try await host.start() }
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(serve(on: host), phones))
            } catch {
                result = .failure(error)
            }
            for host in phones + [host] { await host.shutdown() }
            return try result.get()
        }
        air.world.finishWatching()
        #expect(air.world.violations.isEmpty, "\(air.world)")
        return value
    }

    static func address(ofPhone number: Int) -> DeviceAddress {
        DeviceAddress(value: 0xF1C0_0000_0000 + UInt64(number), kind: .random)
    }

    private func host(on adapter: VirtualTransport, _ address: DeviceAddress) -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.address = address
        // The pauses between connection attempts are random. The seed makes them reproducible.
        configuration.randomness = SplitMix64(seed: seed ^ address.value)
        return BluetoothHost(
            transport: adapter,
            configuration: configuration,
            executor: air.executor
        )
    }

    private func serve(on host: BluetoothHost) async throws -> Server {
        let service = try await host.publish(
            GATT.ServiceDefinition(Self.service, [.init(Self.stream, .notify, value: .stored([]))])
        )
        var advertising = Advertising(AdvertisingContent(localName: "Crowded"))
        advertising.interval = .milliseconds(20) ... .milliseconds(30)
        _ = try await host.advertise(advertising)
        return Server(host: host, stream: service.characteristics[0].valueHandle)
    }
}

/// A phone that has connected and subscribed.
struct Listener: Sendable {
    let link: Link
    let values: NotificationStream

    init(
        _ host: BluetoothHost,
        parameters: ConnectParameters = ConnectParameters()
    ) async throws {
        let options = ConnectOptions(parameters: parameters)
        link = try await host.connect(to: Crowd.address, options: options)
        let found = try await link.allCharacteristics()
        values = try await link.subscribe(to: #require(found[Crowd.stream]))
    }

    /// Returns the 32-bit numbers at the beginning of the next `count` values.
    func numbers(_ count: Int) async throws -> [Int] {
        var numbers: [Int] = []
        for try await value in values {
            numbers.append(value.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) })
            if numbers.count == count { break }
        }
        return numbers
    }
}
