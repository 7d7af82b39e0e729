// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Requests of the peer on a bearer")
struct BearerServerTests {
    private var bearer = ATTBearer()

    @Test("A request is passed to the server, whose response is sent")
    mutating func handsOver() throws {
        #expect(bearer.receive(.read(4)) == .request(.read(4)))
        #expect(try bearer.drain() == [])
        bearer.respond(.value([7]))
        #expect(try bearer.drain() == [.value([7])])
    }

    @Test(
        "Every known request except for the MTU exchange is passed to the server",
        arguments: PDUVector.all
    )
    mutating func handsOverAll(_ vector: PDUVector) {
        guard vector.pdu.opcode.isRequest else { return }
        if case .exchangeMTURequest = vector.pdu { return }
        bearer = ATTBearer()
        #expect(bearer.receive(vector.pdu) == .request(vector.pdu))
    }

    @Test("Each request gets one response, and no other PDU is sent")
    mutating func respondsOnce() throws {
        bearer.respond(.value([1]))
        #expect(try bearer.drain() == [])
        _ = bearer.receive(.read(4))
        bearer.respond(.value([2]))
        bearer.respond(.value([3]))
        #expect(try bearer.drain() == [.value([2])])
        bearer.respond(.value([4]))
        #expect(try bearer.drain() == [])
    }

    @Test("A response longer than the MTU becomes Unlikely Error")
    mutating func boundsAnswers() throws {
        _ = bearer.receive(.read(4))
        bearer.respond(.value(ArraySlice(repeating: 1, count: 23)))
        #expect(try bearer.drain() == [.error(.readRequest, .invalid, .unlikelyError)])
        _ = bearer.receive(.read(4))
        bearer.respond(.value(ArraySlice(repeating: 1, count: 22)))
        #expect(try bearer.drain().first?.opcode == .readResponse)
    }

    @Test(
        "A malformed request gets an Error Response and is not passed on",
        arguments: [
            [UInt8]([0x0A]), [0x0A, 1, 0, 0], [0x18, 9], [0x02, 1], [0x08, 1, 0, 2, 0, 3],
        ]
    )
    mutating func refusesMalformed(bytes: [UInt8]) throws {
        guard case .violation(nil, .malformed) = bearer.receive(bytes[...]) else {
            Issue.record("The PDU is not reported as malformed")
            return
        }
        let opcode = ATT.Opcode(rawValue: bytes[0])
        #expect(try bearer.drain() == [.error(opcode, .invalid, .invalidPDU)])
    }

    @Test("A request longer than the receive MTU gets Invalid PDU")
    mutating func refusesLong() throws {
        bearer = ATTBearer(receiveMTULimit: 64)
        let request = ATT.PDU.write(1, ArraySlice(repeating: 0, count: 62))
        #expect(bearer.receive(request) == .violation(nil, .tooLong(count: 65)))
        #expect(try bearer.drain() == [.error(.writeRequest, .invalid, .invalidPDU)])
    }

    @Test(
        "An unknown request gets Request Not Supported",
        arguments: [[UInt8]([0x26, 1]), [0x3F], [0x00], [0x14], [0x92, 1, 2], [0x25] + long]
    )
    mutating func refusesUnknown(bytes: [UInt8]) throws {
        #expect(bearer.receive(bytes[...]) == .answered)
        let opcode = ATT.Opcode(rawValue: bytes[0])
        #expect(try bearer.drain() == [.error(opcode, .invalid, .requestNotSupported)])
    }

    private static let long = [UInt8](repeating: 0, count: 600)

    @Test("Commands are passed to the server and get no response")
    mutating func handsOverCommands() throws {
        #expect(bearer.receive(.writeCommand(1)) == .command(.writeCommand(1)))
        bearer.respond(.writeResponse)
        let signature = ArraySlice(repeating: UInt8(1), count: 12)
        let signed = ATT.PDU.signedWriteCommand(
            .init(handle: 1, value: [2], signature: signature)
        )
        #expect(bearer.receive(signed) == .command(signed))
        #expect(try bearer.drain() == [])
    }

    @Test("Unknown and malformed commands are ignored")
    mutating func ignoresCommands() throws {
        let unknown = ATT.Opcode(rawValue: 0x7F)
        #expect(bearer.receive([0x7F, 1, 2]) == .ignored(.command(unknown)))
        guard case .violation(nil, .malformed) = bearer.receive([0x52, 1]) else {
            Issue.record("The PDU is not reported as malformed")
            return
        }
        #expect(try bearer.drain() == [])
    }

    @Test("A second request before the first response gets no response")
    mutating func boundsReplies() throws {
        #expect(bearer.receive(.read(1)) == .request(.read(1)))
        for _ in 0..<1000 {
            #expect(bearer.receive(.read(2)) == .violation(nil, .outOfSequence(.readRequest)))
            #expect(
                bearer.receive([0x3F]) == .violation(nil, .outOfSequence(.init(rawValue: 0x3F)))
            )
            _ = bearer.receive([0x0A])
        }
        bearer.respond(.value([1]))
        #expect(bearer.receive(.read(2)) == .violation(nil, .outOfSequence(.readRequest)))
        #expect(try bearer.drain() == [.value([1])])
        #expect(bearer.receive(.read(2)) == .request(.read(2)))
    }

    @Test("Commands are accepted while a request is open")
    mutating func takesCommandsMeanwhile() {
        _ = bearer.receive(.read(1))
        for value in 0..<UInt8(100) {
            let command = ATT.PDU.writeCommand(1, [value])
            #expect(bearer.receive(command) == .command(command))
        }
    }

    @Test("A request is answered while the client's request is open")
    mutating func answersMeanwhile() throws {
        try bearer.request(.read(1), id: 1)
        _ = try bearer.drain()
        #expect(bearer.receive(.read(2)) == .request(.read(2)))
        bearer.respond(.value([4]))
        #expect(try bearer.drain() == [.value([4])])
        #expect(bearer.receive(.value([3])) == .response(1, .value([3])))
    }

    @Test("An enhanced bearer refuses an MTU exchange")
    mutating func refusesExchange() throws {
        bearer = ATTBearer(enhancedMTU: 100)
        #expect(bearer.mtu == 100 && bearer.receiveMTULimit == 100)
        #expect(bearer.receive(.exchangeMTURequest(.init(receiveMTU: 50))) == .answered)
        let refusal = ATT.PDU.error(.exchangeMTURequest, .invalid, .requestNotSupported)
        #expect(try bearer.drain() == [refusal])
        #expect(bearer.mtu == 100)
    }
}
