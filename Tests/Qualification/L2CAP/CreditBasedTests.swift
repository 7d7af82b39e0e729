// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Testing

/// L2CAP/LE/CFC: channels in LE Credit Based Flow Control Mode, opened and used.
@Suite struct CreditBasedChannelTests {
    @Test("L2CAP/LE/CFC/BV-01-C: LE Credit Based Connection Request, Legacy Peer")
    func legacyPeer() throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .credit)
        fixture.we(signal: "14 81 0A00 8000 4000 6400 4000 0400")
        fixture.tester(signals: "01 81 0200 0000")
        fixture.application(receives: .refused(1, .notSupported))
        fixture.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-02-C: LE Credit Based Connection Request on Supported SPSM")
    func opens() throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .credit)
        fixture.we(signal: "14 81 0A00 8000 4000 6400 4000 0400")
        fixture.tester(signals: "15 81 0A00 5000 6400 2000 0200 0000")
        fixture.application(receives: .opened(1, [ChannelFixture.channel(0x0040)]))
        try fixture.application(sends: "0102")
        fixture.we(send: "0200 0102")
        fixture.application(receives: .sent(9))
    }

    @Test("L2CAP/LE/CFC/BV-03-C: LE Credit Based Connection Response on Supported SPSM")
    func accepts() {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(sends: "0300 010203")
        fixture.application(receives: .arrived(ChannelFixture.channel(0x0040)))
        fixture.application(takes: "010203")
    }

    @Test("L2CAP/LE/CFC/BV-05-C, BV-22-C: A request for an unsupported SPSM is refused")
    func unsupportedSPSM() {
        var fixture = ChannelFixture()
        fixture.tester(signals: "14 01 0A00 8100 5000 6400 2000 0200")
        fixture.we(signal: "15 01 0A00 0000 0000 0000 0000 0200")
        fixture.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-06-C: Credit Exchange, Receiving Incremental Credits")
    func receivesCredits() throws {
        var fixture = ChannelFixture.withChannel()
        try fixture.application(sends: bytes(0..<100))
        fixture.we(send: "6400" + bytes(0..<30))
        fixture.we(send: bytes(30..<62))
        fixture.weAreSilent()
        fixture.tester(signals: "16 02 0400 5000 0100")
        fixture.we(send: bytes(62..<94))
        fixture.weAreSilent()
        fixture.tester(signals: "16 03 0400 5000 0100")
        fixture.we(send: bytes(94..<100))
        fixture.application(receives: .sent(9))
    }

    @Test("L2CAP/LE/CFC/BV-07-C: Credit Exchange, Sending Credits")
    func sendsCredits() {
        var fixture = ChannelFixture.withChannel()
        for byte in ["01", "02", "03", "04"] {
            fixture.tester(sends: "0100" + byte)
            fixture.application(receives: .arrived(ChannelFixture.channel(0x0040)))
        }
        fixture.weAreSilent()
        fixture.application(takes: "01")
        fixture.we(signal: "16 81 0400 4000 0100")
        fixture.application(takes: "02")
        fixture.application(takes: "03")
        fixture.we(signal: "16 82 0400 4000 0200")
        fixture.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BI-01-C: Credit Exchange, Exceed Initial Credits")
    func exceedsCredits() throws {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(signals: "16 02 0400 5000 FEFF")
        fixture.we(signal: "06 81 0400 5000 4000")
        fixture.application(
            receives: .closed(
                ChannelFixture.channel(0x0040),
                .violated(.creditOverflow),
                unread: []
            )
        )
        fixture.tester(signals: "07 81 0400 5000 4000")
        fixture.application(receives: .released(ChannelFixture.channel(0x0040)))
    }

    @Test("L2CAP/LE/CFC/BV-08-C: Disconnection Request")
    func disconnects() {
        var fixture = ChannelFixture.withChannel()
        fixture.application(closes: 0x0040)
        fixture.application(receives: .closed(ChannelFixture.channel(0x0040), .closed, unread: []))
        fixture.we(signal: "06 81 0400 5000 4000")
        fixture.tester(sends: "0100 01")
        fixture.application(receives: .ignore(.noSuchChannel(ChannelFixture.channel(0x0040))))
        fixture.tester(signals: "07 81 0400 5000 4000")
        fixture.application(receives: .released(ChannelFixture.channel(0x0040)))
        fixture.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-09-C: Disconnection Response")
    func isDisconnected() {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(signals: "06 02 0400 4000 5000")
        fixture.we(signal: "07 02 0400 4000 5000")
        fixture.application(
            receives: .closed(ChannelFixture.channel(0x0040), .closedByPeer, unread: [])
        )
    }

    @Test("L2CAP/LE/CFC/BV-23-C: Disconnect Request, DCID not recognized")
    func unknownDestination() {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(signals: "06 02 0400 4100 5000")
        fixture.we(signal: "01 02 0600 0200 4100 5000")
        // With another source the request is discarded, and the channel remains (Vol 3, Part A,
        // 4.6).
        fixture.tester(signals: "06 03 0400 4000 5100")
        fixture.application(receives: .ignore(.wrongEnd(ChannelFixture.channel(0x0040))))
        fixture.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-29-C: Dynamically Allocated Source CID")
    func allocates() throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .credit, id: 1)
        try fixture.application(opens: .credit, id: 2)
        fixture.we(signal: "14 81 0A00 8000 4000 6400 4000 0400")
        fixture.we(signal: "14 82 0A00 8000 4100 6400 4000 0400")
        // The responses may arrive in any order.
        fixture.tester(signals: "15 82 0A00 5100 6400 2000 0200 0000")
        fixture.application(receives: .opened(2, [ChannelFixture.channel(0x0041)]))
        fixture.tester(signals: "15 81 0A00 5000 6400 2000 0200 0000")
        fixture.application(receives: .opened(1, [ChannelFixture.channel(0x0040)]))
    }

    @Test(
        "L2CAP/LE/CFC/BV-26-C, BV-27-C, BV-28-C: Frames and SDUs that are too long",
        arguments: [
            ("6500" + bytes(0..<10), L2CAP.Violation.sduTooLong),
            ("6400" + bytes(0..<63), .frameTooLong),
            ("0200 010203", .sduOverrun),
        ]
    )
    func tooLong(frame: String, violation: L2CAP.Violation) {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(sends: frame)
        let channel = ChannelFixture.channel(0x0040)
        fixture.application(receives: .closed(channel, .violated(violation), unread: []))
        fixture.we(signal: "06 81 0400 5000 4000")
        fixture.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-28-C: A second frame beyond the end of the SDU")
    func segmentsTooLong() {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(sends: "0300 0102")
        fixture.tester(sends: "0304")
        let channel = ChannelFixture.channel(0x0040)
        fixture.application(receives: .closed(channel, .violated(.sduOverrun), unread: []))
        fixture.we(signal: "06 81 0400 5000 4000")
    }

    @Test("L2CAP/LE/CFC/BV-32-C: K-frame, SDU length = MPS")
    func exactLength() throws {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(sends: "4000" + bytes(0..<62))
        fixture.tester(sends: bytes(62..<64))
        fixture.application(receives: .arrived(ChannelFixture.channel(0x0040)))
        fixture.application(takes: bytes(0..<64))
        try fixture.application(sends: bytes(0..<32))
        fixture.we(signal: "16 81 0400 4000 0200")
        fixture.we(send: "2000" + bytes(0..<30))
        fixture.we(send: bytes(30..<32))
        fixture.application(receives: .sent(9))
    }
}
