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
        "Our exchange settles on what both sides can receive, and no less than 23",
        arguments: [
            (517, 247, 247), (185, 517, 185), (517, 517, 517), (517, 23, 23), (517, 22, 23),
            (517, 0, 23), (517, 65535, 517), (23, 517, 23),
        ]
    )
    func settles(limit: Int, peer: UInt16, mtu: Int) throws {
        #expect(try exchanged(limit: limit, peer: peer).mtu == mtu)
    }

    @Test("Longer PDUs leave after the exchange, and not before")
    func admitsLongerPDUs() throws {
        var bearer = try exchanged(limit: 517, peer: 100)
        let value = ArraySlice(repeating: UInt8(1), count: 97)
        try bearer.request(.write(1, value), id: 2)
        #expect(throws: ATTBearer.BearerError.pduTooLong(mtu: 100)) {
            try bearer.request(.write(1, value + [1]), id: 3)
        }
    }

    @Test("A refused exchange leaves the MTU as it is")
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
        "The peer's exchange is answered with our limit, and holds once the answer has left",
        arguments: [(247, 247), (517, 300), (0, 23), (22, 23), (65535, 300)] as [(UInt16, Int)]
    )
    func answers(peer: UInt16, mtu: Int) throws {
        var bearer = ATTBearer(receiveMTULimit: 300)
        #expect(bearer.receive(.exchangeMTURequest(.init(receiveMTU: peer))) == .answered)
        #expect(bearer.mtu == 23)
        #expect(try bearer.drain() == [.exchangeMTUResponse(.init(receiveMTU: 300))])
        #expect(bearer.mtu == mtu)
    }

    @Test("A second exchange cannot lower the MTU")
    func neverShrinks() throws {
        var bearer = try exchanged(limit: 517, peer: 200)
        #expect(bearer.receive(.exchangeMTURequest(.init(receiveMTU: 50))) == .answered)
        _ = try bearer.drain()
        #expect(bearer.mtu == 200)
    }

    @Test("Both sides may ask at once")
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

    @Test("A notification of the new length is taken before our side knows the new MTU")
    func toleratesEarlyLength() {
        var bearer = ATTBearer(receiveMTULimit: 247)
        let value = ArraySlice(repeating: UInt8(1), count: 200)
        #expect(
            bearer.receive(.notification(1, value))
                == .notification(.init(handle: 1, value: value))
        )
        let long = ArraySlice(repeating: UInt8(1), count: 245)
        #expect(bearer.receive(.notification(1, long)) == .violation(nil, .tooLong(count: 248)))
    }
}
