// SPDX-License-Identifier: Apache-2.0
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Testing
import VirtualAdapters

import struct BluetoothHost.Link

/// Our host at both ends of credit-based channels and of Enhanced ATT bearers.
@Suite("Channels between two hosts, in virtual time")
struct ChannelTests {
    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 + $0 >> 8) }
    }

    private static func send(_ bytes: [UInt8], on channel: L2CAPChannel) async throws {
        let length = try await channel.properties.sendMTU
        for start in stride(from: 0, to: bytes.count, by: length) {
            try await channel.send(Array(bytes[start..<min(bytes.count, start + length)]))
        }
    }

    private static func receive(_ count: Int, on channel: L2CAPChannel) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let sdu = try await channel.receive() { bytes += sdu }
        return bytes
    }

    /// Runs the body with the two ends of a channel: the phone's, which opened it, and the lamp's.
    private func withChannel(
        seed: UInt64,
        options: L2CAP.ChannelOptions = L2CAP.ChannelOptions(),
        _ body:
            @escaping @Sendable (HostPairHarness, L2CAPChannel, L2CAPChannel) async throws -> Void
    ) async throws {
        let harness = try HostPairHarness(seed: seed, isBonded: false)
        try await harness.run { phone, lamp in
            let listener = try await lamp.listen(options: options)
            let link = try await harness.connect(phone)
            let opened = try await link.openChannel(psm: listener.psm)
            let accepted = try #require(try await listener.accept())
            try await body(harness, opened, accepted)
        }
    }

    @Test("A channel carries 100,000 bytes in each direction at the same time")
    func bothWays() async throws {
        try await withChannel(seed: 1) { _, opened, accepted in
            let bytes = Self.pattern(100_000)
            async let toLamp: Void = Self.send(bytes, on: opened)
            async let toPhone: Void = Self.send(bytes.reversed(), on: accepted)
            async let atLamp = Self.receive(bytes.count, on: accepted)
            let atPhone = try await Self.receive(bytes.count, on: opened)
            #expect((atPhone == bytes.reversed()) == true)
            #expect((try await atLamp == bytes) == true)
            _ = try await (toLamp, toPhone)
            await opened.close()
            #expect(try await accepted.receive() == nil)
            #expect(try await accepted.ended() == .closedByPeer)
            #expect(try await opened.ended() == .closed)
        }
    }

    @Test("A sender waits as long as its reader does not read")
    func slowReader() async throws {
        let options = L2CAP.ChannelOptions(mtu: 100, mps: 50, window: 6)
        try await withChannel(seed: 2, options: options) { harness, opened, accepted in
            let bytes = Self.pattern(5_000)
            let sending = Task(executorPreference: harness.air.executor.taskExecutor) {
                try await Self.send(bytes, on: opened)
            }
            try await harness.air.sleep(for: .seconds(20))
            #expect(try await accepted.properties.receiveCredits == 0)
            #expect(try await opened.properties.sendCredits == 0)
            #expect((try await Self.receive(bytes.count, on: accepted) == bytes) == true)
            try await sending.value
        }
    }

    @Test("A channel receives data after an earlier receive was canceled")
    func cancellation() async throws {
        try await withChannel(seed: 3) { harness, opened, accepted in
            let reader = Task(executorPreference: harness.air.executor.taskExecutor) {
                try await accepted.receive()
            }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
            try await opened.send([1, 2, 3])
            #expect(try await accepted.receive() == [1, 2, 3])
        }
    }

    @Test("Channels are accepted until the listener is closed or released")
    func listeners() async throws {
        let harness = try HostPairHarness(seed: 4, isBonded: false)
        try await harness.run { phone, lamp in
            var listener: ChannelListener? = try await lamp.listen(psm: 0x0085)
            await #expect(throws: L2CAP.Failure.alreadyListening) {
                try await lamp.listen(psm: 0x0085)
            }
            let link = try await harness.connect(phone)
            let channels = try await link.openEnhancedChannels(psm: 0x0085, count: 3)
            #expect(channels.count == 3)
            listener = nil
            for channel in channels { #expect(try await channel.ended() == .closedByPeer) }
            await #expect(throws: L2CAP.Failure.refused(.spsmNotSupported)) {
                try await link.openChannel(psm: 0x0085)
            }
            let again = try await lamp.listen(psm: 0x0085)
            _ = try await link.openChannel(psm: 0x0085)
            #expect(try await again.accept() != nil)
            await again.close()
            #expect(try await again.accept() == nil)
            _ = listener
        }
    }

    @Test("A channel that requires encryption is accepted on an encrypted link")
    func security() async throws {
        try await HostPairHarness(seed: 5, isBonded: false).run { phone, lamp in
            let listener = try await lamp.listen(psm: 0x0086, requirement: .encrypted)
            let link = try await phone.connect(to: HostPairHarness.lampAddress)
            await #expect(throws: L2CAP.Failure.refused(.insufficientAuthentication)) {
                try await link.openChannel(psm: 0x0086)
            }
            await #expect(throws: L2CAP.Failure.refused(.insufficientAuthentication)) {
                try await link.openEnhancedBearers()
            }
            await listener.close()
        }
        try await HostPairHarness(seed: 5, isBonded: true).run { phone, lamp in
            let listener = try await lamp.listen(psm: 0x0086, requirement: .encrypted)
            let link = try await phone.connect(to: HostPairHarness.lampAddress)
            let channel = try await link.openChannel(psm: 0x0086)
            #expect(try await channel.properties.psm == listener.psm)
        }
    }

    @Test("With Enhanced ATT, a slow answer does not delay other requests")
    func enhancedBearers() async throws {
        let harness = try HostPairHarness(seed: 6, isBonded: true)
        try await harness.run { phone, lamp in
            let (slow, quick) = (BluetoothUUID(0xE001), BluetoothUUID(0xE002))
            try await lamp.publish(
                .init(
                    BluetoothUUID(0xD001),
                    [
                        .init(slow, [.read], value: .dynamic),
                        .init(quick, [.read], value: .stored([7])),
                    ]
                )
            )
            let events = try await lamp.serverEvents()
            let link = try await harness.connect(phone)
            let table = try await link.database()
            let slowHandle = try #require(table.characteristic(slow)).valueHandle
            let quickHandle = try #require(table.characteristic(quick)).valueHandle
            try await link.openEnhancedBearers(2)
            #expect(await link.enhancedBearerCount == 2)
            let reading = Task(executorPreference: harness.air.executor.taskExecutor) {
                try await link.read(slowHandle)
            }
            var pending: ReadRequest?
            for await case .read(let request) in events {
                pending = request
                break
            }
            for _ in 0..<5 { #expect(try await link.read(quickHandle) == [7]) }
            pending?.respond(with: [1, 2, 3])
            #expect(try await reading.value == [1, 2, 3])
        }
    }
}
