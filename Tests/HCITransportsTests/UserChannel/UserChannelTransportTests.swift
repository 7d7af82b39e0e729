// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open user channel, and the adapter behind it.
private struct Channel {
    let transport: UserChannelTransport
    let log: Recorder
    let kernel: ModelKernel
    let executor: AdapterExecutor
    let adapter: Descriptor

    /// Opens the kernel's first adapter.
    static func open(
        on executor: AdapterExecutor,
        from kernel: ModelKernel = ModelKernel([0: .init()])
    ) async throws -> Channel {
        let transport = UserChannelTransport(.index(0), kernel: kernel)
        let log = Recorder()
        try await transport.open(on: executor, receive: log.receive)
        let adapter = try #require(kernel.farEnd(of: 0))
        return Channel(
            transport: transport,
            log: log,
            kernel: kernel,
            executor: executor,
            adapter: adapter
        )
    }

    /// Sends a packet from the adapter.
    func sendFromAdapter(_ packet: [UInt8]) {
        _ = packet.withUnsafeBytes(adapter.sendWithoutSignal)
    }

    /// Removes the adapter, although its end is still held.
    func disconnect() {
        shutdown(adapter.number, Int32(SHUT_RDWR))
    }

    /// Returns the packets that the adapter received.
    func takePackets() -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while let packet = adapter.readPacket() { packets.append(packet) }
        return packets
    }

    func close() async {
        await executor.run { [transport] in transport.close() }
        _ = await log.waitForClosing()
    }
}

@Suite("User channels", .timeLimit(.minutes(20)))
struct UserChannelTransportTests {
    @Test("Each packet is written in its own call, in order") func writes() async throws {
        try await withExecutor { executor in
            let channel = try await Channel.open(on: executor)
            await executor.run {
                channel.transport.send([[1, 2], [3]])
                channel.transport.send([[4, 5, 6]])
            }
            // The packets are written at the end of the turn, after its closures.
            await executor.turnEnd()
            await executor.run {}
            #expect(channel.takePackets() == [[1, 2], [3], [4, 5, 6]])
            await channel.close()
        }
    }

    @Test("Each packet is delivered in its own call, in order") func reads() async throws {
        try await withExecutor { executor in
            let channel = try await Channel.open(on: executor)
            for packet in [[4, 1], [4, 2, 2], [4]] as [[UInt8]] { channel.sendFromAdapter(packet) }
            let log = await channel.log.wait { $0.pieces.count == 3 }
            #expect(log.pieces == [2, 3, 1])
            #expect(log.bytes == [4, 1, 4, 2, 2, 4])
            await channel.close()
        }
    }

    @Test("Writing continues when the adapter accepts data again after a pause")
    func backPressure() async throws {
        try await withExecutor { executor in
            let channel = try await Channel.open(on: executor)
            let packets = (0..<2000).map { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                    + [UInt8](repeating: 7, count: 96)
            }
            await executor.run { channel.transport.send(packets) }
            var taken: [[UInt8]] = []
            while taken.count < packets.count {
                taken += channel.takePackets()
                await executor.run {}
            }
            #expect(taken == packets)
            #expect(channel.log.log.closings.isEmpty)
            await channel.close()
        }
    }

    @Test("A channel closes when too much data waits, and the adapter is returned") func overflow()
        async throws
    {
        try await withExecutor { executor in
            let channel = try await Channel.open(on: executor)
            let packet = [UInt8](repeating: 2, count: 1000)
            let count = PacketStream.pendingBytesLimit / packet.count + 1
            await executor.run {
                for _ in 0..<count { channel.transport.send([packet]) }
            }
            let log = await channel.log.waitForClosing()
            #expect(log.closings == [.outputOverflow(limit: PacketStream.pendingBytesLimit)])
            #expect(channel.kernel.condition(of: 0) == .down)
        }
    }

    @Test("Sent data is written before a close, and the adapter is returned with the close")
    func closes() async throws {
        try await withExecutor { executor in
            let kernel = ModelKernel([0: .init(condition: .up(connections: 0))])
            let channel = try await Channel.open(on: executor, from: kernel)
            let conditions = Mutex<[ModelKernel.Condition?]>([])
            await executor.run {
                channel.transport.send([[1, 3, 12, 0]])
                channel.transport.close()
                channel.transport.close()
                channel.transport.send([[9]])
                conditions.withLock { $0.append(kernel.condition(of: 0)) }
            }
            #expect(await channel.log.waitForClosing().closings == [nil])
            conditions.withLock { $0.append(kernel.condition(of: 0)) }
            #expect(conditions.withLock { $0 } == [.taken, .up(connections: 0)])
            #expect(channel.takePackets() == [[1, 3, 12, 0]])
            #expect(kernel.calls.last == .bringUp(0))
        }
    }

    @Test("The adapter is returned when the executor shuts down") func shutDown() async throws {
        try await withExecutor { executor in
            let kernel = ModelKernel([0: .init(condition: .up(connections: 0))])
            let channel = try await Channel.open(on: executor, from: kernel)
            executor.shutDown()
            #expect(channel.log.log.closings == [nil])
            #expect(kernel.condition(of: 0) == .up(connections: 0))
        }
    }

    @Test("The removal of the adapter is reported after its last data") func unplugged()
        async throws
    {
        try await withExecutor { executor in
            let kernel = ModelKernel([0: .init()])
            let transport = UserChannelTransport(.index(0), kernel: kernel)
            let log = Recorder()
            try await transport.open(on: executor, receive: log.receive)
            _ = [4, 7].withUnsafeBytes { kernel.farEnd(of: 0)?.sendWithoutSignal($0) }
            kernel.unplug(0)
            let events = await log.waitForClosing()
            #expect(events.closings == [.adapterRemoved("hci0")])
            #expect(events.bytesAfterClosing == 0 && !events.bytes.isEmpty)
            await executor.run { transport.send([[1]]) }
            #expect(log.log.closings.count == 1)
        }
    }

    @Test("An adapter that replaced the removed one is not brought up") func replaced() async throws
    {
        try await withExecutor { executor in
            let kernel = ModelKernel([0: .init(condition: .up(connections: 0))])
            let channel = try await Channel.open(on: executor, from: kernel)
            await executor.run {
                kernel.unplug(0)
                kernel.plug(0)
            }
            channel.disconnect()
            _ = await channel.log.waitForClosing()
            #expect(kernel.condition(of: 0) == .down)
            #expect(!kernel.calls.contains(.bringUp(0)))
        }
    }

    @Test(
        "EPIPE and EBADFD mean that the adapter was removed",
        arguments: [EPIPE, 77]
    )
    func removal(code: Int32) {
        #expect(SystemError(code: code).isRemoval)
    }

    @Test(
        "Errors that the host itself can cause do not mean that the adapter was removed",
        arguments: [ENETDOWN, ENODEV, ENXIO, EBADF, EIO, EAGAIN]
    )
    func noRemoval(code: Int32) {
        #expect(!SystemError(code: code).isRemoval)
    }

    @Test("A channel has the kernel's longest packet, even through wrapping transports")
    func longestPacket() {
        let transport = UserChannelTransport(.index(0), kernel: nil)
        #expect(transport.longestPacket == 1028)
        let faulty = FaultInjectingTransport(wrapping: transport, plan: TransportFaultPlan(seed: 1))
        #expect(faulty.longestPacket == 1028)
        #expect(UnixTransport(path: "/nowhere").longestPacket == nil)
    }

    @Test("A channel cannot be opened twice at once, and can be reopened repeatedly")
    func reopening() async throws {
        try await withExecutor { executor in
            let kernel = ModelKernel([0: .init()])
            let transport = UserChannelTransport(.index(0), kernel: kernel)
            for _ in 0..<3 {
                let log = Recorder()
                try await transport.open(on: executor, receive: log.receive)
                await #expect(throws: TransportError.alreadyOpen("hci0")) {
                    try await transport.open(on: executor) { _ in }
                }
                await executor.run { transport.close() }
                #expect(await log.waitForClosing().closings == [nil])
            }
            #expect(kernel.calls == [.take(0), .take(0), .take(0)])
        }
    }

    @Test("Opening fails without an adapter and succeeds after the adapter is plugged in")
    func absent() async throws {
        try await withExecutor { executor in
            let kernel = ModelKernel()
            let transport = UserChannelTransport(.index(0), kernel: kernel)
            await #expect(throws: TransportError.noSuchAdapter("hci0", present: [])) {
                try await transport.open(on: executor) { _ in
                    Issue.record("the channel was never open")
                }
            }
            kernel.plug(0)
            let log = Recorder()
            try await transport.open(on: executor, receive: log.receive)
            await executor.run { transport.close() }
            _ = await log.waitForClosing()
        }
    }

    @Test("Opening waits for the kernel on its own thread, and a cancellation waits for the end")
    func canceled() async {
        await withExecutor { executor in
            let kernel = StuckKernel()
            let transport = UserChannelTransport(.index(0), kernel: kernel)
            let opening = Task { try await transport.open(on: executor) { _ in } }
            await kernel.asked.value
            // The executor's own thread is free meanwhile.
            await executor.run {}
            opening.cancel()
            kernel.answer()
            await #expect(throws: TransportError.cancelled) { try await opening.value }
            // The adapter that was taken too late has been returned.
            #expect(kernel.model.calls == [.take(0)])
            #expect(kernel.model.condition(of: 0) == .down)
        }
    }

    @Test("A channel needs a kernel and a suitable executor") func unsuitable() async {
        let transport = UserChannelTransport(index: 0)
        await #expect(throws: TransportError.unsuitableExecutor("hci0")) {
            try await transport.open(on: ManualExecutor()) { _ in }
        }
        await withExecutor { executor in
            let transport = UserChannelTransport(.index(4), kernel: nil)
            await #expect(throws: TransportError.bluetoothMissing("hci4")) {
                try await transport.open(on: executor) { _ in }
            }
        }
    }

    @Test("Without Bluetooth in the kernel, opening has its own error") func noBluetooth() async {
        guard SystemBluetooth.support == .missing else { return }
        _ = await withExecutor { executor in
            await #expect(throws: TransportError.bluetoothMissing("hci0")) {
                try await UserChannelTransport(index: 0).open(on: executor) { _ in }
            }
        }
    }
}

/// A kernel that answers when the test allows it.
private final class StuckKernel: BluetoothKernel {
    let model = ModelKernel([0: .init()])
    let asked = Promise<Void>()
    private let gate = Mutex(false)

    func answer() { gate.withLock { $0 = true } }

    var now: Instant { model.now }
    var files: any SystemFiles { model.files }

    func adapterIndices() throws(SystemError) -> [UInt16] { try model.adapterIndices() }
    func record(of index: UInt16) throws(SystemError) -> SystemAdapterRecord {
        try model.record(of: index)
    }
    func connectionCount(of index: UInt16) throws(SystemError) -> Int { 0 }
    func managedIndices() throws(SystemError) -> Set<UInt16> { try model.managedIndices() }
    func bringUp(_ index: UInt16) throws(SystemError) {}
    func bringDown(_ index: UInt16) throws(SystemError) {}
    func openAnnouncements() throws(SystemError) -> Descriptor { try model.openAnnouncements() }
    func awaitAnnouncement(on announcements: Descriptor?, limit: Duration) {}

    func openUserChannel(_ index: UInt16) throws(SystemError) -> Descriptor {
        asked.fulfil(())
        while !gate.withLock({ $0 }) { sched_yield() }
        return try model.openUserChannel(index)
    }
}
