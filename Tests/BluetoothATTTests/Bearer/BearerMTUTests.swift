// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("The MTU of a bearer")
struct BearerMTUTests {
    private func exchanged(limit: Int, peer: UInt16) throws -> ATTBearer {
        var bearer = ATTBearer(receiveMTULimit: limit)
        try bearer.request(.exchangeMTURequest(.init(receiveMTU: UInt16(limit))), id: 1)
        #expect(try bearer.drain().count == 1)
        #expect(bearer.mtu == 23)
        let response = ATT.PDU.exchangeMTUResponse(.init(receiveMTU: peer))
        #expect(bearer.receive(response) == .response(1, response))
        return bearer
    }

    @Test(
        "The client's exchange selects the smaller of the two receive MTUs, at least 23",
        arguments: [
            (517, 247, 247), (185, 517, 185), (517, 517, 517), (517, 23, 23), (517, 22, 23),
            (517, 0, 23), (517, 65535, 517), (23, 517, 23),
        ]
    )
    func settles(limit: Int, peer: UInt16, mtu: Int) throws {
        #expect(try exchanged(limit: limit, peer: peer).mtu == mtu)
    }

    @Test("After the exchange, a request may be as long as the new MTU and no longer")
    func admitsLongerPDUs() throws {
        var bearer = try exchanged(limit: 517, peer: 100)
        let value = ArraySlice(repeating: UInt8(1), count: 97)
        try bearer.request(.write(1, value), id: 2)
        #expect(throws: ATTBearer.BearerError.pduTooLong(mtu: 100)) {
            try bearer.request(.write(1, value + [1]), id: 3)
        }
    }

    @Test("A refused exchange leaves the MTU unchanged")
    func survivesRefusal() throws {
        var bearer = ATTBearer()
        try bearer.request(.exchangeMTURequest(.init(receiveMTU: 517)), id: 1)
        _ = try bearer.drain()
        let error = ATT.ErrorResponse(
            requestOpcode: .exchangeMTURequest,
            handle: .invalid,
            code: .requestNotSupported
        )
        #expect(bearer.receive(.errorResponse(error)) == .failure(1, error))
        #expect(bearer.mtu == 23)
    }

    @Test(
        "A peer's MTU exchange is answered with the receive MTU, and applies after the response",
        arguments: [(247, 247), (517, 300), (0, 23), (22, 23), (65535, 300)] as [(UInt16, Int)]
    )
    func answers(peer: UInt16, mtu: Int) throws {
        var bearer = ATTBearer(receiveMTULimit: 300)
        #expect(bearer.receive(.exchangeMTURequest(.init(receiveMTU: peer))) == .answered)
        #expect(bearer.mtu == 23)
        #expect(try bearer.drain() == [.exchangeMTUResponse(.init(receiveMTU: 300))])
        #expect(bearer.mtu == mtu)
    }

    // A peer must send the same MTU in its request and in its response (Vol 3, Part F, 3.4.2).
    @Test(
        "The smaller MTU applies if a peer sends two different MTUs, in either order",
        arguments: [(247, 512), (512, 247), (512, 0), (22, 512), (600, 512)] as [(UInt16, UInt16)]
    )
    func contradiction(asked: UInt16, answered: UInt16) throws {
        let least = max(23, min(Int(min(asked, answered)), 517))
        var askedFirst = ATTBearer()
        _ = askedFirst.receive(.exchangeMTURequest(.init(receiveMTU: asked)))
        try askedFirst.request(.exchangeMTURequest(.init(receiveMTU: 517)), id: 1)
        _ = try askedFirst.drain()
        _ = askedFirst.receive(.exchangeMTUResponse(.init(receiveMTU: answered)))
        #expect(askedFirst.mtu == least)
        var answeredFirst = try exchanged(limit: 517, peer: answered)
        _ = answeredFirst.receive(.exchangeMTURequest(.init(receiveMTU: asked)))
        _ = try answeredFirst.drain()
        #expect(answeredFirst.mtu == least)
    }

    @Test("Waiting notifications and indications are truncated to a smaller MTU")
    func cuts() throws {
        var bearer = try exchanged(limit: 517, peer: 100)
        let value = ArraySlice(repeating: UInt8(1), count: 97)
        try bearer.notify(.handleValueNotification(.init(handle: 1, value: value)), id: 2)
        try bearer.indicate(.handleValueIndication(.init(handle: 2, value: value)), id: 3)
        _ = bearer.receive(.exchangeMTURequest(.init(receiveMTU: 50)))
        var lengths: [Int] = []
        while let outgoing = bearer.nextPDU(now: .zero) { lengths.append(outgoing.bytes.count) }
        #expect(lengths == [3, 50, 50])
    }

    @Test(
        "A waiting notification of several values keeps those that fit, or a part of the first",
        arguments: [
            (80, [0x23, 1, 0, 30, 0], 69), (60, [0x1B, 1, 0, 5, 5], 33),
            (23, [0x1B, 1, 0, 5, 5], 23),
        ] as [(UInt16, [UInt8], Int)]
    )
    func cutsBetweenValues(mtu: UInt16, start: [UInt8], length: Int) throws {
        var bearer = try exchanged(limit: 517, peer: 200)
        let value = ArraySlice(repeating: UInt8(5), count: 30)
        let entries = (1...3).map { handle in
            ATT.MultipleHandleValueNotification.Entry(handle: .init(UInt16(handle)), value: value)
        }
        try bearer.notify(.multipleHandleValueNotification(.init(entries: entries)), id: 2)
        _ = bearer.receive(.exchangeMTURequest(.init(receiveMTU: mtu)))
        _ = bearer.nextPDU(now: .zero)
        let outgoing = bearer.nextPDU(now: .zero)
        let sent = try #require(outgoing).bytes
        #expect(Array(sent.prefix(5)) == start)
        #expect(sent.count == length)
    }

    @Test("Both sides may exchange the MTU at the same time")
    func exchangesBothWays() throws {
        var bearer = ATTBearer(receiveMTULimit: 247)
        try bearer.request(.exchangeMTURequest(.init(receiveMTU: 247)), id: 1)
        #expect(try bearer.drain() == [.exchangeMTURequest(.init(receiveMTU: 247))])
        #expect(bearer.receive(.exchangeMTURequest(.init(receiveMTU: 185))) == .answered)
        #expect(try bearer.drain() == [.exchangeMTUResponse(.init(receiveMTU: 247))])
        #expect(bearer.mtu == 185)
        _ = bearer.receive(.exchangeMTUResponse(.init(receiveMTU: 185)))
        #expect(bearer.mtu == 185)
    }

    @Test("A notification of the new length is accepted before the exchange is answered")
    func toleratesEarlyLength() throws {
        var bearer = ATTBearer(receiveMTULimit: 247)
        try bearer.request(.exchangeMTURequest(.init(receiveMTU: 247)), id: 1)
        _ = try bearer.drain()
        let value = ArraySlice(repeating: UInt8(1), count: 200)
        #expect(
            bearer.receive(.notification(1, value))
                == .notification(.init(handle: 1, value: value))
        )
        let long = ArraySlice(repeating: UInt8(1), count: 245)
        #expect(bearer.receive(.notification(1, long)) == .violation(nil, .tooLong(count: 248)))
    }
}
