// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("The end of a bearer")
struct BearerEndTests {
    private var bearer = ATTBearer()

    @Test("The timeout of thirty seconds starts when the request is sent")
    mutating func measuresFromDeparture() throws {
        try bearer.request(.read(1), id: 1)
        #expect(bearer.nextDeadline == nil)
        #expect(try bearer.drain(at: .seconds(5)) == [.read(1)])
        #expect(bearer.nextDeadline == .seconds(35))
    }

    @Test("A response stops the timeout, and the next request starts it again")
    mutating func restarts() throws {
        try bearer.request(.read(1), id: 1)
        try bearer.request(.read(2), id: 2)
        _ = try bearer.drain(at: .seconds(1))
        _ = bearer.receive(.value([]))
        #expect(bearer.nextDeadline == nil)
        _ = try bearer.drain(at: .seconds(20))
        #expect(bearer.nextDeadline == .seconds(50))
        #expect(bearer.deadlinePassed(now: .seconds(31)) == [])
        #expect(bearer.deadlinePassed(now: .seconds(49.999)) == [])
    }

    @Test("Commands and notifications do not extend the deadline")
    mutating func isNotPutOff() throws {
        try bearer.request(.read(1), id: 1)
        _ = try bearer.drain()
        try bearer.command(.writeCommand(2), id: 2)
        _ = try bearer.drain(at: .seconds(20))
        _ = bearer.receive(.notification(3, [1]))
        _ = bearer.receive(.writeResponse)
        #expect(bearer.nextDeadline == .seconds(30))
    }

    @Test("A request without a response closes the bearer and fails all waiting requests")
    mutating func closes() throws {
        try bearer.request(.read(1), id: 1)
        try bearer.request(.read(2), id: 2)
        try bearer.command(.writeCommand(3), id: 3)
        try bearer.command(.writeCommand(4), id: nil)
        _ = try bearer.drain()
        #expect(bearer.deadlinePassed(now: .seconds(30)) == [1, 2, 3])
        #expect(bearer.isClosed)
        #expect(!bearer.hasRoom)
        #expect(bearer.nextDeadline == nil)
        #expect(bearer.deadlinePassed(now: .seconds(60)) == [])
    }

    @Test("A closed bearer neither accepts nor sends PDUs")
    mutating func staysClosed() throws {
        _ = bearer.receive(.indication(1, [1]))
        _ = bearer.receive(.read(1))
        #expect(bearer.close() == [])
        #expect(try bearer.drain() == [])
        #expect(throws: ATTBearer.BearerError.closed) { try bearer.request(.read(1), id: 1) }
        #expect(throws: ATTBearer.BearerError.closed) {
            try bearer.command(.writeCommand(1), id: 1)
        }
        #expect(bearer.receive(.notification(1, [1])) == .ignored(.closed))
        #expect(bearer.receive(.value([1])) == .ignored(.closed))
        #expect(bearer.receive([]) == .ignored(.closed))
    }

    @Test("Closing a bearer returns the unanswered requests once, in order")
    mutating func returnsUnanswered() throws {
        for id in 1...4 { try bearer.request(.read(1), id: UInt64(id)) }
        _ = try bearer.drain()
        bearer.cancel(3)
        #expect(bearer.close() == [1, 2, 4])
        #expect(bearer.close() == [])
    }
}
