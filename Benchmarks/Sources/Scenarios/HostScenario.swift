// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import HCITransports

/// A whole host, connected to a peer that consists of prepared bytes.
///
/// Each method performs one kind of traffic a given number of times. A task on `host.executor`
/// exchanges values with the host without a change of threads. A task on any other executor changes
/// threads twice for each exchange.
public final class HostScenario: Sendable {
    /// The number of packets that arrive at once in streams: as many as a busy link has in one
    /// connection event.
    public static let burst = 8

    /// The host.
    public let host: BluetoothHost
    private let executor: AdapterExecutor
    let controller: ScriptedController
    let link: Link

    private init(
        host: BluetoothHost,
        executor: AdapterExecutor,
        controller: ScriptedController,
        link: Link
    ) {
        self.host = host
        self.executor = executor
        self.controller = controller
        self.link = link
    }

    /// Starts the host and connects it.
    public static func connected() async throws -> HostScenario {
        let executor = AdapterExecutor()
        let (hostSide, controllerSide) = InProcessTransport.pair()
        let controller = ScriptedController(transport: controllerSide, executor: executor)
        try await controller.start()
        let host = BluetoothHost(transport: hostSide, executor: executor)
        try await host.start()
        let link = try await host.connect(to: ScriptedController.peer)
        return HostScenario(host: host, executor: executor, controller: controller, link: link)
    }

    /// Disconnects, stops the host, and ends its thread. Must not be called on that thread.
    public func finish() async throws {
        try await link.disconnect()
        await host.shutdown()
        executor.shutDown()
    }

    /// Reads a value of 20 bytes.
    public func read(count: Int) async throws {
        for _ in 0..<count {
            _ = try await link.read(AttributeHandle(UInt16(ScriptedServer.valueHandle)))
        }
    }

    /// Subscribes. Returns a stream for `receiveNotifications`.
    public func subscribe() async throws -> NotificationStream {
        let characteristic = GATT.Characteristic(
            uuid: BluetoothUUID(0xFFF2),
            handle: AttributeHandle(UInt16(ScriptedServer.notifyingHandle - 1)),
            valueHandle: AttributeHandle(UInt16(ScriptedServer.notifyingHandle)),
            properties: .notify,
            endHandle: AttributeHandle(UInt16(ScriptedServer.configurationHandle))
        )
        return try await link.subscribe(to: characteristic)
    }

    /// Receives notifications that arrive in bursts, until the stream has yielded `count`.
    public func receiveNotifications(
        count: Int,
        size: Int,
        burst: Int = HostScenario.burst,
        from stream: NotificationStream
    ) async throws {
        let notification = ScriptedServer.notification(of: [UInt8](repeating: 0x5A, count: size))
        let packets = [[UInt8]](repeating: notification, count: burst)
        var values = stream.makeAsyncIterator()
        for _ in 0..<(count / burst) {
            await controller.send(packets)
            for _ in 0..<burst { _ = try await values.next() }
        }
    }

    /// Starts a scan. Returns a stream for `receiveAdvertisements`.
    public func scan() -> AsyncThrowingStream<Advertisement, any Error> {
        host.scan(reportsDuplicates: true)
    }

    /// Receives advertising reports, one event each, from 500 devices in turn, until the stream has
    /// yielded `count`.
    public func receiveAdvertisements(
        count: Int,
        on stream: AsyncThrowingStream<Advertisement, any Error>
    ) async throws {
        var advertisements = stream.makeAsyncIterator()
        for _ in 0..<(count / Self.burst) {
            await controller.advertise(count: Self.burst)
            for _ in 0..<Self.burst { _ = try await advertisements.next() }
        }
    }
}
