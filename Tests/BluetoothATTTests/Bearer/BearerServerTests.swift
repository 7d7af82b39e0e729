// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("A bearer without attributes of its own")
struct BearerServerTests {
    private var bearer = ATTBearer()

    private static let primary = BluetoothUUID(0x2800)

    @Test(
        "Each request is answered as an empty table answers it",
        arguments: [
            (.findInformationRequest(.init(start: 1, end: 9)), 1, .attributeNotFound),
            (.findInformationRequest(.init(start: 0, end: 9)), 0, .invalidHandle),
            (.findInformationRequest(.init(start: 9, end: 8)), 9, .invalidHandle),
            (
                .findByTypeValueRequest(.init(start: 2, end: 9, type: 0x2800, value: [])), 2,
                .attributeNotFound
            ),
            (
                .readByTypeRequest(.init(start: 3, end: 9, type: .init(0x2A00))), 3,
                .attributeNotFound
            ),
            (.readByTypeRequest(.init(start: 0, end: 0, type: .init(0x2A00))), 0, .invalidHandle),
            (
                .readByGroupTypeRequest(.init(start: 1, end: 9, type: primary)), 1,
                .attributeNotFound
            ),
            (
                .readByGroupTypeRequest(.init(start: 1, end: 9, type: .init(0x2803))), 1,
                .unsupportedGroupType
            ),
            (
                .readByGroupTypeRequest(.init(start: 0, end: 9, type: .init(0x2803))), 0,
                .invalidHandle
            ),
            (.read(4), 4, .invalidHandle),
            (.readBlobRequest(.init(handle: 4, offset: 1)), 4, .invalidHandle),
            (.readMultipleRequest(.init(handles: [5, 6])), 5, .invalidHandle),
            (.readMultipleVariableRequest(.init(handles: [6, 5])), 6, .invalidHandle),
            (.write(7), 7, .invalidHandle),
            (.prepareWriteRequest(.init(handle: 8, offset: 0, value: [1])), 8, .invalidHandle),
            (.unknown(opcode: .init(rawValue: 0x26), parameters: [1]), 0, .requestNotSupported),
            (.unknown(opcode: .init(rawValue: 0x3F), parameters: []), 0, .requestNotSupported),
        ] as [(ATT.PDU, AttributeHandle, ATT.ErrorCode)]
    )
    mutating func refuses(
        request: ATT.PDU,
        handle: AttributeHandle,
        code: ATT.ErrorCode
    ) throws {
        #expect(bearer.receive(request) == .answered)
        #expect(try bearer.drain() == [.error(request.opcode, handle, code)])
    }

    @Test("Carrying out no writes succeeds")
    mutating func executesNothing() throws {
        #expect(bearer.receive(.executeWriteRequest(.init(flags: .writeAll))) == .answered)
        #expect(try bearer.drain() == [.executeWriteResponse])
    }

    @Test(
        "A malformed request is told that it is",
        arguments: [
            [UInt8]([0x0A]), [0x0A, 1, 0, 0], [0x18, 9], [0x02, 1], [0x08, 1, 0, 2, 0, 3],
        ]
    )
    mutating func refusesMalformed(bytes: [UInt8]) throws {
        guard case .violation(nil, .malformed) = bearer.receive(bytes[...]) else {
            Issue.record("not seen as malformed")
            return
        }
        let opcode = ATT.Opcode(rawValue: bytes[0])
        #expect(try bearer.drain() == [.error(opcode, .invalid, .invalidPDU)])
    }

    @Test("Commands are never answered, known or not, well-formed or not")
    mutating func ignoresCommands() throws {
        #expect(bearer.receive(.writeCommand(1)) == .ignored(.command(.writeCommand)))
        let unknown = ATT.Opcode(rawValue: 0x7F)
        #expect(bearer.receive([0x7F, 1, 2]) == .ignored(.command(unknown)))
        guard case .violation(nil, .malformed) = bearer.receive([0x52, 1]) else {
            Issue.record("not seen as malformed")
            return
        }
        #expect(try bearer.drain() == [])
    }

    @Test("A second request before the first is answered is not taken")
    mutating func boundsReplies() throws {
        #expect(bearer.receive(.read(1)) == .answered)
        for _ in 0..<1000 {
            #expect(bearer.receive(.read(2)) == .violation(nil, .hasty(.readRequest)))
            _ = bearer.receive([0x0A])
        }
        #expect(try bearer.drain() == [.error(.readRequest, 1, .invalidHandle)])
        #expect(bearer.receive(.read(2)) == .answered)
    }

    @Test("A request is answered while ours waits for its answer")
    mutating func answersMeanwhile() throws {
        try bearer.request(.read(1), id: 1)
        _ = try bearer.drain()
        #expect(bearer.receive(.read(2)) == .answered)
        #expect(try bearer.drain() == [.error(.readRequest, 2, .invalidHandle)])
        #expect(bearer.receive(.value([3])) == .response(1, .value([3])))
    }
}
