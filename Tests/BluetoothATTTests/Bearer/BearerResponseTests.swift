// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Responses on a bearer")
struct BearerResponseTests {
    private var bearer = ATTBearer()

    @Test("An Error Response ends the request that it names")
    mutating func fails() throws {
        try bearer.request(.read(3), id: 1)
        _ = try bearer.drain()
        let error = ATT.ErrorResponse(
            requestOpcode: .readRequest,
            handle: 3,
            code: .insufficientEncryption
        )
        #expect(bearer.receive(.errorResponse(error)) == .failure(1, error))
        #expect(bearer.nextDeadline == nil)
    }

    @Test("An unexpected response is reported as a violation and has no other effect")
    mutating func survivesUnsolicited() throws {
        #expect(bearer.receive(.value([1])) == .violation(nil, .unexpected(.readResponse)))
        #expect(bearer.receive(.writeResponse) == .violation(nil, .unexpected(.writeResponse)))
        let error = ATT.PDU.error(.readRequest, 1, .unlikelyError)
        #expect(bearer.receive(error) == .violation(nil, .unexpected(.errorResponse)))
        #expect(try bearer.drain() == [])
        #expect(!bearer.isClosed)
    }

    @Test("A response does not end a request that is not sent yet")
    mutating func needsDeparture() throws {
        try bearer.request(.read(1), id: 1)
        #expect(bearer.receive(.value([1])) == .violation(nil, .unexpected(.readResponse)))
        #expect(try bearer.drain() == [.read(1)])
    }

    @Test("A duplicate response does not end the next request")
    mutating func survivesDuplicates() throws {
        try bearer.request(.write(1), id: 1)
        try bearer.request(.read(2), id: 2)
        _ = try bearer.drain()
        #expect(bearer.receive(.writeResponse) == .response(1, .writeResponse))
        _ = try bearer.drain()
        #expect(bearer.receive(.writeResponse) == .violation(nil, .unexpected(.writeResponse)))
        #expect(bearer.receive(.value([9])) == .response(2, .value([9])))
    }

    @Test("An Error Response to another request does not end the open request")
    mutating func survivesForeignErrors() throws {
        try bearer.request(.read(2), id: 2)
        _ = try bearer.drain()
        let stray = ATT.PDU.error(.writeRequest, 1, .writeNotPermitted)
        #expect(bearer.receive(stray) == .violation(nil, .unexpected(.errorResponse)))
        #expect(bearer.receive([0x01]) == .violation(nil, .unexpected(.errorResponse)))
        #expect(bearer.receive(.value([9])) == .response(2, .value([9])))
    }

    @Test(
        "A malformed response ends the open request",
        arguments: [
            [UInt8]([0x09]), [0x09, 0x07, 0x01], [0x01, 0x08, 0x00], [0x01, 0x08, 0, 0, 1, 9],
        ]
    )
    mutating func failsOnMalformed(bytes: [UInt8]) throws {
        let request = ATT.ReadByTypeRequest(start: 1, end: .last, type: .init(0x2803))
        try bearer.request(.readByTypeRequest(request), id: 5)
        try bearer.request(.read(1), id: 6)
        _ = try bearer.drain()
        guard case .violation(5, .malformed) = bearer.receive(bytes[...]) else {
            Issue.record("The request did not fail")
            return
        }
        #expect(!bearer.isClosed)
        #expect(try bearer.drain() == [.read(1)])
    }

    @Test("A response longer than the receive MTU ends its request")
    mutating func failsOnTooLong() throws {
        bearer = ATTBearer(receiveMTULimit: 64)
        try bearer.request(.read(1), id: 1)
        _ = try bearer.drain()
        let long = [0x0B] + [UInt8](repeating: 0, count: 64)
        #expect(bearer.receive(long[...]) == .violation(1, .tooLong(count: 65)))
        #expect(bearer.nextDeadline == nil)
    }

    @Test(
        "A request ends only with its own response or its own Error Response",
        arguments: PDUVector.all
    )
    mutating func matchesKinds(_ vector: PDUVector) throws {
        guard vector.pdu.opcode.isRequest else { return }
        if case .exchangeMTURequest = vector.pdu { return }
        for answer in PDUVector.all where answer.pdu.opcode.isResponse {
            var bearer = ATTBearer()
            try bearer.request(vector.pdu, id: 1)
            _ = try bearer.drain()
            let received = bearer.receive(answer.pdu)
            if answer.pdu.opcode == vector.pdu.opcode.answer {
                #expect(received == .response(1, answer.pdu))
            } else if case .errorResponse(let error) = answer.pdu,
                error.requestOpcode == vector.pdu.opcode
            {
                #expect(received == .failure(1, error))
            } else {
                #expect(received == .violation(nil, .unexpected(answer.pdu.opcode)))
            }
        }
    }
}
