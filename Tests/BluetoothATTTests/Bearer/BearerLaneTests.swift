// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Notifications and indications on a bearer")
struct BearerLaneTests {
    private var bearer = ATTBearer()

    @Test("Notifications are sent in order and complete when they are sent")
    mutating func notifies() throws {
        try bearer.notify(.notification(5, [1]), id: 1)
        try bearer.notify(.notification(6, [2]), id: nil)
        let several = ATT.MultipleHandleValueNotification(entries: [
            .init(handle: 5, value: [1]), .init(handle: 6, value: [2]),
        ])
        try bearer.notify(.multipleHandleValueNotification(several), id: 3)
        let left = (0..<4).map { _ in bearer.nextPDU(now: .zero) }
        #expect(left.map { $0?.completedCommand } == [1, nil, 3, nil])
        #expect(left[0]?.bytes == [0x1B, 5, 0, 1])
        #expect(left[3] == nil)
        #expect(bearer.nextDeadline == nil)
    }

    @Test("One indication is sent at a time, and the next after its confirmation")
    mutating func indicates() throws {
        try bearer.indicate(.indication(5, [1]), id: 1)
        try bearer.indicate(.indication(5, [2]), id: 2)
        #expect(try bearer.drain() == [.indication(5, [1])])
        #expect(bearer.receive(.handleValueConfirmation) == .confirmed(1))
        #expect(try bearer.drain() == [.indication(5, [2])])
        #expect(bearer.receive(.handleValueConfirmation) == .confirmed(2))
        let surplus = ATTBearer.Violation.unexpected(.handleValueConfirmation)
        #expect(bearer.receive(.handleValueConfirmation) == .violation(nil, surplus))
    }

    @Test("A malformed confirmation confirms no indication")
    mutating func needsConfirmation() throws {
        try bearer.indicate(.indication(5, [1]), id: 1)
        _ = try bearer.drain()
        #expect(bearer.receive([0x1E, 0]) == .violation(nil, .malformed(.trailing(count: 1))))
        #expect(bearer.receive(.handleValueConfirmation) == .confirmed(1))
    }

    @Test("Open requests and unconfirmed indications do not block other PDUs")
    mutating func blocksNoPDUs() throws {
        try bearer.request(.read(1), id: 1)
        try bearer.request(.read(2), id: 2)
        try bearer.indicate(.indication(3, []), id: 3)
        try bearer.indicate(.indication(4, []), id: 4)
        _ = try bearer.drain()
        try bearer.notify(.notification(5, []), id: 5)
        try bearer.notify(.notification(6, []), id: 6)
        #expect(try bearer.drain() == [.notification(5, []), .notification(6, [])])
        _ = bearer.receive(.handleValueConfirmation)
        #expect(try bearer.drain() == [.indication(4, [])])
        _ = bearer.receive(.value([]))
        #expect(try bearer.drain() == [.read(2)])
    }

    @Test("Commands, notifications and indications take turns")
    mutating func takesTurns() throws {
        for id in UInt64(0)..<20 {
            try bearer.command(.writeCommand(1), id: id)
            try bearer.notify(.notification(2, []), id: 100 + id)
            try bearer.indicate(.indication(3, []), id: 200 + id)
        }
        var opcodes: [ATT.Opcode] = []
        while let pdu = try bearer.next() {
            opcodes.append(pdu.opcode)
            if case .handleValueIndication = pdu { _ = bearer.receive(.handleValueConfirmation) }
        }
        let round: [ATT.Opcode] = [
            .handleValueIndication, .handleValueNotification, .writeCommand,
        ]
        #expect(opcodes == (0..<20).flatMap { _ in round })
    }

    @Test("A response is sent before all waiting PDUs")
    mutating func respondsFirst() throws {
        try bearer.notify(.notification(2, []), id: nil)
        try bearer.indicate(.indication(3, []), id: 1)
        _ = bearer.receive(.read(1))
        bearer.respond(.value([1]))
        #expect(try bearer.next() == .value([1]))
    }

    @Test("Each queue has its own limit and accepts more after a PDU is sent")
    mutating func boundsLanes() throws {
        for id in 0..<UInt64(ATTBearer.notificationLimit) {
            #expect(bearer.hasRoomForNotification)
            try bearer.notify(.notification(2, []), id: id)
        }
        for id in 0..<UInt64(ATTBearer.indicationLimit) {
            #expect(bearer.hasRoomForIndication)
            try bearer.indicate(.indication(3, []), id: 1000 + id)
        }
        #expect(!bearer.hasRoomForNotification && !bearer.hasRoomForIndication)
        #expect(bearer.hasRoom)
        #expect(throws: ATTBearer.BearerError.queueFull) {
            try bearer.notify(.notification(2, []), id: nil)
        }
        #expect(throws: ATTBearer.BearerError.queueFull) {
            try bearer.indicate(.indication(3, []), id: 999)
        }
        #expect(try bearer.next() == .indication(3, []))
        #expect(bearer.hasRoomForIndication && !bearer.hasRoomForNotification)
        #expect(try bearer.next() == .notification(2, []))
        #expect(bearer.hasRoomForNotification)
    }

    @Test("A value that is too long for the MTU is truncated")
    mutating func boundsLength() throws {
        let value = ArraySlice(repeating: UInt8(1), count: 21)
        try bearer.notify(.notification(1, value), id: 1)
        try bearer.indicate(.indication(1, value), id: 2)
        #expect(try bearer.next() == .indication(1, value.dropLast()))
        #expect(try bearer.next() == .notification(1, value.dropLast()))
    }

    @Test("An indication without a confirmation for thirty seconds closes the bearer")
    mutating func timesOut() throws {
        try bearer.indicate(.indication(5, [1]), id: 1)
        try bearer.indicate(.indication(5, [2]), id: 2)
        #expect(bearer.nextDeadline == nil)
        _ = try bearer.drain(at: .seconds(3))
        try bearer.request(.read(1), id: 3)
        _ = try bearer.drain(at: .seconds(5))
        try bearer.notify(.notification(5, []), id: 4)
        #expect(bearer.nextDeadline == .seconds(33))
        #expect(bearer.deadlinePassed(now: .seconds(32)) == [])
        #expect(bearer.deadlinePassed(now: .seconds(33)) == [3, 1, 4, 2])
        #expect(bearer.isClosed)
        #expect(!bearer.hasRoomForNotification && !bearer.hasRoomForIndication)
        #expect(throws: ATTBearer.BearerError.closed) {
            try bearer.notify(.notification(2, []), id: nil)
        }
    }

    @Test("A canceled notification is not sent, and a canceled indication is not reported")
    mutating func cancels() throws {
        try bearer.notify(.notification(1, []), id: 1)
        try bearer.indicate(.indication(2, []), id: 2)
        try bearer.indicate(.indication(3, []), id: 3)
        bearer.cancel(1)
        #expect(try bearer.drain() == [.indication(2, [])])
        bearer.cancel(2)
        bearer.cancel(3)
        #expect(bearer.nextDeadline == .seconds(30))
        #expect(bearer.receive(.handleValueConfirmation) == .confirmed(nil))
        #expect(try bearer.drain() == [])
        #expect(bearer.close() == [])
    }
}
