// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Receiving notifications and indications on a bearer")
struct BearerReceivingTests {
    private var bearer = ATTBearer()

    @Test("A notification is passed on without a response")
    mutating func notifies() throws {
        #expect(
            bearer.receive(.notification(5, [1, 2]))
                == .notification(.init(handle: 5, value: [1, 2]))
        )
        #expect(try bearer.drain() == [])
    }

    @Test("A notification may have an empty value")
    mutating func notifiesNothing() {
        #expect(
            bearer.receive([0x1B, 5, 0]) == .notification(.init(handle: 5, value: []))
        )
    }

    @Test("A notification with several values is passed on")
    mutating func notifiesSeveral() throws {
        let notification = ATT.MultipleHandleValueNotification(entries: [
            .init(handle: 5, value: [1]), .init(handle: 6, value: [2, 3]),
        ])
        #expect(
            bearer.receive(.multipleHandleValueNotification(notification))
                == .multipleNotification(notification)
        )
    }

    @Test("An indication is confirmed once")
    mutating func confirms() throws {
        #expect(
            bearer.receive(.indication(5, [1])) == .indication(.init(handle: 5, value: [1]))
        )
        #expect(try bearer.drain() == [.handleValueConfirmation])
        #expect(
            bearer.receive(.indication(5, [2])) == .indication(.init(handle: 5, value: [2]))
        )
        #expect(try bearer.drain() == [.handleValueConfirmation])
    }

    @Test("A flood of indications leads to one confirmation")
    mutating func boundsConfirmations() throws {
        _ = bearer.receive(.indication(5, [1]))
        for _ in 0..<1000 {
            let violation = ATTBearer.Received.violation(
                nil,
                .outOfSequence(.handleValueIndication)
            )
            #expect(bearer.receive(.indication(5, [2])) == violation)
        }
        #expect(try bearer.drain() == [.handleValueConfirmation])
    }

    @Test("A flood of notifications does not block requests")
    mutating func survivesFloods() throws {
        try bearer.request(.read(1), id: 1)
        for round in 0..<10_000 {
            let value = ArraySlice([UInt8(truncatingIfNeeded: round)])
            #expect(
                bearer.receive(.notification(5, value))
                    == .notification(.init(handle: 5, value: value))
            )
        }
        #expect(try bearer.drain() == [.read(1)])
        #expect(bearer.receive(.value([1])) == .response(1, .value([1])))
    }

    @Test(
        "A malformed notification or indication is neither passed on nor confirmed",
        arguments: [
            [UInt8]([0x1B]), [0x1B, 5], [0x1D], [0x1D, 5], [0x23, 5], [0x23, 5, 0, 1, 0],
        ]
    )
    mutating func refusesMalformed(bytes: [UInt8]) throws {
        guard case .violation(nil, .malformed) = bearer.receive(bytes[...]) else {
            Issue.record("The PDU is not reported as malformed")
            return
        }
        #expect(try bearer.drain() == [])
    }

    @Test("An unexpected confirmation is reported and has no other effect")
    mutating func survivesConfirmations() throws {
        #expect(
            bearer.receive(.handleValueConfirmation)
                == .violation(nil, .unexpected(.handleValueConfirmation))
        )
        #expect(try bearer.drain() == [])
    }

    @Test("An empty PDU is malformed")
    mutating func refusesEmpty() {
        let truncated = MalformedBytes.truncated(needed: 1, available: 0)
        #expect(bearer.receive([]) == .violation(nil, .malformed(truncated)))
    }
}
