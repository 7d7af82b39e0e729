// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import HCITransports
import Testing

@testable import BluetoothHost

/// A request of an application on a link.
struct LinkCall: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let perform: @Sendable (Link) async throws -> Void

    private init(_ name: String, _ perform: @escaping @Sendable (Link) async throws -> Void) {
        testDescription = name
        self.perform = perform
    }

    private static let handle = ModelServer.writableHandle
    private static let service = GATT.Service(
        uuid: ModelServer.service,
        isPrimary: true,
        handle: ModelServer.serviceHandle,
        endHandle: ModelServer.lastHandle
    )

    /// Requests that the peer answers.
    static let byPeer = [
        LinkCall("services") { _ = try await $0.discoverServices() },
        LinkCall("secondary services") { _ = try await $0.discoverSecondaryServices() },
        LinkCall("one service") { _ = try await $0.discoverServices(uuid: ModelServer.service) },
        LinkCall("included services") { _ = try await $0.discoverIncludedServices(of: service) },
        LinkCall("characteristics") { _ = try await $0.discoverCharacteristics(of: service) },
        LinkCall("descriptors") {
            _ = try await $0.discoverDescriptors(of: ModelServer.characteristic)
        },
        LinkCall("read") { _ = try await $0.read(handle) },
        LinkCall("read long") { _ = try await $0.readLong(handle) },
        LinkCall("read by UUID") { _ = try await $0.read(uuid: ModelServer.readable) },
        LinkCall("read several") { _ = try await $0.read([handle, handle]) },
        LinkCall("read joined") { _ = try await $0.readJoined([handle, handle]) },
        LinkCall("write") { try await $0.write([1], to: handle) },
        LinkCall("write long") {
            try await $0.write([UInt8](repeating: 1, count: 400), to: handle)
        },
        LinkCall("write reliably") {
            try await $0.writeReliably([.init(handle: handle, value: [1, 2])])
        },
        LinkCall("subscribe") { _ = try await $0.subscribe(to: ModelServer.characteristic) },
    ]

    /// Requests that the controller answers.
    static let byController = [
        LinkCall("signal strength") { _ = try await $0.readRSSI() },
        LinkCall("PHY") { _ = try await $0.readPHY() },
        LinkCall("other PHY") { _ = try await $0.requestPHY(transmit: .le2M, receive: nil) },
        LinkCall("data length") { try await $0.requestDataLength() },
        LinkCall("version") { _ = try await $0.readRemoteVersion() },
        LinkCall("parameters") {
            let update = ConnectionUpdate(
                intervalMinimum: .milliseconds(15),
                intervalMaximum: .milliseconds(30)
            )
            _ = try await $0.updateParameters(update)
        },
        LinkCall("disconnection") { try await $0.disconnect() },
    ]

    /// The wait for the end of the link.
    static let end = LinkCall("end") { _ = try await $0.ended() }
}

@Suite("Cancellation of tasks", .timeLimit(.minutes(20)))
struct LiveCancellationTests {
    private let peer = ModelPeer(1)

    /// Starts `call`, cancels it after `isUnderWay` returns, and expects it to end at once.
    ///
    /// The task runs on the host's own thread, which other tests do not block. A blocked task could
    /// cancel too late, because a command without a response from the controller fails after two
    /// seconds.
    private func cancel(
        _ call: LinkCall,
        on link: Link,
        of host: BluetoothHost,
        when isUnderWay: () async -> Void
    ) async {
        await withTaskExecutorPreference(host.executor.taskExecutor) {
            let task = Task { try await call.perform(link) }
            await isUnderWay()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(
        "Cancellation ends a request that a silent peer does not answer",
        arguments: LinkCall.byPeer
    )
    func peerSilent(_ call: LinkCall) async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            let before = controller.update { model in
                model.peers[peer.address]?.isSilent = true
                return model.dataPackets.count
            }
            await cancel(call, on: link, of: host) {
                await controller.wait { $0.dataPackets.count > before }
            }
            #expect(try await link.readRSSI() == -48)
        }
    }

    @Test(
        "Cancellation ends a request that the controller does not answer",
        arguments: LinkCall.byController
    )
    func controllerSilent(_ call: LinkCall) async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            let before = controller.update { model in
                model.muteCommands = [.readRSSI, .leReadPHY, .leSetDataLength]
                model.endlessCommands = [
                    .leSetPHY, .readRemoteVersionInformation, .leConnectionUpdate, .disconnect,
                ]
                return model.commands.count
            }
            await cancel(call, on: link, of: host) {
                await controller.wait { $0.commands.count > before }
            }
            #expect(try await link.read(ModelServer.readableHandle) == [77])
        }
    }

    @Test(
        "Cancellation before the request starts ends every request",
        arguments: LinkCall.byPeer + LinkCall.byController + [LinkCall.end]
    )
    func beforehand(_ call: LinkCall) async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            controller.update {
                $0.peers[peer.address]?.isSilent = true
                $0.muteCommands = [.readRSSI, .leReadPHY, .leSetDataLength]
                $0.endlessCommands = [
                    .leSetPHY, .readRemoteVersionInformation, .leConnectionUpdate, .disconnect,
                ]
            }
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await call.perform(link)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("Cancellation ends the wait for the end of a link, and the link remains")
    func end() async throws {
        try await withLiveHost(peers: [peer]) { host, _ in
            let link = try await host.connect(to: peer.address)
            await cancel(LinkCall.end, on: link, of: host) { _ = await host.links }
            #expect(try await link.read(ModelServer.readableHandle) == [77])
        }
    }

    @Test("Cancellation ends a connection request", arguments: [true, false])
    func connecting(isPending: Bool) async throws {
        try await withLiveHost { host, controller in
            let options = isPending ? ConnectOptions.whenAvailable : ConnectOptions()
            let task = Task { try await host.connect(to: peer.address, options: options) }
            await controller.wait { $0.initiation != nil }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await controller.wait { $0.initiation == nil }
            controller.update { $0.peers[peer.address] = peer }
            _ = try await host.connect(to: peer.address)
        }
    }

    @Test("Cancellation of writes without response frees their places in the queue")
    func writeWithoutResponse() async throws {
        try await withLiveHost(.poor, peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            controller.update { $0.keepsPackets = true }
            let tasks = (0..<30).map { number in
                Task {
                    try await link.writeWithoutResponse(
                        [UInt8(number)],
                        to: ModelServer.writableHandle
                    )
                }
            }
            await controller.wait { $0.links.values.contains { $0.heldPackets.count == 1 } }
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
            controller.update { model in
                model.keepsPackets = false
                if let handle = model.handle(of: peer.address) {
                    model.releasePackets(30, on: handle)
                }
            }
            #expect(try await link.read(ModelServer.readableHandle) == [77])
        }
    }

    @Test("A host can be started again after its start was canceled")
    func start() async throws {
        let executor = AdapterExecutor()
        let controller = LiveController(.rich, peers: [peer], executor: executor)
        let host = BluetoothHost(transport: controller.transport, executor: executor)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await host.start()
        }
        _ = await task.result
        try await host.start()
        #expect(await host.state == .ready)
        await host.shutdown()
        controller.dismantle()
        executor.shutDown()
    }
}
