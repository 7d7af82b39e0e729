// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// Limits, timeouts and the end of the link.
@Suite("The end of operations")
struct EndTests {
    private let long = GATT.Operation.writeLong(.init(7), offset: 0, Array(0..<20))

    @Test("The number of waiting operations is limited, and each of them can end")
    func operationLimit() {
        var client = DrivenClient()
        for id in 0..<DrivenClient.operationLimit {
            let operation = id.isMultiple(of: 2) ? GATT.Operation.read(.init(3)) : long
            #expect(client.start(operation, id: UInt64(id)).isEmpty)
        }
        #expect(!client.hasRoom)
        #expect(client.start(.read(.init(3)), id: 1000) == [.completed(1000, .failure(.queueFull))])
        #expect(client.start(long, id: 1001) == [.completed(1001, .failure(.queueFull))])
        let ended = client.close()
        #expect(ended.count == DrivenClient.operationLimit)
        #expect(ended.first == .completed(0, .failure(.bearerClosed)))
    }

    @Test("The end of the link ends each operation once, and later operations fail")
    func close() {
        var client = DrivenClient()
        _ = client.start(.read(.init(3)), id: 1)
        _ = client.start(long, id: 2)
        _ = client.start(long, id: 3)
        _ = client.nextPDU(now: .zero)
        #expect(
            client.close() == [
                .completed(1, .failure(.bearerClosed)), .completed(2, .failure(.bearerClosed)),
                .completed(3, .failure(.bearerClosed)),
            ]
        )
        #expect(client.isClosed)
        #expect(client.close().isEmpty)
        #expect(client.nextPDU(now: .zero) == nil)
        #expect(client.nextDeadline == nil)
        #expect(client.receive([0x0B, 1], now: .zero).isEmpty)
        #expect(client.start(.read(.init(3)), id: 4) == [.completed(4, .failure(.bearerClosed))])
        #expect(client.cancel(2).isEmpty)
    }

    @Test("A request without a response for thirty seconds ends the link")
    func timeout() {
        var client = DrivenClient()
        let start = Instant(nanoseconds: 5_000_000_000)
        _ = client.start(.read(.init(3)), id: 1)
        _ = client.start(long, id: 2)
        #expect(client.nextDeadline == nil)
        _ = client.nextPDU(now: start)
        #expect(client.nextDeadline == start + .seconds(30))
        #expect(client.deadlinePassed(now: start + .milliseconds(29_999)).isEmpty)
        #expect(
            client.deadlinePassed(now: start + .seconds(30)) == [
                .completed(1, .failure(.timedOut)), .completed(2, .failure(.timedOut)),
                .transactionTimedOut,
            ]
        )
        #expect(client.deadlinePassed(now: start + .seconds(60)).isEmpty)
        #expect(client.isClosed)
    }

    @Test("A canceled request without a response ends the link too")
    func timeoutOfCancelled() {
        var client = DrivenClient()
        _ = client.start(.read(.init(3)), id: 1)
        _ = client.nextPDU(now: .zero)
        _ = client.cancel(1)
        let end = client.deadlinePassed(now: .zero + .seconds(30))
        #expect(end == [.transactionTimedOut])
    }

    @Test("The end of the link during the cleanup of a canceled write is not reported")
    func closeWhileCleaning() {
        var client = DrivenClient()
        _ = client.start(long, id: 1)
        _ = client.nextPDU(now: .zero)
        _ = client.cancel(1)
        #expect(client.close().isEmpty)
    }

    @Test("An unexpected response is reported as a violation and has no other effect")
    func unexpectedAnswer() {
        var client = DrivenClient()
        #expect(
            client.receive([0x0B, 1], now: .zero) == [.violated(.unexpected(.readResponse))]
        )
        _ = client.start(.read(.init(3)), id: 1)
        _ = client.nextPDU(now: .zero)
        #expect(client.receive([0x13], now: .zero) == [.violated(.unexpected(.writeResponse))])
        #expect(
            client.receive([0x0B, 1], now: .zero) == [.completed(1, .success(.value([1])))]
        )
    }

    @Test("An MTU exchange of the server is answered")
    func serverAsks() {
        var client = DrivenClient(receiveMTULimit: 100)
        #expect(client.receive([0x02, 0x40, 0x00], now: .zero).isEmpty)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x03, 100, 0])
        #expect(client.mtu == 64)
    }

    @Test("The MTU may grow while a long value is read")
    func mtuGrowsWhileReading() {
        var client = DrivenClient()
        let part = [UInt8](repeating: 1, count: 22)
        _ = client.start(.readLong(.init(3)), id: 1)
        _ = client.nextPDU(now: .zero)
        _ = client.receive([0x02, 0x40, 0x00], now: .zero)
        #expect(client.nextPDU(now: .zero)?.bytes.first == 0x03)
        #expect(client.mtu == 64)
        #expect(client.receive(([0x0B] + part)[...], now: .zero).isEmpty)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x0C, 3, 0, 22, 0])
        let actions = client.receive([0x0D, 2], now: .zero)
        #expect(actions == [.completed(1, .success(.value(part + [2])))])
    }
}
