// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HCITransports

@Suite("Socket transports")
struct SocketTransportTests {
    @Test("carry bytes both ways, in order", arguments: SocketKind.allCases)
    func bothWays(kind: SocketKind) async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(kind, on: executor)
            try await pair.openFar()
            await executor.run {
                pair.near.send([[1, 2], [3]])
                pair.near.send([[4]])
                pair.far.send([[9, 8, 7]])
            }
            #expect(await pair.farLog.wait { $0.bytes.count >= 4 }.bytes == [1, 2, 3, 4])
            #expect(await pair.nearLog.wait { $0.bytes.count >= 3 }.bytes == [9, 8, 7])
            await pair.close()
        }
    }

    @Test("join all packets of one turn into one write", arguments: SocketKind.allCases)
    func joined(kind: SocketKind) async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(kind, on: executor)
            try await pair.openFar()
            await executor.run {
                for byte in 0..<100 as Range<UInt8> { pair.near.send([[byte, byte]]) }
            }
            let log = await pair.farLog.wait { $0.bytes.count >= 200 }
            #expect(log.pieces == [200])
            await pair.close()
        }
    }

    @Test("deliver what comes a byte at a time, in order", arguments: SocketKind.allCases)
    func dripFeed(kind: SocketKind) async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(kind, on: executor)
            try await pair.openFar()
            let bytes = (0..<200 as Range<UInt8>).map { $0 }
            for byte in bytes {
                await executor.run { pair.near.send([[byte]]) }
                await pair.farLog.wait { $0.bytes.count > Int(byte) }
            }
            #expect(pair.farLog.log.bytes == bytes)
            #expect(pair.farLog.log.pieces.allSatisfy { $0 == 1 })
            await pair.close()
        }
    }

    @Test("carry more than the socket holds when the other side starts to read late")
    func backPressure() async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(.unix, on: executor)
            let packet = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
            let count = ByteStream.pendingBytesLimit / packet.count
            await executor.run {
                for _ in 0..<count { pair.near.send([packet]) }
            }
            try await pair.openFar()
            let log = await pair.farLog.wait { $0.bytes.count >= count * packet.count }
            #expect(log.bytes == Array(repeatElement(packet, count: count).joined()))
            #expect(log.pieces.allSatisfy { $0 <= EventLoop.readLimit })
            await pair.close()
        }
    }

    @Test("close with an error when the other side never reads", arguments: SocketKind.allCases)
    func overflow(kind: SocketKind) async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(kind, on: executor)
            let packet = [UInt8](repeating: 0, count: 65_536)
            // The system's own buffers take some megabytes before the transport keeps any.
            for _ in 0..<1000 where pair.nearLog.log.closings.isEmpty {
                await executor.run { pair.near.send([packet]) }
            }
            let log = await pair.nearLog.waitForClosing()
            #expect(log.closings == [.outputOverflow(limit: ByteStream.pendingBytesLimit)])
            await executor.run { pair.far.close() }
        }
    }

    @Test("hear that the other side closed, after all it sent", arguments: SocketKind.allCases)
    func peerCloses(kind: SocketKind) async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(kind, on: executor)
            try await pair.openFar()
            await executor.run {
                pair.far.send([[5, 6]])
                pair.far.close()
            }
            let log = await pair.nearLog.waitForClosing()
            #expect(log.bytes == [5, 6])
            #expect(log.closings == [.closedByPeer(pair.near.name)])
            #expect(await pair.farLog.waitForClosing().closings == [nil])
        }
    }

    @Test("survive writing to a side that has gone, and say so once")
    func writeAfterPeerClosed() async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(.unix, on: executor)
            try await pair.openFar()
            await executor.run {
                pair.far.close()
                pair.near.send([[1]])
                executor.performAtTurnEnd { pair.near.send([[2]]) }
            }
            let log = await pair.nearLog.waitForClosing()
            #expect(log.closings.count == 1)
            await executor.run {
                pair.near.send([[3]])
                pair.near.close()
            }
            #expect(pair.nearLog.log.closings.count == 1)
        }
    }

    @Test("say nothing after they were closed, but that they are")
    func closes() async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(.tcp, on: executor)
            try await pair.openFar()
            await executor.run {
                pair.near.close()
                pair.near.close()
                pair.far.send([[1]])
            }
            let log = await pair.nearLog.waitForClosing()
            #expect(log.closings == [nil])
            #expect(log.bytes.isEmpty)
            _ = await pair.farLog.waitForClosing()
        }
    }

    @Test("are closed when their executor is shut down", arguments: SocketKind.allCases)
    func shutDown(kind: SocketKind) async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(kind, on: executor)
            try await pair.openFar()
            executor.shutDown()
            #expect(pair.nearLog.log.closings == [nil])
            #expect(pair.farLog.log.closings == [nil])
        }
    }

    @Test("write what was sent before they close")
    func sendAndClose() async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(.unix, on: executor)
            try await pair.openFar()
            await executor.run {
                pair.near.send([[1, 2, 3]])
                pair.near.close()
            }
            #expect(await pair.farLog.waitForClosing().bytes == [1, 2, 3])
        }
    }

    @Test("cannot be opened twice at once; one that dialled can be opened again")
    func reopening() async throws {
        try await withExecutor { executor in
            let server = UnixServer(path: temporaryPath())
            let accepted = Mutex<[any HCITransport]>([])
            try await server.start(on: executor) { new in accepted.withLock { $0.append(new) } }
            let transport = UnixTransport(path: server.path)
            for _ in 0..<3 {
                let log = Recorder()
                try await transport.open(on: executor, receive: log.receive)
                await #expect(throws: TransportError.alreadyOpen(transport.name)) {
                    try await transport.open(on: executor) { _ in }
                }
                await executor.run { transport.close() }
                #expect(await log.waitForClosing().closings == [nil])
            }
            await server.stop()
        }
    }

    @Test("an accepted connection is opened once only")
    func acceptedOnce() async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(.unix, on: executor)
            try await pair.openFar()
            await executor.run { pair.far.close() }
            _ = await pair.farLog.waitForClosing()
            await #expect(throws: TransportError.closedByPeer(pair.far.name)) {
                try await pair.openFar()
            }
        }
    }

    @Test("deliver on the executor's thread")
    func thread() async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(.tcp, on: executor)
            let heard = Promise<Bool>()
            try await pair.far.open(on: executor) { _ in heard.fulfil(executor.isCurrent) }
            await executor.run { pair.near.send([[1]]) }
            #expect(await heard.value)
            await pair.close()
        }
    }
}
