// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Cancelling on a bearer")
struct BearerCancellationTests {
    private var bearer = ATTBearer()

    @Test("What has not left never leaves")
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

    @Test("The answer to what has left is swallowed, and only then the next request leaves")
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

    @Test("A refusal of what was cancelled is swallowed too, and a malformed answer")
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

    @Test("An MTU exchange holds even if it was cancelled: the peer has taken it")
    mutating func keepsExchange() throws {
        try bearer.request(.exchangeMTURequest(.init(receiveMTU: 517)), id: 1)
        _ = try bearer.drain()
        bearer.cancel(1)
        let response = ATT.PDU.exchangeMTUResponse(.init(receiveMTU: 185))
        #expect(bearer.receive(response) == .ignored(.cancelled))
        #expect(bearer.mtu == 185)
    }

    @Test("A cancelled request that is never answered still closes the bearer, unreported")
    mutating func timesOut() throws {
        try bearer.request(.read(1), id: 1)
        try bearer.request(.read(2), id: 2)
        _ = try bearer.drain()
        bearer.cancel(1)
        #expect(bearer.nextDeadline == .seconds(30))
        #expect(bearer.deadlinePassed(now: .seconds(30)) == [2])
        #expect(bearer.isClosed)
    }

    @Test("Cancelling what is not there does nothing")
    mutating func ignoresUnknown() throws {
        try bearer.request(.read(1), id: 1)
        bearer.cancel(7)
        #expect(try bearer.drain() == [.read(1)])
        bearer.cancel(7)
        #expect(bearer.receive(.value([])) == .response(1, .value([])))
        bearer.cancel(1)
    }
}
