// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Testing

/// L2CAP/LE/CFC: channels in LE Credit Based Flow Control Mode, opened and used.
@Suite struct CreditBasedChannelTests {
    @Test("L2CAP/LE/CFC/BV-01-C: LE Credit Based Connection Request, Legacy Peer")
    func legacyPeer() throws {
        var stage = ChannelStage()
        try stage.application(opens: .credit)
        stage.we(signal: "14 81 0A00 8000 4000 6400 4000 0400")
        stage.tester(signals: "01 81 0200 0000")
        stage.application(hears: .refused(1, .notSupported))
        stage.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-02-C: LE Credit Based Connection Request on Supported SPSM")
    func opens() throws {
        var stage = ChannelStage()
        try stage.application(opens: .credit)
        stage.we(signal: "14 81 0A00 8000 4000 6400 4000 0400")
        stage.tester(signals: "15 81 0A00 5000 6400 2000 0200 0000")
        stage.application(hears: .opened(1, [ChannelStage.channel(0x0040)]))
        try stage.application(sends: "0102")
        stage.we(send: "0200 0102")
        stage.application(hears: .sent(9))
    }

    @Test("L2CAP/LE/CFC/BV-03-C: LE Credit Based Connection Response on Supported SPSM")
    func accepts() {
        var stage = ChannelStage.withChannel()
        stage.tester(sends: "0300 010203")
        stage.application(hears: .arrived(ChannelStage.channel(0x0040)))
        stage.application(takes: "010203")
    }

    @Test("L2CAP/LE/CFC/BV-05-C, BV-22-C: A request for an unsupported SPSM is refused")
    func unsupportedSPSM() {
        var stage = ChannelStage()
        stage.tester(signals: "14 01 0A00 8100 5000 6400 2000 0200")
        stage.we(signal: "15 01 0A00 0000 0000 0000 0000 0200")
        stage.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-06-C: Credit Exchange, Receiving Incremental Credits")
    func receivesCredits() throws {
        var stage = ChannelStage.withChannel()
        try stage.application(sends: octets(0..<100))
        stage.we(send: "6400" + octets(0..<30))
        stage.we(send: octets(30..<62))
        stage.weAreSilent()
        stage.tester(signals: "16 02 0400 5000 0100")
        stage.we(send: octets(62..<94))
        stage.weAreSilent()
        stage.tester(signals: "16 03 0400 5000 0100")
        stage.we(send: octets(94..<100))
        stage.application(hears: .sent(9))
    }

    @Test("L2CAP/LE/CFC/BV-07-C: Credit Exchange, Sending Credits")
    func sendsCredits() {
        var stage = ChannelStage.withChannel()
        for octet in ["01", "02", "03", "04"] {
            stage.tester(sends: "0100" + octet)
            stage.application(hears: .arrived(ChannelStage.channel(0x0040)))
        }
        stage.weAreSilent()
        stage.application(takes: "01")
        stage.we(signal: "16 81 0400 4000 0100")
        stage.application(takes: "02")
        stage.application(takes: "03")
        stage.we(signal: "16 82 0400 4000 0200")
        stage.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BI-01-C: Credit Exchange, Exceed Initial Credits")
    func exceedsCredits() throws {
        var stage = ChannelStage.withChannel()
        stage.tester(signals: "16 02 0400 5000 FEFF")
        stage.we(signal: "06 81 0400 5000 4000")
        stage.application(
            hears: .closed(ChannelStage.channel(0x0040), .violated(.creditOverflow), unread: [])
        )
        stage.tester(signals: "07 81 0400 5000 4000")
        stage.application(hears: .released(ChannelStage.channel(0x0040)))
    }

    @Test("L2CAP/LE/CFC/BV-08-C: Disconnection Request")
    func disconnects() {
        var stage = ChannelStage.withChannel()
        stage.application(closes: 0x0040)
        stage.application(hears: .closed(ChannelStage.channel(0x0040), .closed, unread: []))
        stage.we(signal: "06 81 0400 5000 4000")
        stage.tester(sends: "0100 01")
        stage.application(hears: .ignore(.noSuchChannel(ChannelStage.channel(0x0040))))
        stage.tester(signals: "07 81 0400 5000 4000")
        stage.application(hears: .released(ChannelStage.channel(0x0040)))
        stage.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-09-C: Disconnection Response")
    func isDisconnected() {
        var stage = ChannelStage.withChannel()
        stage.tester(signals: "06 02 0400 4000 5000")
        stage.we(signal: "07 02 0400 4000 5000")
        stage.application(hears: .closed(ChannelStage.channel(0x0040), .closedByPeer, unread: []))
    }

    @Test("L2CAP/LE/CFC/BV-23-C: Disconnect Request, DCID not recognized")
    func unknownDestination() {
        var stage = ChannelStage.withChannel()
        stage.tester(signals: "06 02 0400 4100 5000")
        stage.we(signal: "01 02 0600 0200 4100 5000")
        // With another source the request is discarded, and the channel remains (Vol 3, Part A,
        // 4.6).
        stage.tester(signals: "06 03 0400 4000 5100")
        stage.application(hears: .ignore(.wrongEnd(ChannelStage.channel(0x0040))))
        stage.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-29-C: Dynamically Allocated Source CID")
    func allocates() throws {
        var stage = ChannelStage()
        try stage.application(opens: .credit, id: 1)
        try stage.application(opens: .credit, id: 2)
        stage.we(signal: "14 81 0A00 8000 4000 6400 4000 0400")
        stage.we(signal: "14 82 0A00 8000 4100 6400 4000 0400")
        // The responses may arrive in any order.
        stage.tester(signals: "15 82 0A00 5100 6400 2000 0200 0000")
        stage.application(hears: .opened(2, [ChannelStage.channel(0x0041)]))
        stage.tester(signals: "15 81 0A00 5000 6400 2000 0200 0000")
        stage.application(hears: .opened(1, [ChannelStage.channel(0x0040)]))
    }

    @Test(
        "L2CAP/LE/CFC/BV-26-C, BV-27-C, BV-28-C: Frames and SDUs that are too long",
        arguments: [
            ("6500" + octets(0..<10), L2CAP.Violation.sduTooLong),
            ("6400" + octets(0..<63), .frameTooLong),
            ("0200 010203", .sduOverrun),
        ]
    )
    func tooLong(frame: String, violation: L2CAP.Violation) {
        var stage = ChannelStage.withChannel()
        stage.tester(sends: frame)
        let channel = ChannelStage.channel(0x0040)
        stage.application(hears: .closed(channel, .violated(violation), unread: []))
        stage.we(signal: "06 81 0400 5000 4000")
        stage.weAreSilent()
    }

    @Test("L2CAP/LE/CFC/BV-28-C: A second frame beyond the end of the SDU")
    func segmentsTooLong() {
        var stage = ChannelStage.withChannel()
        stage.tester(sends: "0300 0102")
        stage.tester(sends: "0304")
        let channel = ChannelStage.channel(0x0040)
        stage.application(hears: .closed(channel, .violated(.sduOverrun), unread: []))
        stage.we(signal: "06 81 0400 5000 4000")
    }

    @Test("L2CAP/LE/CFC/BV-32-C: K-frame, SDU length = MPS")
    func exactLength() throws {
        var stage = ChannelStage.withChannel()
        stage.tester(sends: "4000" + octets(0..<62))
        stage.tester(sends: octets(62..<64))
        stage.application(hears: .arrived(ChannelStage.channel(0x0040)))
        stage.application(takes: octets(0..<64))
        try stage.application(sends: octets(0..<32))
        stage.we(signal: "16 81 0400 4000 0200")
        stage.we(send: "2000" + octets(0..<30))
        stage.we(send: octets(30..<32))
        stage.application(hears: .sent(9))
    }
}
