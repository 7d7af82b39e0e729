// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Testing

/// L2CAP/ECFC: channels in Enhanced Credit Based Flow Control Mode.
@Suite struct EnhancedCreditBasedChannelTests {
    private static let channels = [ChannelStage.channel(0x0040), ChannelStage.channel(0x0041)]

    @Test("L2CAP/ECFC/BV-01-C: L2CAP Credit Based Connection Request, Legacy Peer")
    func legacyPeer() throws {
        var stage = ChannelStage()
        try stage.application(opens: .enhanced)
        stage.we(signal: "17 81 0A00 8000 6400 4000 0400 4000")
        stage.tester(signals: "01 81 0200 0000")
        stage.application(hears: .refused(1, .notSupported))
    }

    @Test("L2CAP/ECFC/BV-02-C: L2CAP Credit Based Connection Request on Supported PSM")
    func opens() throws {
        var stage = ChannelStage()
        try stage.application(opens: .enhanced, count: 2)
        stage.we(signal: "17 81 0C00 8000 6400 4000 0400 4000 4100")
        stage.tester(signals: "18 81 0C00 6400 4000 0200 0000 5000 5100")
        stage.application(hears: .opened(1, Self.channels))
        try stage.application(sends: "0102", on: 0x0041)
        stage.we(send: "0200 0102", on: 0x0051)
    }

    @Test("L2CAP/ECFC/BV-03-C: L2CAP Credit Based Connection Response on Supported PSM")
    func accepts() {
        var stage = ChannelStage.withEnhancedChannels()
        stage.tester(sends: "0100 07", on: 0x0041)
        stage.application(hears: .arrived(Self.channels[1]))
        stage.application(takes: "07", from: 0x0041)
    }

    @Test("L2CAP/ECFC/BV-28-C: Response on Unsupported PSM")
    func unsupported() {
        var stage = ChannelStage()
        stage.tester(signals: "17 01 0C00 8100 6400 6400 0200 5000 5100")
        stage.we(signal: "18 01 0C00 0000 0000 0000 0200 0000 0000")
    }

    @Test("L2CAP/ECFC/BI-01-C: Zero Credits and Exceed Maximum Credits")
    func creditsAtTheirLimits() {
        var stage = ChannelStage.withEnhancedChannels()
        stage.tester(signals: "16 02 0400 5000 0000")
        stage.application(hears: .ignore(.noCredits(Self.channels[0])))
        stage.weAreSilent()
        stage.tester(signals: "16 03 0400 5000 FEFF")
        stage.application(hears: .closed(Self.channels[0], .violated(.creditOverflow), unread: []))
        stage.we(signal: "06 81 0400 5000 4000")
    }

    @Test("L2CAP/ECFC/BI-02-C: Credit Exchange, No Credits")
    func noCredits() {
        var stage = ChannelStage.withEnhancedChannels()
        for _ in 0..<4 {
            stage.tester(sends: "0100 07")
            stage.application(hears: .arrived(Self.channels[0]))
        }
        stage.tester(sends: "0100 07")
        let unread = [[UInt8]](repeating: [7], count: 4)
        stage.application(hears: .closed(Self.channels[0], .violated(.noCredit), unread: unread))
        stage.we(signal: "06 81 0400 5000 4000")
    }

    @Test("L2CAP/ECFC/BV-17-C: Some channels are refused due to insufficient resources")
    func partly() throws {
        var stage = ChannelStage { $0.room = 1 }
        stage.tester(signals: "17 01 0E00 8000 6400 6400 0200 5000 5100 5200")
        stage.we(signal: "18 01 0E00 6400 4000 0400 0400 4000 0000 0000")
        stage.application(hears: .accepted(0x0080, [Self.channels[0]]))
        try stage.application(sends: "01")
        stage.we(send: "0100 01")
    }

    @Test(
        "L2CAP/ECFC/BV-18-C, BV-19-C: Some channels are refused, and the others are used",
        arguments: [
            "0900", "0A00", "0400",
        ]
    )
    func someAreRefused(result: String) throws {
        var stage = ChannelStage()
        try stage.application(opens: .enhanced, count: 2)
        stage.we(signal: "17 81 0C00 8000 6400 4000 0400 4000 4100")
        stage.tester(signals: "18 81 0C00 6400 4000 0200 \(result) 0000 5100")
        stage.application(hears: .opened(1, [Self.channels[1]]))
        try stage.application(sends: "0102", on: 0x0041)
        stage.we(send: "0200 0102", on: 0x0051)
    }

    @Test("Channels that a response does not name are not open")
    func fewerThanAsked() throws {
        var stage = ChannelStage()
        try stage.application(opens: .enhanced, count: 2)
        stage.we(signal: "17 81 0C00 8000 6400 4000 0400 4000 4100")
        stage.tester(signals: "18 81 0A00 6400 4000 0200 0000 5000")
        stage.application(hears: .opened(1, [Self.channels[0]]))
        try stage.application(sends: "0102")
        stage.we(send: "0200 0102", on: 0x0050)
    }

    @Test("A response that names more channels than the request opens none")
    func moreThanAsked() throws {
        var stage = ChannelStage()
        try stage.application(opens: .enhanced)
        stage.we(signal: "17 81 0A00 8000 6400 4000 0400 4000")
        stage.tester(signals: "18 81 0C00 6400 4000 0200 0000 5000 5100")
        stage.application(hears: .refused(1, .malformedAnswer))
    }

    @Test("L2CAP/ECFC/BV-20-C: Refused due to Source CID already allocated")
    func allocatedSource() {
        var stage = ChannelStage.withEnhancedChannels()
        stage.tester(signals: "17 02 0C00 8000 6400 6400 0200 5200 5000")
        stage.we(signal: "18 02 0C00 6400 4000 0400 0A00 4200 0000")
        stage.application(hears: .accepted(0x0080, [ChannelStage.channel(0x0042)]))
    }

    @Test("An invalid source CID and a duplicate source CID are refused")
    func badSources() {
        var stage = ChannelStage()
        stage.tester(signals: "17 01 0C00 8000 6400 6400 0200 5000 3F00")
        stage.we(signal: "18 01 0C00 6400 4000 0400 0900 4000 0000")
        stage.tester(signals: "17 02 0C00 8000 6400 6400 0200 5100 5100")
        stage.we(signal: "18 02 0C00 6400 4000 0400 0A00 4100 0000")
    }

    @Test(
        "L2CAP/ECFC/BV-26-C: Refused due to Invalid Parameters",
        arguments: [
            "3F00 6400 0200", "6400 3F00 0200", "6400 6400 0000",
        ]
    )
    func invalidParameters(sizes: String) {
        var stage = ChannelStage()
        stage.tester(signals: "17 01 0C00 8000 \(sizes) 5000 5100")
        stage.we(signal: "18 01 0C00 0000 0000 0000 0C00 0000 0000")
    }

    @Test("L2CAP/ECFC/BV-27-C: Refused due to Unacceptable Parameters")
    func unacceptableParameters() {
        var stage = ChannelStage { $0.peerMTUMinimum = 100 }
        stage.tester(signals: "17 01 0A00 8000 6300 6400 0200 5000")
        stage.we(signal: "18 01 0A00 0000 0000 0000 0B00 0000")
        stage.tester(signals: "17 02 0A00 8000 6400 6400 0200 5000")
        stage.we(signal: "18 02 0A00 6400 4000 0400 0000 4000")
    }

    @Test("L2CAP/ECFC/BV-29-C, BI-07-C: Duplicate DCID ends both channels")
    func duplicateDestination() throws {
        var stage = ChannelStage.withEnhancedChannels()
        try stage.application(opens: .enhanced)
        stage.we(signal: "17 81 0A00 8000 6400 4000 0400 4200")
        stage.tester(signals: "18 81 0A00 6400 4000 0200 0000 5000")
        stage.application(hears: .closed(Self.channels[0], .violated(.sharedEnd), unread: []))
        stage.application(hears: .refused(1, .malformedAnswer))
        stage.we(signal: "06 82 0400 5000 4000")
        stage.weAreSilent()
    }

    @Test("L2CAP/ECFC/BV-08-C, BV-09-C: Either side closes one of several channels")
    func closes() {
        var stage = ChannelStage.withEnhancedChannels()
        stage.application(closes: 0x0041)
        stage.application(hears: .closed(Self.channels[1], .closed, unread: []))
        stage.we(signal: "06 81 0400 5100 4100")
        stage.tester(signals: "07 81 0400 5100 4100")
        stage.application(hears: .released(Self.channels[1]))
        stage.tester(signals: "06 02 0400 4000 5000")
        stage.we(signal: "07 02 0400 4000 5000")
        stage.application(hears: .closed(Self.channels[0], .closedByPeer, unread: []))
    }
}

/// L2CAP/ECFC: reconfiguration of open channels.
@Suite struct ReconfigurationTests {
    private static let channels = [ChannelStage.channel(0x0040), ChannelStage.channel(0x0041)]

    @Test("L2CAP/ECFC/BV-22-C, BV-24-C: Renegotiate MTU and MPS, Initiator")
    func initiates() throws {
        var stage = ChannelStage.withEnhancedChannels()
        try stage.application(resizes: [0x0040, 0x0041], mtu: 200, mps: 80)
        stage.we(signal: "19 81 0800 C800 5000 4000 4100")
        stage.tester(signals: "1A 81 0200 0000")
        stage.application(hears: .reconfigured(7, .done))
        stage.tester(sends: "7800" + octets(0..<78))
        stage.tester(sends: octets(78..<120))
        stage.application(hears: .arrived(Self.channels[0]))
        stage.application(takes: octets(0..<120))
    }

    @Test("A refusal leaves the sizes unchanged")
    func isRefused() throws {
        var stage = ChannelStage.withEnhancedChannels()
        try stage.application(resizes: [0x0040], mtu: 200, mps: 80)
        stage.we(signal: "19 81 0600 C800 5000 4000")
        stage.tester(signals: "1A 81 0200 0400")
        stage.application(
            hears: .reconfigured(7, .failed(.reconfigurationRefused(.unacceptableParameters)))
        )
        stage.tester(sends: "7800" + octets(0..<10))
        stage.application(hears: .closed(Self.channels[0], .violated(.sduTooLong), unread: []))
    }

    @Test("L2CAP/ECFC/BV-23-C, BV-25-C: Renegotiate MTU and MPS, Responder")
    func responds() throws {
        var stage = ChannelStage.withEnhancedChannels()
        stage.tester(signals: "19 02 0800 C800 7800 5000 5100")
        stage.we(signal: "1A 02 0200 0000")
        stage.application(hears: .resized(Self.channels[0]))
        stage.application(hears: .resized(Self.channels[1]))
        try stage.application(sends: octets(0..<120))
        stage.we(send: "7800" + octets(0..<118))
        stage.we(send: octets(118..<120))
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
        var stage = ChannelStage.withEnhancedChannels()
        stage.tester(signals: request)
        stage.we(signal: "1A 02 0200 \(result)")
        stage.weAreSilent()
        try stage.application(sends: octets(0..<99))
        stage.we(send: "6300" + octets(0..<98))
    }

    @Test("The MPS of a single channel may be decreased")
    func shrinksOne() throws {
        var stage = ChannelStage.withEnhancedChannels()
        stage.tester(signals: "19 02 0600 6400 4000 5000")
        stage.we(signal: "1A 02 0200 0000")
        stage.application(hears: .resized(Self.channels[0]))
        try stage.application(sends: octets(0..<99))
        stage.we(send: "6300" + octets(0..<62))
        stage.we(send: octets(62..<99))
    }
}
