// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("The order of PDUs on a bearer")
struct BearerOrderTests {
    private var bearer = ATTBearer()

    @Test("A new bearer has nothing to send and no deadline")
    mutating func isQuiet() throws {
        #expect(try bearer.next() == nil)
        #expect(bearer.nextDeadline == nil)
        #expect(bearer.mtu == 23)
        #expect(bearer.hasRoom)
    }

    @Test("One request is sent at a time, and the next after its response")
    mutating func isSequential() throws {
        try bearer.request(.read(1), id: 10)
        try bearer.request(.read(2), id: 20)
        #expect(try bearer.drain() == [.read(1)])
        #expect(bearer.receive(.value([7])) == .response(10, .value([7])))
        #expect(try bearer.drain() == [.read(2)])
        #expect(bearer.receive(.value([8])) == .response(20, .value([8])))
        #expect(try bearer.drain() == [])
    }

    @Test("Commands are sent while a request is open and complete when they are sent")
    mutating func sendsCommandsMeanwhile() throws {
        try bearer.request(.read(1), id: 10)
        try bearer.command(.writeCommand(2), id: 20)
        try bearer.command(.writeCommand(3), id: nil)
        #expect(bearer.nextPDU(now: .zero)?.completedCommand == nil)
        #expect(bearer.nextPDU(now: .zero)?.completedCommand == 20)
        let next = bearer.nextPDU(now: .zero)
        let unnamed = try #require(next)
        #expect(unnamed.completedCommand == nil)
        #expect(unnamed.bytes == ATT.PDU.writeCommand(3).encode())
    }

    @Test("Commands and requests are sent in the order in which they were queued")
    mutating func keepsOrder() throws {
        try bearer.command(.writeCommand(1), id: 1)
        try bearer.request(.write(2), id: 2)
        try bearer.request(.write(3), id: 3)
        try bearer.command(.writeCommand(4), id: 4)
        #expect(try bearer.drain() == [.writeCommand(1), .write(2)])
        #expect(bearer.receive(.writeResponse) == .response(2, .writeResponse))
        #expect(try bearer.drain() == [.write(3), .writeCommand(4)])
    }

    @Test("Confirmations are sent first, then responses, then the client's own PDUs")
    mutating func owesFirst() throws {
        try bearer.request(.read(1), id: 1)
        #expect(bearer.receive(.read(9)) == .request(.read(9)))
        bearer.respond(.value([9]))
        guard case .indication = bearer.receive(.indication(5, [1])) else {
            Issue.record("The PDU is not reported as an indication")
            return
        }
        #expect(
            try bearer.drain() == [
                .handleValueConfirmation, .value([9]), .read(1),
            ]
        )
    }

    @Test("The queue has a limit and accepts more after a PDU is sent")
    mutating func boundsQueue() throws {
        for id in 0..<UInt64(ATTBearer.queueLimit) { try bearer.command(.writeCommand(1), id: id) }
        #expect(!bearer.hasRoom)
        #expect(throws: ATTBearer.BearerError.queueFull) {
            try bearer.command(.writeCommand(1), id: 999)
        }
        #expect(throws: ATTBearer.BearerError.queueFull) { try bearer.request(.read(1), id: 999) }
        #expect(bearer.nextPDU(now: .zero)?.completedCommand == 0)
        #expect(bearer.hasRoom)
        try bearer.request(.read(1), id: 999)
        #expect(try bearer.drain().count == ATTBearer.queueLimit)
    }

    @Test("A full queue keeps the order of its PDUs")
    mutating func keepsOrderUnderLoad() throws {
        var expected: UInt64 = 0
        for id in 0..<UInt64(10_000) {
            try bearer.command(.writeCommand(1), id: id)
            guard !bearer.hasRoom else { continue }
            #expect(bearer.nextPDU(now: .zero)?.completedCommand == expected)
            expected += 1
        }
        while let outgoing = bearer.nextPDU(now: .zero) {
            #expect(outgoing.completedCommand == expected)
            expected += 1
        }
        #expect(expected == 10_000)
    }

    @Test("A PDU longer than the MTU is refused")
    mutating func boundsLength() throws {
        let value = ArraySlice(repeating: UInt8(1), count: 20)
        try bearer.request(.write(1, value), id: 1)
        #expect(throws: ATTBearer.BearerError.pduTooLong(mtu: 23)) {
            try bearer.request(.write(1, value + [2]), id: 2)
        }
        #expect(throws: ATTBearer.BearerError.pduTooLong(mtu: 23)) {
            try bearer.command(.writeCommand(1, value + [2]), id: 2)
        }
        #expect(try bearer.drain().count == 1)
    }
}
