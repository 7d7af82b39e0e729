// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothL2CAP
import BluetoothTypes
import Synchronization
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// The host at both ends of the virtual radio: a peripheral with a server, and centrals around it,
/// on LE 1M without encryption. Measures the throughput of a stream in virtual time.
public final class ServedStream: Sendable {
    /// The procedure that carries the stream.
    public enum Carrier: Sendable {
        /// Notifications of 244 bytes, which fill a Link Layer packet.
        case notifications
        /// A credit-based L2CAP channel.
        case channel
    }

    /// The throughput in a second of virtual time.
    public struct Rate: Sendable {
        /// Bits of application data, of all centrals.
        public let bits: Double
        /// The data on the slowest link divided by the data on the fastest link.
        public let leastOfMost: Double
    }

    /// The payload length of an L2CAP frame that fills a Link Layer packet of 251 bytes: 251 minus
    /// the 4 bytes of the L2CAP header.
    public static let frameLength = 247
    /// The number of bytes of an SDU that fills eight frames together with the length before it.
    private static let sduLength = 8 * frameLength - 2

    private static let uuid = BluetoothUUID(0xFFF2)
    private static let psm: L2CAP.SPSM = 0x0080
    /// The duration for which a stream runs before the measurement.
    private static let run = Duration.seconds(5)

    private let air = SimulatedAir(seed: 7)
    private let peripheral: VirtualTransport
    private let centrals: [VirtualTransport]
    private let interval: Duration

    /// Creates a server with a number of centrals and links of this interval.
    ///
    /// - Parameter bufferCount: The number of packets that the peripheral's controller holds for
    ///   all links. A connection event sends the packets that are present at its start.
    public init(centralCount: Int, interval: Duration, bufferCount: Int = 12) throws {
        self.interval = interval
        var configuration = ControllerConfiguration(name: "peripheral")
        configuration.dataPacketCount = bufferCount
        peripheral = try air.addAdapter(configuration)
        centrals = try (0..<centralCount).map { [air] number in
            let place = Position(x: 2, y: Double(number) / 10)
            return try air.addAdapter(ControllerConfiguration(name: "\(number)", at: place))
        }
    }

    /// Streams to every central for this duration. Returns the throughput.
    ///
    /// - Throws: The first error of a stream, and an error if a central has received nothing.
    public func rate(of carrier: Carrier, over span: Duration) async throws -> Rate {
        try await air.run(bound: .seconds(600) + span) { [self] in
            let server = try await host(on: peripheral, number: 0)
            let readers = try await readers(carrier, server)
            let tally = Tally(count: readers.count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, reader) in readers.enumerated() {
                    group.addTask { try await reader.receive { tally.add($0, at: place) } }
                    group.addTask { try await reader.flood() }
                }
                try await air.sleep(for: Self.run)
                tally.reset()
                try await air.sleep(for: span)
                tally.stop()
                group.cancelAll()
                while let ended = await group.nextResult() {
                    guard case .failure(let error) = ended else { continue }
                    if !(error is CancellationError) { throw error }
                }
            }
            let rate = tally.rate(over: span)
            guard rate.leastOfMost > 0 else { throw NoStream() }
            // Each stream keeps only the host at its own end alive, so keep the server here.
            return withExtendedLifetime(server) { rate }
        }
    }

    private func host(on adapter: VirtualTransport, number: UInt64) async throws -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.address = DeviceAddress(value: 0xF1A0_0000_0000 + number, kind: .random)
        let host = BluetoothHost(
            transport: adapter,
            configuration: configuration,
            executor: air.executor
        )
        try await host.start()
        return host
    }
}

// MARK: - Both ends of each link

extension ServedStream {
    /// A stream to one central: its sender and its receiver.
    private struct Reader: Sendable {
        let send: @Sendable () async throws -> Void
        let receive: @Sendable (_ add: @Sendable (Int) -> Void) async throws -> Void

        func flood() async throws {
            while !Task.isCancelled { try await send() }
        }
    }

    private func readers(_ carrier: Carrier, _ server: BluetoothHost) async throws -> [Reader] {
        let service = try await server.publish(
            GATT.ServiceDefinition(
                BluetoothUUID(0xFFF0),
                [.init(Self.uuid, .notify, value: .stored([]))]
            )
        )
        let value = service.characteristics[0].valueHandle
        let listener = try await server.listen(psm: Self.psm)
        let advertising = try await server.advertise(Advertising())
        var readers: [Reader] = []
        for (place, adapter) in centrals.enumerated() {
            let central = try await host(on: adapter, number: UInt64(place) + 1)
            let link = try await connect(central)
            switch carrier {
            case .notifications:
                readers.append(try await notifications(link, value, server))
            case .channel: readers.append(try await channel(link, listener))
            }
        }
        // All centrals are connected, and further advertising would take air time from the streams.
        await advertising.stop()
        return readers
    }

    private func connect(_ central: BluetoothHost) async throws -> Link {
        var timing = ConnectParameters()
        timing.intervalMinimum = interval
        timing.intervalMaximum = interval
        let server = DeviceAddress(value: 0xF1A0_0000_0000, kind: .random)
        let options = ConnectOptions(timeout: .seconds(60), parameters: timing)
        return try await central.connect(to: server, options: options)
    }

    private func notifications(
        _ link: Link,
        _ value: AttributeHandle,
        _ server: BluetoothHost
    ) async throws -> Reader {
        let known = Set(await server.subscribers(of: value))
        for service in try await link.discoverServices(uuid: BluetoothUUID(0xFFF0)) {
            let found = try await link.discoverCharacteristics(of: service)
            let values = try await link.subscribe(to: found[0])
            let subscribers = await server.subscribers(of: value)
            guard let own = subscribers.first(where: { !known.contains($0) }) else { break }
            let bytes = [UInt8](repeating: 7, count: StreamScenario.notificationLength)
            return Reader(
                send: { try await own.notify(bytes, of: value) },
                receive: { add in
                    for try await value in values { add(value.count) }
                    // The stream does not end before its link.
                    withExtendedLifetime(link) {}
                }
            )
        }
        throw NoStream()
    }

    private func channel(_ link: Link, _ listener: ChannelListener) async throws -> Reader {
        let receiving = try await link.openChannel(psm: Self.psm)
        guard let sending = try await listener.accept() else { throw NoStream() }
        let bytes = [UInt8](repeating: 7, count: Self.sduLength)
        return Reader(
            send: { try await sending.send(bytes) },
            receive: { add in for try await sdu in receiving.sdus { add(sdu.count) } }
        )
    }

    private struct NoStream: Error {}
}

/// The number of bytes that each central has received.
private final class Tally: Sendable {
    private let counts: Mutex<[Int]>
    private let isStopped = Mutex(false)

    init(count: Int) { counts = Mutex([Int](repeating: 0, count: count)) }

    func add(_ count: Int, at place: Int) {
        guard !isStopped.withLock({ $0 }) else { return }
        counts.withLock { $0[place] += count }
    }

    /// Ends the measurement.
    func stop() { isStopped.withLock { $0 = true } }

    func reset() { counts.withLock { $0 = [Int](repeating: 0, count: $0.count) } }

    func rate(over span: Duration) -> ServedStream.Rate {
        let counts = counts.withLock { $0 }
        let seconds = span / .seconds(1)
        return ServedStream.Rate(
            bits: Double(counts.reduce(0, +) * 8) / seconds,
            leastOfMost: Double(counts.min() ?? 0) / Double(max(1, counts.max() ?? 0))
        )
    }
}
