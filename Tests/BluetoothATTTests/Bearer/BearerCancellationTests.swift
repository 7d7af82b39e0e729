// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Canceling requests on a bearer")
struct BearerCancellationTests {
    private var bearer = ATTBearer()

    @Test("A request or command that is canceled before it is sent is never sent")
    mutating func removesQueued() throws {
        try bearer.request(.read(1), id: 1)
        try bearer.request(.read(2), id: 2)
        try bearer.command(.writeCommand(3), id: 3)
        try bearer.command(.writeCommand(4), id: 4)
        bearer.cancel(2)
        bearer.cancel(3)
        #expect(try bearer.drain() == [.read(1), .writeCommand(4)])
        #expect(bearer.receive(.value([])) == .response(1, .value([])))
        #expect(try bearer.drain() == [])
    }

    @Test("The response to a canceled request is ignored, and then the next request is sent")
    mutating func swallowsAnswer() throws {
        try bearer.request(.read(1), id: 1)
        try bearer.request(.read(2), id: 2)
        #expect(try bearer.drain() == [.read(1)])
        bearer.cancel(1)
        #expect(try bearer.drain() == [])
        #expect(bearer.receive(.value([1])) == .ignored(.cancelled))
        #expect(try bearer.drain() == [.read(2)])
        #expect(bearer.receive(.value([2])) == .response(2, .value([2])))
    }

    @Test("An error and a malformed response to a canceled request are ignored")
    mutating func swallowsFailures() throws {
        try bearer.request(.read(1), id: 1)
        try bearer.request(.write(2), id: 2)
        _ = try bearer.drain()
        bearer.cancel(1)
        let refusal = ATT.PDU.error(.readRequest, 1, .readNotPermitted)
        #expect(bearer.receive(refusal) == .ignored(.cancelled))
        _ = try bearer.drain()
        bearer.cancel(2)
        #expect(bearer.receive([0x13, 0x00]) == .ignored(.cancelled))
        #expect(bearer.nextDeadline == nil)
    }

    @Test("A canceled MTU exchange takes effect, since the peer has applied it")
    mutating func keepsExchange() throws {
        try bearer.request(.exchangeMTURequest(.init(receiveMTU: 517)), id: 1)
        _ = try bearer.drain()
        bearer.cancel(1)
        let response = ATT.PDU.exchangeMTUResponse(.init(receiveMTU: 185))
        #expect(bearer.receive(response) == .ignored(.cancelled))
        #expect(bearer.mtu == 185)
    }

    @Test(
        "If a canceled request gets no response, the bearer closes without a report of the request"
    )
    mutating func timesOut() throws {
        try bearer.request(.read(1), id: 1)
        try bearer.request(.read(2), id: 2)
        _ = try bearer.drain()
        bearer.cancel(1)
        #expect(bearer.nextDeadline == .seconds(30))
        #expect(bearer.deadlinePassed(now: .seconds(30)) == [2])
        #expect(bearer.isClosed)
    }

    @Test("Canceling an unknown request has no effect")
    mutating func ignoresUnknown() throws {
        try bearer.request(.read(1), id: 1)
        bearer.cancel(7)
        #expect(try bearer.drain() == [.read(1)])
        bearer.cancel(7)
        #expect(bearer.receive(.value([])) == .response(1, .value([])))
        bearer.cancel(1)
    }
}
