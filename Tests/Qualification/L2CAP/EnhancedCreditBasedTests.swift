// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Testing

/// L2CAP/ECFC: channels in Enhanced Credit Based Flow Control Mode.
@Suite struct EnhancedCreditBasedChannelTests {
    private static let channels = [ChannelFixture.channel(0x0040), ChannelFixture.channel(0x0041)]

    @Test("L2CAP/ECFC/BV-01-C: L2CAP Credit Based Connection Request, Legacy Peer")
    func legacyPeer() throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .enhanced)
        fixture.we(signal: "17 81 0A00 8000 6400 4000 0400 4000")
        fixture.tester(signals: "01 81 0200 0000")
        fixture.application(receives: .refused(1, .notSupported))
    }

    @Test("L2CAP/ECFC/BV-02-C: L2CAP Credit Based Connection Request on Supported PSM")
    func opens() throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .enhanced, count: 2)
        fixture.we(signal: "17 81 0C00 8000 6400 4000 0400 4000 4100")
        fixture.tester(signals: "18 81 0C00 6400 4000 0200 0000 5000 5100")
        fixture.application(receives: .opened(1, Self.channels))
        try fixture.application(sends: "0102", on: 0x0041)
        fixture.we(send: "0200 0102", on: 0x0051)
    }

    @Test("L2CAP/ECFC/BV-03-C: L2CAP Credit Based Connection Response on Supported PSM")
    func accepts() {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(sends: "0100 07", on: 0x0041)
        fixture.application(receives: .arrived(Self.channels[1]))
        fixture.application(takes: "07", from: 0x0041)
    }

    @Test("L2CAP/ECFC/BV-28-C: Response on Unsupported PSM")
    func unsupported() {
        var fixture = ChannelFixture()
        fixture.tester(signals: "17 01 0C00 8100 6400 6400 0200 5000 5100")
        fixture.we(signal: "18 01 0C00 0000 0000 0000 0200 0000 0000")
    }

    @Test("L2CAP/ECFC/BI-01-C: Zero Credits and Exceed Maximum Credits")
    func creditsAtTheirLimits() {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(signals: "16 02 0400 5000 0000")
        fixture.application(receives: .ignore(.noCredits(Self.channels[0])))
        fixture.weAreSilent()
        fixture.tester(signals: "16 03 0400 5000 FEFF")
        fixture.application(
            receives: .closed(Self.channels[0], .violated(.creditOverflow), unread: [])
        )
        fixture.we(signal: "06 81 0400 5000 4000")
    }

    @Test("L2CAP/ECFC/BI-02-C: Credit Exchange, No Credits")
    func noCredits() {
        var fixture = ChannelFixture.withEnhancedChannels()
        for _ in 0..<4 {
            fixture.tester(sends: "0100 07")
            fixture.application(receives: .arrived(Self.channels[0]))
        }
        fixture.tester(sends: "0100 07")
        let unread = [[UInt8]](repeating: [7], count: 4)
        fixture.application(
            receives: .closed(Self.channels[0], .violated(.noCredit), unread: unread)
        )
        fixture.we(signal: "06 81 0400 5000 4000")
    }

    @Test("L2CAP/ECFC/BV-17-C: Some channels are refused due to insufficient resources")
    func partly() throws {
        var fixture = ChannelFixture { $0.freeChannelCount = 1 }
        fixture.tester(signals: "17 01 0E00 8000 6400 6400 0200 5000 5100 5200")
        fixture.we(signal: "18 01 0E00 6400 4000 0400 0400 4000 0000 0000")
        fixture.application(receives: .accepted(0x0080, [Self.channels[0]]))
        try fixture.application(sends: "01")
        fixture.we(send: "0100 01")
    }

    @Test(
        "L2CAP/ECFC/BV-18-C, BV-19-C: Some channels are refused, and the others are used",
        arguments: [
            "0900", "0A00", "0400",
        ]
    )
    func someAreRefused(result: String) throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .enhanced, count: 2)
        fixture.we(signal: "17 81 0C00 8000 6400 4000 0400 4000 4100")
        fixture.tester(signals: "18 81 0C00 6400 4000 0200 \(result) 0000 5100")
        fixture.application(receives: .opened(1, [Self.channels[1]]))
        try fixture.application(sends: "0102", on: 0x0041)
        fixture.we(send: "0200 0102", on: 0x0051)
    }

    @Test("Channels that a response does not name are not open")
    func fewerThanAsked() throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .enhanced, count: 2)
        fixture.we(signal: "17 81 0C00 8000 6400 4000 0400 4000 4100")
        fixture.tester(signals: "18 81 0A00 6400 4000 0200 0000 5000")
        fixture.application(receives: .opened(1, [Self.channels[0]]))
        try fixture.application(sends: "0102")
        fixture.we(send: "0200 0102", on: 0x0050)
    }

    @Test("A response that names more channels than the request opens none")
    func moreThanAsked() throws {
        var fixture = ChannelFixture()
        try fixture.application(opens: .enhanced)
        fixture.we(signal: "17 81 0A00 8000 6400 4000 0400 4000")
        fixture.tester(signals: "18 81 0C00 6400 4000 0200 0000 5000 5100")
        fixture.application(receives: .refused(1, .malformedAnswer))
    }

    @Test("L2CAP/ECFC/BV-20-C: Refused due to Source CID already allocated")
    func allocatedSource() {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(signals: "17 02 0C00 8000 6400 6400 0200 5200 5000")
        fixture.we(signal: "18 02 0C00 6400 4000 0400 0A00 4200 0000")
        fixture.application(receives: .accepted(0x0080, [ChannelFixture.channel(0x0042)]))
    }

    @Test("An invalid source CID and a duplicate source CID are refused")
    func badSources() {
        var fixture = ChannelFixture()
        fixture.tester(signals: "17 01 0C00 8000 6400 6400 0200 5000 3F00")
        fixture.we(signal: "18 01 0C00 6400 4000 0400 0900 4000 0000")
        fixture.tester(signals: "17 02 0C00 8000 6400 6400 0200 5100 5100")
        fixture.we(signal: "18 02 0C00 6400 4000 0400 0A00 4100 0000")
    }

    @Test(
        "L2CAP/ECFC/BV-26-C: Refused due to Invalid Parameters",
        arguments: [
            "3F00 6400 0200", "6400 3F00 0200", "6400 6400 0000",
        ]
    )
    func invalidParameters(sizes: String) {
        var fixture = ChannelFixture()
        fixture.tester(signals: "17 01 0C00 8000 \(sizes) 5000 5100")
        fixture.we(signal: "18 01 0C00 0000 0000 0000 0C00 0000 0000")
    }

    @Test("L2CAP/ECFC/BV-27-C: Refused due to Unacceptable Parameters")
    func unacceptableParameters() {
        var fixture = ChannelFixture { $0.peerMTUMinimum = 100 }
        fixture.tester(signals: "17 01 0A00 8000 6300 6400 0200 5000")
        fixture.we(signal: "18 01 0A00 0000 0000 0000 0B00 0000")
        fixture.tester(signals: "17 02 0A00 8000 6400 6400 0200 5000")
        fixture.we(signal: "18 02 0A00 6400 4000 0400 0000 4000")
    }

    @Test("L2CAP/ECFC/BV-29-C, BI-07-C: Duplicate DCID ends both channels")
    func duplicateDestination() throws {
        var fixture = ChannelFixture.withEnhancedChannels()
        try fixture.application(opens: .enhanced)
        fixture.we(signal: "17 81 0A00 8000 6400 4000 0400 4200")
        fixture.tester(signals: "18 81 0A00 6400 4000 0200 0000 5000")
        fixture.application(receives: .closed(Self.channels[0], .violated(.sharedEnd), unread: []))
        fixture.application(receives: .refused(1, .malformedAnswer))
        fixture.we(signal: "06 82 0400 5000 4000")
        fixture.weAreSilent()
    }

    @Test("L2CAP/ECFC/BV-08-C, BV-09-C: Either side closes one of several channels")
    func closes() {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.application(closes: 0x0041)
        fixture.application(receives: .closed(Self.channels[1], .closed, unread: []))
        fixture.we(signal: "06 81 0400 5100 4100")
        fixture.tester(signals: "07 81 0400 5100 4100")
        fixture.application(receives: .released(Self.channels[1]))
        fixture.tester(signals: "06 02 0400 4000 5000")
        fixture.we(signal: "07 02 0400 4000 5000")
        fixture.application(receives: .closed(Self.channels[0], .closedByPeer, unread: []))
    }
}

/// L2CAP/ECFC: reconfiguration of open channels.
@Suite struct ReconfigurationTests {
    private static let channels = [ChannelFixture.channel(0x0040), ChannelFixture.channel(0x0041)]

    @Test("L2CAP/ECFC/BV-22-C, BV-24-C: Renegotiate MTU and MPS, Initiator")
    func initiates() throws {
        var fixture = ChannelFixture.withEnhancedChannels()
        try fixture.application(resizes: [0x0040, 0x0041], mtu: 200, mps: 80)
        fixture.we(signal: "19 81 0800 C800 5000 4000 4100")
        fixture.tester(signals: "1A 81 0200 0000")
        fixture.application(receives: .reconfigured(7, .done))
        fixture.tester(sends: "7800" + bytes(0..<78))
        fixture.tester(sends: bytes(78..<120))
        fixture.application(receives: .arrived(Self.channels[0]))
        fixture.application(takes: bytes(0..<120))
    }

    @Test("A refusal leaves the sizes unchanged")
    func isRefused() throws {
        var fixture = ChannelFixture.withEnhancedChannels()
        try fixture.application(resizes: [0x0040], mtu: 200, mps: 80)
        fixture.we(signal: "19 81 0600 C800 5000 4000")
        fixture.tester(signals: "1A 81 0200 0400")
        fixture.application(
            receives: .reconfigured(7, .failed(.reconfigurationRefused(.unacceptableParameters)))
        )
        fixture.tester(sends: "7800" + bytes(0..<10))
        fixture.application(receives: .closed(Self.channels[0], .violated(.sduTooLong), unread: []))
    }

    @Test("L2CAP/ECFC/BV-23-C, BV-25-C: Renegotiate MTU and MPS, Responder")
    func responds() throws {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(signals: "19 02 0800 C800 7800 5000 5100")
        fixture.we(signal: "1A 02 0200 0000")
        fixture.application(receives: .resized(Self.channels[0]))
        fixture.application(receives: .resized(Self.channels[1]))
        try fixture.application(sends: bytes(0..<120))
        fixture.we(send: "7800" + bytes(0..<118))
        fixture.we(send: bytes(118..<120))
    }

    /// The requests with their results.
    private static let refusals = [
        // BI-03-C: the MTU is decreased.
        ("19 02 0600 6300 6400 5000", "0100"),
        // BI-04-C, BI-08-C: the MPS of several channels is decreased.
        ("19 02 0800 6400 6300 5000 5100", "0200"),
        // BI-05-C: an invalid Destination CID.
        ("19 02 0600 6400 6400 5200", "0300"),
        ("19 02 0800 6400 6400 5000 5200", "0300"),
        // BI-06-C: other unacceptable parameters.
        ("19 02 0600 6400 3F00 5000", "0400"),
    ]

    @Test("L2CAP/ECFC/BI-03-C to BI-06-C: A refused request changes nothing", arguments: refusals)
    func refuses(request: String, result: String) throws {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(signals: request)
        fixture.we(signal: "1A 02 0200 \(result)")
        fixture.weAreSilent()
        try fixture.application(sends: bytes(0..<99))
        fixture.we(send: "6300" + bytes(0..<98))
    }

    @Test("The MPS of a single channel may be decreased")
    func shrinksOne() throws {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(signals: "19 02 0600 6400 4000 5000")
        fixture.we(signal: "1A 02 0200 0000")
        fixture.application(receives: .resized(Self.channels[0]))
        try fixture.application(sends: bytes(0..<99))
        fixture.we(send: "6300" + bytes(0..<62))
        fixture.we(send: bytes(62..<99))
    }
}
