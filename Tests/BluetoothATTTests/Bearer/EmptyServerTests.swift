// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("A server without attributes")
struct EmptyServerTests {
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
        ] as [(ATT.PDU, AttributeHandle, ATT.ErrorCode)]
    )
    func refuses(
        request: ATT.PDU,
        handle: AttributeHandle,
        code: ATT.ErrorCode
    ) {
        #expect(EmptyServer.answer(to: request) == .error(request.opcode, handle, code))
    }

    @Test("Carrying out no writes succeeds")
    func executesNothing() {
        let request = ATT.PDU.executeWriteRequest(.init(flags: .writeAll))
        #expect(EmptyServer.answer(to: request) == .executeWriteResponse)
    }
}
