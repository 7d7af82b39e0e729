// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// Every opcode of the protocol in every invalid form, and the response that the specification
/// requires. Bearer and server are tested together, from bytes to bytes.
@Suite struct MalformedPDUTests {
    private func fixture(mtu: UInt16 = 23) throws -> ServerFixture {
        var fixture = ServerFixture(try SampleTable.server())
        fixture.connect(mtu: mtu)
        return fixture
    }

    /// Returns the responses as hexadecimal digits, and checks that the server still works
    /// afterward.
    private func answers(
        to pdu: [UInt8],
        mtu: UInt16 = 23,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        var fixture = try fixture(mtu: mtu)
        let answers = fixture.send(pdu).map(\.hexadecimal)
        let read = fixture.send(bytes("0A 3900")).map(\.hexadecimal)
        #expect(read == ["0b0a"], "the server still works", sourceLocation: sourceLocation)
        return answers
    }

    private func refusal(_ opcode: UInt8, _ code: ATT.ErrorCode, _ handle: UInt16 = 0) -> String {
        let bytes = [UInt8(handle & 0xFF), UInt8(handle >> 8)]
        return ([0x01, opcode] + bytes + [code.rawValue]).hexadecimal
    }

    @Test("A request that is truncated at any byte gets Invalid PDU", arguments: Request.all)
    func short(_ request: Request) throws {
        for count in 1..<request.bytes.count where !request.lengths(count) {
            let answers = try answers(to: Array(request.bytes.prefix(count)))
            #expect(answers == [refusal(request.opcode, .invalidPDU)], "\(count) bytes")
        }
    }

    @Test("A request with additional bytes gets Invalid PDU", arguments: Request.all)
    func long(_ request: Request) throws {
        for count in request.bytes.count + 1...request.bytes.count + 20
        where !request.lengths(count) {
            let surplus = [UInt8](repeating: 0, count: count - request.bytes.count)
            let answers = try answers(to: request.bytes + surplus)
            #expect(answers == [refusal(request.opcode, .invalidPDU)], "\(count) bytes")
        }
    }

    @Test("A request longer than the server's receive MTU gets Invalid PDU", arguments: Request.all)
    func tooLong(_ request: Request) throws {
        let pdu = request.bytes + [UInt8](repeating: 0, count: 518 - request.bytes.count)
        #expect(try answers(to: pdu, mtu: 517) == [refusal(request.opcode, .invalidPDU)])
    }

    @Test("A command of up to 600 bytes gets no response", arguments: [0x52, 0xD2] as [UInt8])
    func commands(opcode: UInt8) throws {
        for count in 0..<600 {
            let pdu = [opcode] + [UInt8](repeating: 0, count: count)
            var fixture = try fixture()
            #expect(fixture.send(pdu) == [])
        }
    }

    @Test("An unknown request gets Request Not Supported, and an unknown command is ignored")
    func unknown() throws {
        for opcode in UInt8.min...UInt8.max where !ATT.Opcode(rawValue: opcode).isKnown {
            for count in [0, 1, 2, 4, 22, 600] {
                let answers = try answers(to: [opcode] + [UInt8](repeating: 1, count: count))
                let isCommand = opcode & 0x40 != 0
                #expect(answers == (isCommand ? [] : [refusal(opcode, .requestNotSupported)]))
            }
        }
    }

    @Test("PDUs of servers get no response except Confirmation", arguments: ServerPDU.all)
    func responses(_ pdu: ServerPDU) throws {
        for count in 1...pdu.bytes.count {
            let answers = try answers(to: Array(pdu.bytes.prefix(count)))
            let isConfirmed = pdu.bytes[0] == 0x1D && count >= 3
            #expect(answers == (isConfirmed ? ["1e"] : []), "\(count) bytes")
        }
    }

    @Test("An error for an invalid handle names the handle", arguments: Request.withHandle)
    func badHandle(_ request: Request) throws {
        for handle in [0x0000, 0x0012, 0x001F, 0x0067, 0xFFFF] as [UInt16] {
            let pdu = request.with(handle)
            #expect(try answers(to: pdu) == [refusal(request.opcode, .invalidHandle, handle)])
        }
    }

    @Test("Of several handles, the error names the first invalid one", arguments: [0x0E, 0x20])
    func badHandles(opcode: UInt8) throws {
        let first = try answers(to: [opcode] + bytes("0000 2200 2200"))
        #expect(first == [refusal(opcode, .invalidHandle)])
        let second = try answers(to: [opcode] + bytes("2200 6700 2800"))
        #expect(second == [refusal(opcode, .invalidHandle, 0x0067)])
        let third = try answers(to: [opcode] + bytes("2200 2800 6700"))
        #expect(third == [refusal(opcode, .readNotPermitted, 0x0028)])
    }

    @Test(
        "A range that starts at zero or ends before its start is invalid",
        arguments: Request.ranged
    )
    func badRange(_ request: Request) throws {
        for (start, end) in [(0, 0), (0, 0xFFFF), (2, 1), (0xFFFF, 1)] as [(UInt16, UInt16)] {
            let pdu = request.with(start, end)
            #expect(try answers(to: pdu) == [refusal(request.opcode, .invalidHandle, start)])
        }
    }

    @Test("The error for a range without a match names its start", arguments: Request.ranged)
    func emptyRange(_ request: Request) throws {
        for (start, end) in [(0x12, 0x1F), (0x67, 0xFFFF), (0xFFFF, 0xFFFF)] as [(UInt16, UInt16)] {
            let pdu = request.with(start, end)
            #expect(try answers(to: pdu) == [refusal(request.opcode, .attributeNotFound, start)])
        }
    }

    @Test("A type that is not a group type is refused, but an invalid range is the first error")
    func badGroup() throws {
        let characteristic = try answers(to: bytes("10 0100 FFFF 0328"))
        #expect(characteristic == [refusal(0x10, .unsupportedGroupType, 1)])
        let long = try answers(to: bytes("10 0100 FFFF \(SampleTable.longServiceBytes)"))
        #expect(long == [refusal(0x10, .unsupportedGroupType, 1)])
        let both = try answers(to: bytes("10 0200 0100 0328"))
        #expect(both == [refusal(0x10, .invalidHandle, 2)])
    }

    @Test(
        "Invalid flags of an Execute Write Request get Invalid PDU",
        arguments: 2...255 as ClosedRange<UInt8>
    )
    func badFlags(flags: UInt8) throws {
        #expect(try answers(to: [0x18, flags]) == [refusal(0x18, .invalidPDU)])
    }

    @Test("An Execute Write Request without prepared writes succeeds", arguments: [0, 1])
    func executeNothing(flags: UInt8) throws {
        #expect(try answers(to: [0x18, flags]) == ["19"])
    }

    @Test(
        "A request while another is open gets no response, and the open request still gets one",
        arguments: Request.all
    )
    func outOfSequence(_ request: Request) throws {
        var fixture = try fixture()
        #expect(fixture.send(bytes("0A 3200")) == [])
        #expect(fixture.send(request.bytes) == [])
        #expect(fixture.send([request.opcode]) == [])
        fixture.answer(.success([1]))
        #expect(fixture.drain().map(\.hexadecimal) == ["0b01"])
    }

    @Test("An unexpected confirmation is ignored")
    func strayConfirmation() throws {
        #expect(try answers(to: [0x1E]) == [])
        #expect(try answers(to: [0x1E, 0]) == [])
    }

    @Test("An empty PDU is ignored")
    func empty() throws {
        #expect(try answers(to: []) == [])
    }
}

/// A valid request.
struct Request: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    /// Returns whether another length is valid too.
    let lengths: @Sendable (Int) -> Bool

    private init(
        _ name: String,
        _ hexadecimal: String,
        _ lengths: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) {
        self.name = name
        bytes = QualificationTests.bytes(hexadecimal)
        self.lengths = lengths
    }

    var opcode: UInt8 { bytes[0] }

    var testDescription: String { name }

    /// Returns this request for another attribute.
    func with(_ handle: UInt16) -> [UInt8] {
        [opcode, UInt8(handle & 0xFF), UInt8(handle >> 8)] + bytes.dropFirst(3)
    }

    /// Returns this request for another range.
    func with(_ start: UInt16, _ end: UInt16) -> [UInt8] {
        with(start).prefix(3) + [UInt8(end & 0xFF), UInt8(end >> 8)] + bytes.dropFirst(5)
    }

    static let all =
        [
            Request("Exchange MTU", "02 1700"),
            Request("Read Multiple", "0E 2200 2500", isEvenPlusOne),
            Request("Execute Write", "18 00"),
            Request("Read Multiple Variable", "20 2200 2500", isEvenPlusOne),
        ] + ranged + withHandle

    static let ranged = [
        Request("Find Information", "04 1200 1F00"),
        Request("Find By Type Value", "06 1200 1F00 0028 00A0") { $0 >= 7 },
        Request("Read By Type", "08 1200 1F00 00B0") { $0 == 21 },
        Request("Read By Group Type", "10 1200 1F00 0028") { $0 == 21 },
    ]

    static let withHandle = [
        Request("Read", "0A 2200"), Request("Read Blob", "0C 2200 0000"),
        Request("Write", "12 2200 01") { $0 >= 3 },
        Request("Prepare Write", "16 2200 0000 01") { $0 >= 5 },
    ]

    /// A closure that returns whether a request of a length has an opcode and two or more handles.
    private static let isEvenPlusOne: @Sendable (Int) -> Bool = { $0 >= 5 && $0 % 2 == 1 }
}

/// A PDU that only servers send, from a client.
struct ServerPDU: CustomTestStringConvertible, Sendable {
    let bytes: [UInt8]

    var testDescription: String { ATT.Opcode(rawValue: bytes[0]).description }

    static let all = [
        "01 0A 2200 0A", "03 1700", "05 01 0100 0028", "07 0100 0200", "09 04 0100 0102", "0B 01",
        "0D 01", "0F 0102", "11 06 0100 0200 0018", "13", "17 2200 0000 01", "19", "1B 2200 01",
        "1D 2200 01", "21 0100 01", "23 2200 0100 01 2500 0100 02",
    ].map { ServerPDU(bytes: QualificationTests.bytes($0)) }
}
