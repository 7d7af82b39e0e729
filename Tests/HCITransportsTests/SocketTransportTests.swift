// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HCITransports

@Suite("Socket transports")
struct SocketTransportTests {
    @Test("Bytes pass in both directions, in order", arguments: SocketKind.allCases)
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

    @Test("All packets of one turn are joined into one write", arguments: SocketKind.allCases)
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

    @Test("Bytes that arrive one at a time are delivered in order", arguments: SocketKind.allCases)
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

    @Test("More data than the socket holds arrives when the other side starts to read late")
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

    @Test(
        "A transport closes with an error when the other side never reads",
        arguments: SocketKind.allCases
    )
    func overflow(kind: SocketKind) async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(kind, on: executor)
            let packet = [UInt8](repeating: 0, count: 65_536)
            // The system's own buffers take some megabytes before the transport keeps any data.
            for _ in 0..<1000 where pair.nearLog.log.closings.isEmpty {
                await executor.run { pair.near.send([packet]) }
            }
            let log = await pair.nearLog.waitForClosing()
            #expect(log.closings == [.outputOverflow(limit: ByteStream.pendingBytesLimit)])
            await executor.run { pair.far.close() }
        }
    }

    @Test(
        "The other side's close is reported after all of its data",
        arguments: SocketKind.allCases
    )
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

    @Test("Writing to a closed side is reported once")
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

    @Test("After a close, nothing is reported except the close itself")
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

    @Test("Transports close when their executor shuts down", arguments: SocketKind.allCases)
    func shutDown(kind: SocketKind) async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(kind, on: executor)
            try await pair.openFar()
            executor.shutDown()
            #expect(pair.nearLog.log.closings == [nil])
            #expect(pair.farLog.log.closings == [nil])
        }
    }

    @Test("Data that was sent before a close is written")
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

    @Test("A transport cannot be opened twice at once, and can be opened again after it closes")
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

    @Test("An accepted connection can be opened only once")
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

    @Test("Data is delivered on the executor's thread")
    func thread() async throws {
        try await withExecutor { executor in
            let pair = try await SocketPair.join(.tcp, on: executor)
            let received = Promise<Bool>()
            try await pair.far.open(on: executor) { _ in received.fulfil(executor.isCurrent) }
            await executor.run { pair.near.send([[1]]) }
            #expect(await received.value)
            await pair.close()
        }
    }
}
