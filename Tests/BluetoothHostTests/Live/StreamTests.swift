// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Streams", .timeLimit(.minutes(20)))
struct StreamTests {
    private let peer = ModelPeer(1)

    private static func isSubscribed(
        _ address: DeviceAddress
    ) -> @Sendable (ModelController) -> Bool {
        { $0.peers[address]?.server.isSubscribed == true }
    }

    private static func isUnsubscribed(
        _ address: DeviceAddress
    ) -> @Sendable (ModelController) -> Bool {
        { $0.peers[address]?.server.isSubscribed == false }
    }

    @Test("A subscription yields the peer's values, and releasing it unsubscribes")
    func subscription() async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            do {
                let values = try await link.subscribe(to: ModelServer.characteristic)
                controller.update { model in
                    for number in 0..<10 { model.notify([UInt8(number)], from: peer.address) }
                }
                var received: [[UInt8]] = []
                for try await value in values {
                    received.append(value)
                    if received.count == 10 { break }
                }
                #expect(received == (0..<10).map { [UInt8($0)] })
                #expect(controller.update { Self.isSubscribed(peer.address)($0) })
            }
            await controller.wait(until: Self.isUnsubscribed(peer.address))
        }
    }

    @Test(
        "A subscription searches for the descriptor only if the peer's database is unknown",
        arguments: [true, false]
    )
    func requests(isKnown: Bool) async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            var characteristic = ModelServer.characteristic
            if isKnown {
                let found = try await link.database().characteristic(ModelServer.readable)
                characteristic = try #require(found).characteristic
            }
            func searches() -> Int {
                controller.update { model in
                    model.peers[peer.address]?.server.received.count {
                        $0.opcode == .findInformationRequest
                    } ?? 0
                }
            }
            let before = searches()
            let values = try await link.subscribe(to: characteristic)
            #expect(searches() - before == (isKnown ? 0 : 1))
            #expect(controller.update { Self.isSubscribed(peer.address)($0) })
            withExtendedLifetime(values) {}
        }
    }

    @Test("A second subscription shares the first subscription, and its end does not unsubscribe")
    func shared() async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            let first = try await link.subscribe(to: ModelServer.characteristic)
            do {
                let second = try await link.subscribe(to: ModelServer.characteristic)
                controller.update { $0.notify([1], from: peer.address) }
                for try await value in second {
                    #expect(value == [1])
                    break
                }
            }
            _ = try await link.read(ModelServer.readableHandle)
            #expect(controller.update { Self.isSubscribed(peer.address)($0) })
            controller.update { $0.notify([2], from: peer.address) }
            var received: [[UInt8]] = []
            for try await value in first {
                received.append(value)
                if received.count == 2 { break }
            }
            #expect(received == [[1], [2]])
        }
    }

    @Test("A reader that falls too far behind gets an error after the buffered values")
    func overflow() async throws {
        try await withLiveHost(peers: [peer]) {
            $0.notificationBufferLimit = 4
        } _: { host, controller in
            let link = try await host.connect(to: peer.address)
            let values = try await link.subscribe(to: ModelServer.characteristic)
            controller.update { model in
                for number in 0..<10 { model.notify([UInt8(number)], from: peer.address) }
            }
            await controller.wait(until: Self.isUnsubscribed(peer.address))
            var received: [[UInt8]] = []
            await #expect(throws: HostError.notificationsOverflowed) {
                for try await value in values { received.append(value) }
            }
            #expect(received == [[0], [1], [2], [3]])
        }
    }

    @Test("The end of the link ends the stream with its reason")
    func linkLost() async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            let values = try await link.subscribe(to: ModelServer.characteristic)
            controller.update { $0.notify([1], from: peer.address) }
            controller.update { $0.dropLink(to: peer.address, .connectionTimeout) }
            var received: [[UInt8]] = []
            await #expect(throws: HostError.disconnected(.connectionTimeout)) {
                for try await value in values { received.append(value) }
            }
            #expect(received == [[1]])
            #expect(try await link.ended() == .disconnected(.connectionTimeout))
        }
    }

    @Test("A request for bearers on a link that has ended fails with the reason of the end")
    func bearersAfterTheEnd() async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            controller.update { $0.dropLink(to: peer.address, .connectionTimeout) }
            _ = try await link.ended()
            await #expect(throws: HostError.disconnected(.connectionTimeout)) {
                try await host.request(.enhancedBearers(1), of: link.identifier)
            }
            try await link.disconnect()
            await host.shutdown()
            await #expect(throws: HostError.closed) {
                try await host.request(.enhancedBearers(1), of: link.identifier)
            }
        }
    }

    @Test("A subscription that the peer refuses throws and leaves no state")
    func refused() async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            let link = try await host.connect(to: peer.address)
            controller.update {
                $0.peers[peer.address]?.server.refusals = [
                    ModelServer.configurationHandle: .insufficientAuthentication
                ]
            }
            await #expect(throws: GATT.Failure.self) {
                try await link.subscribe(to: ModelServer.characteristic)
            }
            controller.update { $0.peers[peer.address]?.server.refusals = [:] }
            _ = try await link.subscribe(to: ModelServer.characteristic)
        }
    }

    @Test("No value of four peers at full speed is lost")
    func fourPeers() async throws {
        let peers = (1...4).map { ModelPeer($0) }
        try await withLiveHost(peers: peers) { host, controller in
            try await withThrowingTaskGroup(of: [Int].self) { group in
                for peer in peers {
                    let link = try await host.connect(to: peer.address)
                    let values = try await link.subscribe(to: ModelServer.characteristic)
                    group.addTask {
                        var numbers: [Int] = []
                        for try await value in values {
                            numbers.append(Int(value[0]) << 8 | Int(value[1]))
                            if numbers.count == 2000 { break }
                        }
                        return numbers
                    }
                }
                for number in 0..<2000 {
                    let value = [UInt8(number >> 8), UInt8(number & 0xFF)]
                    controller.update { model in
                        for peer in peers { model.notify(value, from: peer.address) }
                    }
                }
                for try await numbers in group { #expect(numbers == Array(0..<2000)) }
            }
        }
    }

    @Test("Scans whose streams were never iterated end when the streams are released")
    func droppedScans() async throws {
        try await withLiveHost(peers: [peer]) { host, controller in
            var first: AsyncThrowingStream<Advertisement, any Error>? = host.scan()
            _ = host.scan()
            await controller.wait { $0.isScanning }
            #expect(first != nil)
            first = nil
            await controller.wait { !$0.isScanning }
            #expect(await host.core.scans.isEmpty)
        }
    }

    @Test("A scan that is released at once leaves no state", arguments: 0..<20)
    func unusedScan(_: Int) async throws {
        try await withLiveHost(peers: [peer]) { host, _ in
            _ = host.scan()
            _ = host.states
            _ = await host.state
            _ = await host.state
            #expect(await host.core.scans.isEmpty)
        }
    }

    @Test("An unread stream of the adapter's states keeps only the newest states")
    func unreadStates() async throws {
        try await withLiveHost { host, controller in
            let unread = host.states
            var states = host.states.makeAsyncIterator()
            #expect(await states.next() == .ready)
            for _ in 0..<BluetoothHost.stateLimit {
                controller.update { $0.send(.hardwareError(.init(code: 3))) }
                while let state = await states.next(), state != .ready {}
            }
            await host.shutdown()
            var kept: [AdapterState] = []
            for await state in unread { kept.append(state) }
            #expect(kept.count == BluetoothHost.stateLimit)
            #expect(kept.last == .closed)
        }
    }
}
