// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

/// A PDU and the bytes that another implementation wrote for it.
struct PDUVector: CustomTestStringConvertible, Sendable {
    /// The lengths at which a PDU is still well-formed after it was truncated or extended.
    enum Lengths {
        /// Only its own length, because every field has a fixed length.
        case fixed
        /// Any length from this number of bytes on, because a value of any length ends the PDU.
        case atLeast(Int)
        /// This number of bytes, followed by one or more whole entries.
        case entries(from: Int, of: Int)

        func allow(_ count: Int, asIn vector: PDUVector) -> Bool {
            switch self {
            case .fixed: count == vector.bytes.count
            case .atLeast(let minimum): count >= minimum
            case .entries(let start, let size):
                count > start && (count - start).isMultiple(of: size)
            }
        }
    }

    let hexadecimal: String
    let pdu: ATT.PDU
    let lengths: Lengths

    init(_ hexadecimal: String, _ pdu: ATT.PDU, _ lengths: Lengths = .fixed) {
        self.hexadecimal = hexadecimal
        self.pdu = pdu
        self.lengths = lengths
    }

    var bytes: [UInt8] { [UInt8](hexadecimal: hexadecimal) ?? [] }

    var testDescription: String { pdu.opcode.description }
}

extension PDUVector {
    private static let uart = BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E") ?? .init(0)

    static let all: [PDUVector] = discovery + reading + writing + notifying

    private static let discovery: [PDUVector] = [
        .init(
            "010a100002",
            .errorResponse(.init(requestOpcode: .readRequest, handle: 16, code: .readNotPermitted))
        ),
        .init("020502", .exchangeMTURequest(.init(receiveMTU: 517))),
        .init("03f700", .exchangeMTUResponse(.init(receiveMTU: 247))),
        .init("040100ffff", .findInformationRequest(.init(start: 1, end: .last))),
        .init(
            "0501010000280200032a",
            .findInformationResponse(
                .init(entries: [
                    .init(handle: 1, uuid: .init(0x2800)), .init(handle: 2, uuid: .init(0x2A03)),
                ])
            ),
            .entries(from: 2, of: 4)
        ),
        .init(
            "050207009ecadc240ee5a9e093f3a3b50100406e",
            .findInformationResponse(.init(entries: [.init(handle: 7, uuid: uart)])),
            .entries(from: 2, of: 18)
        ),
        .init(
            "060100ffff00280d18",
            .findByTypeValueRequest(
                .init(start: 1, end: .last, type: 0x2800, value: [0x0D, 0x18])
            ),
            .atLeast(7)
        ),
        .init(
            "071000150020002f00",
            .findByTypeValueResponse(
                .init(entries: [
                    .init(found: 0x10, groupEnd: 0x15), .init(found: 0x20, groupEnd: 0x2F),
                ])
            ),
            .entries(from: 1, of: 4)
        ),
    ]

    private static let reading: [PDUVector] = [
        .init(
            "080100ffff0328",
            .readByTypeRequest(.init(start: 1, end: .last, type: .init(0x2803)))
        ),
        .init(
            "08010009009ecadc240ee5a9e093f3a3b50100406e",
            .readByTypeRequest(.init(start: 1, end: 9, type: uart)),
            // Cut to two bytes, a 128-bit UUID is a 16-bit UUID.
            .entries(from: 5, of: 2)
        ),
        .init(
            "09070200020300002a0400020500012a",
            .readByTypeResponse(
                .init(entries: [
                    .init(handle: 2, value: [0x02, 0x03, 0x00, 0x00, 0x2A]),
                    .init(handle: 4, value: [0x02, 0x05, 0x00, 0x01, 0x2A]),
                ])
            ),
            .entries(from: 2, of: 7)
        ),
        .init("0a0300", .readRequest(.init(handle: 3))),
        .init(
            "0b4c616e79617264",
            .readResponse(.init(value: Array("Lanyard".utf8)[...])),
            .atLeast(1)
        ),
        .init("0c03001600", .readBlobRequest(.init(handle: 3, offset: 22))),
        .init("0d79617264", .readBlobResponse(.init(value: Array("yard".utf8)[...])), .atLeast(1)),
        .init(
            "0e030005000700",
            .readMultipleRequest(.init(handles: [3, 5, 7])),
            .entries(from: 3, of: 2)
        ),
        .init("0f010203", .readMultipleResponse(.init(values: [1, 2, 3])), .atLeast(1)),
        .init(
            "100100ffff0028",
            .readByGroupTypeRequest(.init(start: 1, end: .last, type: .init(0x2800)))
        ),
        .init(
            "1106010005000018060009000118",
            .readByGroupTypeResponse(
                .init(entries: [
                    .init(handle: 1, groupEnd: 5, value: [0x00, 0x18]),
                    .init(handle: 6, groupEnd: 9, value: [0x01, 0x18]),
                ])
            ),
            .entries(from: 2, of: 6)
        ),
        .init(
            "200300050007000900",
            .readMultipleVariableRequest(.init(handles: [3, 5, 7, 9])),
            .entries(from: 3, of: 2)
        ),
    ]

    private static let writing: [PDUVector] = [
        .init("1212000100", .writeRequest(.init(handle: 0x12, value: [1, 0])), .atLeast(3)),
        .init("13", .writeResponse),
        .init("5212000100", .writeCommand(.init(handle: 0x12, value: [1, 0])), .atLeast(3)),
        .init(
            "d2120007000102030405060708090a0b",
            .signedWriteCommand(.init(handle: 0x12, value: [7], signature: ArraySlice(0..<12))),
            .atLeast(15)
        ),
        .init(
            "1612001200616263",
            .prepareWriteRequest(.init(handle: 0x12, offset: 18, value: [0x61, 0x62, 0x63])),
            .atLeast(5)
        ),
        .init(
            "1712001200616263",
            .prepareWriteResponse(.init(handle: 0x12, offset: 18, value: [0x61, 0x62, 0x63])),
            .atLeast(5)
        ),
        .init("1801", .executeWriteRequest(.init(flags: .writeAll))),
        .init("1800", .executeWriteRequest(.init(flags: .cancelAll))),
        .init("19", .executeWriteResponse),
    ]

    private static let notifying: [PDUVector] = [
        .init(
            "1b15000048",
            .handleValueNotification(.init(handle: 0x15, value: [0, 0x48])),
            .atLeast(3)
        ),
        .init(
            "1d15000048",
            .handleValueIndication(.init(handle: 0x15, value: [0, 0x48])),
            .atLeast(3)
        ),
        .init("1e", .handleValueConfirmation),
        .init(
            "231500000016000000",
            .multipleHandleValueNotification(
                .init(entries: [.init(handle: 0x15, value: []), .init(handle: 0x16, value: [])])
            ),
            .entries(from: 1, of: 4)
        ),
    ]
}

extension AttributeHandle: ExpressibleByIntegerLiteral {
    /// Creates a handle from an integer literal in a test.
    public init(integerLiteral value: UInt16) {
        self.init(value)
    }
}
