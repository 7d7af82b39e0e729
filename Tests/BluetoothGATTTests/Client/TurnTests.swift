// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// Several operations at once: their order, and their effect on each other.
@Suite("The order of operations")
struct TurnTests {
    private let long = GATT.Operation.writeLong(.init(7), offset: 0, Array(0..<20))

    private func opcode(_ outgoing: DrivenClient.Outgoing?) -> UInt8? { outgoing?.bytes.first }

    /// Returns the correct response to a Prepare Write Request.
    private func echo(_ outgoing: DrivenClient.Outgoing?) -> [UInt8] {
        [0x17] + (outgoing?.bytes.dropFirst() ?? [])
    }

    @Test("Procedures take turns after each request, in the order of their start")
    func turns() {
        var client = DrivenClient()
        #expect(client.start(.discoverPrimaryServices(uuid: nil), id: 1).isEmpty)
        #expect(client.start(.read(.init(3)), id: 2).isEmpty)
        #expect(opcode(client.nextPDU(now: .zero)) == 0x10)
        #expect(client.nextPDU(now: .zero) == nil)
        #expect(client.receive([0x11, 6, 1, 0, 5, 0, 0, 0x18], now: .zero).isEmpty)
        #expect(opcode(client.nextPDU(now: .zero)) == 0x0A)
        #expect(
            client.receive([0x0B, 9], now: .zero) == [.completed(2, .success(.value([9])))]
        )
        #expect(opcode(client.nextPDU(now: .zero)) == 0x10)
    }

    @Test("A write command is sent in its order between requests")
    func commandsKeepTheirPlace() {
        var client = DrivenClient()
        _ = client.start(.write(.init(7), [1]), id: 1)
        _ = client.start(.writeWithoutResponse(.init(7), [2]), id: 2)
        _ = client.start(.write(.init(7), [3]), id: 3)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x12, 7, 0, 1])
        let command = client.nextPDU(now: .zero)
        #expect(command?.bytes == [0x52, 7, 0, 2])
        #expect(command?.actions == [.completed(2, .success(.done))])
        #expect(client.nextPDU(now: .zero) == nil)
        #expect(client.receive([0x13], now: .zero) == [.completed(1, .success(.done))])
        #expect(client.nextPDU(now: .zero)?.bytes == [0x12, 7, 0, 3])
    }

    @Test("Prepared writes of two operations never mix")
    func preparedWritesStaySeparate() {
        var client = DrivenClient()
        #expect(client.start(long, id: 1).isEmpty)
        #expect(client.start(.reliableWrite([.init(handle: .init(9), value: [1])]), id: 2).isEmpty)
        #expect(client.start(.read(.init(3)), id: 3).isEmpty)
        var order: [UInt8] = []
        var actions: [DrivenClient.Action] = []
        while let outgoing = client.nextPDU(now: .zero) {
            let opcode = outgoing.bytes[0]
            order.append(opcode)
            let answer: [UInt8] = [0x16: echo(outgoing), 0x18: [0x19], 0x0A: [0x0B]][opcode] ?? []
            actions += client.receive(answer[...], now: .zero)
        }
        #expect(order == [0x16, 0x0A, 0x16, 0x18, 0x16, 0x18])
        #expect(
            actions == [
                .completed(3, .success(.value([]))), .completed(1, .success(.done)),
                .completed(2, .success(.done)),
            ]
        )
    }

    @Test("After a long write fails, the next operation starts")
    func failureMakesRoom() {
        var client = DrivenClient()
        _ = client.start(long, id: 1)
        #expect(client.start(.reliableWrite([]), id: 2).isEmpty)
        #expect(client.start(.writeLong(.init(9), offset: 0, [1]), id: 3).isEmpty)
        let first = client.nextPDU(now: .zero)
        #expect(opcode(first) == 0x16)
        let actions = client.receive([0x01, 0x16, 7, 0, 0x03], now: .zero)
        #expect(
            actions.first
                == .completed(
                    1,
                    .failure(.attribute(.writeNotPermitted, handle: .init(7)))
                )
        )
        guard case .completed(2, .failure(.invalidOperation)) = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(client.nextPDU(now: .zero)?.bytes == [0x16, 9, 0, 0, 0, 1])
    }

    @Test("A canceled read is not reported, and its late response is ignored")
    func cancelInFlight() {
        var client = DrivenClient()
        _ = client.start(.read(.init(3)), id: 1)
        _ = client.start(.read(.init(4)), id: 2)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x0A, 3, 0])
        #expect(client.cancel(1) == [.completed(1, .failure(.cancelled))])
        #expect(client.cancel(1).isEmpty)
        #expect(client.nextPDU(now: .zero) == nil)
        #expect(client.receive([0x0B, 1], now: .zero).isEmpty)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x0A, 4, 0])
        #expect(
            client.receive([0x0B, 2], now: .zero) == [.completed(2, .success(.value([2])))]
        )
    }

    @Test("An operation that is canceled before its turn sends nothing")
    func cancelWaiting() {
        var client = DrivenClient()
        _ = client.start(.writeWithoutResponse(.init(3), [1]), id: 1)
        #expect(client.cancel(1) == [.completed(1, .failure(.cancelled))])
        #expect(client.nextPDU(now: .zero) == nil)
        _ = client.start(long, id: 2)
        _ = client.start(long, id: 3)
        #expect(client.cancel(3) == [.completed(3, .failure(.cancelled))])
        #expect(client.cancel(99).isEmpty)
    }

    @Test("A long write waits until the parts of a canceled write are canceled")
    func nextWaitsForCleaning() {
        var client = DrivenClient()
        _ = client.start(long, id: 1)
        _ = client.start(.writeLong(.init(9), offset: 0, [1]), id: 2)
        let prepare = client.nextPDU(now: .zero)
        #expect(client.cancel(1) == [.completed(1, .failure(.cancelled))])
        #expect(client.nextPDU(now: .zero) == nil)
        #expect(client.receive(echo(prepare)[...], now: .zero).isEmpty)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x18, 0x00])
        #expect(client.receive([0x19], now: .zero).isEmpty)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x16, 9, 0, 0, 0, 1])
    }

    @Test("A prepared part with a malformed response is canceled")
    func malformedEcho() {
        var client = DrivenClient()
        _ = client.start(long, id: 1)
        _ = client.nextPDU(now: .zero)
        let actions = client.receive([0x17, 7], now: .zero)
        #expect(actions.count == 1)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x18, 0x00])
        guard
            case .completed(1, .failure(.protocolViolation)) =
                client.receive([0x19], now: .zero).last
        else {
            Issue.record("The write does not fail")
            return
        }
    }

    @Test("Canceling a write after its Execute Write Request sends no further request")
    func cancelWhileExecuting() {
        var client = DrivenClient()
        _ = client.start(.writeLong(.init(9), offset: 0, [1]), id: 1)
        let prepare = client.nextPDU(now: .zero)
        _ = client.receive(echo(prepare)[...], now: .zero)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x18, 0x01])
        #expect(client.cancel(1) == [.completed(1, .failure(.cancelled))])
        #expect(client.receive([0x19], now: .zero).isEmpty)
        #expect(client.nextPDU(now: .zero) == nil)
    }

    @Test("A canceled MTU exchange still sets the MTU")
    func cancelExchange() {
        var client = DrivenClient()
        _ = client.start(.exchangeMTU, id: 1)
        guard
            case .completed(2, .failure(.invalidOperation)) =
                client.start(.exchangeMTU, id: 2).first
        else {
            Issue.record("A second MTU exchange starts")
            return
        }
        #expect(client.cancel(1) == [.completed(1, .failure(.cancelled))])
        #expect(opcode(client.nextPDU(now: .zero)) == 0x02)
        #expect(client.receive([0x03, 0xF7, 0x00], now: .zero).isEmpty)
        #expect(client.mtu == 247)
        #expect(client.start(.exchangeMTU, id: 3) == [.completed(3, .success(.mtu(247)))])
    }
}
