// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import HCITransports
import Testing

@testable import BluetoothHost

@Suite("A whole host", .timeLimit(.minutes(20)))
struct LiveHostTests {
    private let peer = ModelPeer(1, name: "Thermometer")

    @Test(
        "The host discovers, explores, reads, writes and disconnects a peer",
        arguments: [ModelProfile.rich, .poor]
    )
    func connectsAndReads(_ profile: ModelProfile) async throws {
        try await withLiveHost(profile, peers: [peer]) { host, controller in
            for try await found in host.scan() {
                #expect(found.address == peer.address)
                #expect(found.data.localName == "Thermometer")
                break
            }
            await controller.wait { !$0.isScanning }
            let link = try await host.connect(to: peer.address)
            #expect(await host.links == [link])
            let service = try #require(try await link.discoverServices().first)
            #expect(service.uuid == ModelServer.service)
            let characteristics = try await link.discoverCharacteristics(of: service)
            #expect(characteristics.map(\.uuid) == [ModelServer.readable, ModelServer.writable])
            let descriptors = try await link.discoverDescriptors(of: characteristics[0])
            #expect(descriptors.count == 1)
            #expect(try await link.read(descriptors[0]) == [0, 0])
            #expect(try await link.read(characteristics[0]) == [77])
            #expect(try await link.read(ModelServer.readableHandle) == [77])
            let long = [UInt8](repeating: 5, count: 300)
            try await link.write(long, to: ModelServer.writableHandle)
            #expect(try await link.readLong(characteristics[1]) == long)
            try await link.write([6], to: characteristics[1])
            #expect(try await link.readLong(ModelServer.writableHandle) == [6])
            try await link.disconnect()
            #expect(await host.links.isEmpty)
            await #expect(throws: HostError.self) { try await link.readRSSI() }
        }
    }

    @Test("The host fails to start without a controller, and becomes ready with a controller")
    func lateController() async throws {
        let executor = AdapterExecutor()
        let controller = LiveController(.rich, peers: [peer], executor: executor)
        controller.isAbsent = true
        let host = BluetoothHost(transport: controller.transport, executor: executor)
        await #expect(throws: HostError.self) { try await host.start() }
        controller.isAbsent = false
        for await state in host.states where state == .ready { break }
        _ = try await host.connect(to: peer.address)
        await host.shutdown()
        controller.dismantle()
        executor.shutDown()
    }

    @Test("Later requests on an ended link fail with the reason for its end")
    func lateQuestions() async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            controller.update { $0.dropLink(to: peer.address, .connectionTimeout) }
            let reason = try await link.ended()
            #expect(reason == .disconnected(.connectionTimeout))
            await #expect(throws: reason) { try await link.read(ModelServer.readableHandle) }
            await #expect(throws: reason) { try await link.readRSSI() }
            await #expect(throws: reason) { try await link.properties }
            try await link.disconnect()
        }
    }

    @Test("Code that is isolated to the host can perform a request")
    func isolatedRequest() async throws {
        try await withLiveHost(peers: [peer]) { host, _ in
            let link = try await host.connect(to: peer.address)
            #expect(try await host.signalStrength(of: link.identifier) == -48)
        }
    }

    @Test("Losing the transport ends links, and the adapter becomes ready again")
    func transportLost() async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            controller.update { $0.peers[peer.address]?.isSilent = true }
            let read = Task { try await link.read(ModelServer.readableHandle) }
            let end = Task { try await link.ended() }
            await controller.wait { $0.dataPackets.count >= 2 }
            var states = host.states.makeAsyncIterator()
            #expect(await states.next() == .ready)
            controller.closeTransport()
            await #expect(throws: HostError.self) { try await read.value }
            guard case .adapter(.transport) = try await end.value else {
                Issue.record("The link ended for another reason")
                return
            }
            while let state = await states.next(), state != .ready {}
            controller.update { $0.peers[peer.address]?.isSilent = false }
            let next = try await host.connect(to: peer.address)
            #expect(next != link)
            #expect(controller.openCount == 2)
        }
    }

    @Test("A pending connection survives a restart of the controller")
    func whenAvailable() async throws {
        try await withLiveHost { host, controller in
            let absent = ModelPeer(2)
            async let link = host.connect(to: absent.address, options: .whenAvailable)
            await controller.wait { $0.initiation != nil }
            controller.update { $0.send(.hardwareError(.init(code: 3))) }
            controller.update { model in
                model.peers[absent.address] = absent
                model.connectIfPossible()
            }
            let address = try await link.address
            #expect(address == absent.address)
        }
    }

    @Test("A shutdown ends every request and stream in progress")
    func shutdown() async throws {
        let executor = AdapterExecutor()
        let controller = LiveController(.rich, peers: [peer], executor: executor)
        let host = BluetoothHost(transport: controller.transport, executor: executor)
        try await host.start()
        let link = try await host.connect(to: peer.address)
        let values = try await link.subscribe(to: ModelServer.characteristic)
        controller.update {
            $0.peers[peer.address]?.isSilent = true
            $0.muteCommands = [.readRSSI]
            $0.endlessCommands = [.leSetPHY]
        }
        let scan = host.scan()
        let tasks: [Task<Void, any Error>] = [
            Task { _ = try await link.read(ModelServer.readableHandle) },
            Task { _ = try await link.discoverServices() },
            Task { _ = try await link.readRSSI() },
            Task { _ = try await link.requestPHY(transmit: .le2M, receive: nil) },
            Task { _ = try await host.connect(to: ModelPeer(7).address) },
            Task { _ = try await host.connect(to: ModelPeer(8).address, options: .whenAvailable) },
            Task { for try await _ in values {} },
            Task { for try await _ in scan {} },
        ]
        await controller.wait { $0.commands.contains(.readRSSI) }
        await host.shutdown()
        for task in tasks {
            await #expect(throws: (any Error).self) { try await task.value }
        }
        #expect(await host.state == .closed)
        for await state in host.states { #expect(state == .closed) }
        await #expect(throws: HostError.closed) { try await host.start() }
        await #expect(throws: HostError.closed) { try await host.connect(to: peer.address) }
        controller.dismantle()
        executor.shutDown()
    }
}

extension BluetoothHost {
    /// Reads the signal strength of a link, isolated to the host.
    fileprivate func signalStrength(of link: LinkIdentifier) async throws -> Int? {
        let answer = try await perform(on: link) { core, id, now in
            core.request(.readRSSI, of: link, id: id, now: now)
        } onCancel: { core, id, now in
            core.cancelRequest(id, of: link, now: now)
        }
        guard case .rssi(let rssi) = answer else { return nil }
        return rssi
    }
}
