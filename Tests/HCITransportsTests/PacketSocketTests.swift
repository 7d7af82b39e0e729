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

@Suite("Packet sockets", .timeLimit(.minutes(1)))
struct PacketSocketTests {
    /// The maximum number of turns that an idle executor takes during the test, for its own work
    /// and its timer.
    private static let idleTurns = 20
    /// A number of packets that is larger than the queue of a socket.
    private static let queueLength = 1_000

    @Test("An unread socket whose peer is gone does not keep the executor busy, and ends once read")
    func unreadEnd() async throws {
        // With a timer, the executor reads its clock in each turn, so the readings count the turns.
        let readings = Mutex(0)
        let executor = AdapterExecutor {
            readings.withLock { $0 += 1 }
            return SystemClock.monotonic
        }
        defer { executor.shutDown() }
        let ended = Promise<Void>()
        let received = Mutex<[[UInt8]]>([])
        let fired = Promise<Void>()
        let socket = try await Self.socket(
            executor,
            received: { bytes in received.withLock { $0.append(bytes) } },
            ended: { ended.fulfil(()) }
        )
        await executor.run {
            let timer = executor.makeTimer { fired.fulfil(()) }
            readings.withLock { $0 = 0 }
            timer.set(to: executor.now + .milliseconds(50))
        }
        await fired.value
        #expect(readings.withLock { $0 } < Self.idleTurns)
        await executor.run { socket.setReading(true) }
        await ended.value
        #expect(received.withLock { $0 } == [[7]])
    }

    @Test("If a waiting packet fails, each packet has one result, and those before it were sent")
    func failureAmongWaiting() async throws {
        let executor = AdapterExecutor()
        defer { executor.shutDown() }
        let results = Mutex<[Int: [Bool]]>([:])
        let ended = Promise<Void>()
        let (own, other) = try #require(PacketSocket.pair())
        let socket = await executor.run {
            PacketSocket(own, executor: executor, receive: { _ in }, ended: { ended.fulfil(()) })
        }
        // The last packet is longer than the socket's buffer, so the system refuses it.
        let lengths = Array(repeating: 1, count: Self.queueLength) + [1 << 24]
        await executor.run {
            for (number, length) in lengths.enumerated() {
                socket.send([UInt8](repeating: 0, count: length)) { isSent in
                    results.withLock { $0[number, default: []].append(isSent) }
                }
            }
        }
        // The peer reads until all waiting packets fit.
        var byte: UInt8 = 0
        for _ in 0..<Self.queueLength { _ = read(other.number, &byte, 1) }
        await ended.value
        for number in lengths.indices.dropLast() {
            #expect(results.withLock { $0[number] } == [true], "packet \(number)")
        }
        #expect(results.withLock { $0[Self.queueLength] } == [false])
    }

    /// Returns a socket that is not read yet. Its peer has sent one packet and has then closed its
    /// end.
    private static func socket(
        _ executor: AdapterExecutor,
        received: @escaping @Sendable ([UInt8]) -> Void,
        ended: @escaping @Sendable () -> Void
    ) async throws -> PacketSocket {
        let (own, other) = try #require(PacketSocket.pair())
        let bytes: [UInt8] = [7]
        let count = bytes.withUnsafeBytes { other.descriptor.sendWithoutSignal($0) }
        #expect(count == 1)
        return await executor.run {
            let socket = PacketSocket(
                own,
                executor: executor,
                receive: { received(Array($0)) },
                ended: ended
            )
            socket.setReading(false)
            return socket
        }
    }
}
