// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Testing

/// L2CAP/ECFC: data and credits on channels in Enhanced Credit Based Flow Control Mode.
@Suite struct EnhancedCreditBasedDataTests {
    private static let channels = [ChannelFixture.channel(0x0040), ChannelFixture.channel(0x0041)]

    @Test("L2CAP/ECFC/BV-06-C: Credit Exchange, Receiving Incremental Credits")
    func receivesCredits() throws {
        var fixture = ChannelFixture.withEnhancedChannels()
        try fixture.application(sends: bytes(0..<100))
        fixture.we(send: "6400" + bytes(0..<98))
        fixture.we(send: bytes(98..<100))
        fixture.application(receives: .sent(9))
        try fixture.application(sends: "07")
        fixture.weAreSilent()
        fixture.tester(signals: "16 02 0400 5000 0100")
        fixture.we(send: "0100 07")
        fixture.application(receives: .sent(9))
        fixture.weAreSilent()
    }

    @Test("L2CAP/ECFC/BV-07-C: Credit Exchange, Sending Credits")
    func sendsCredits() {
        var fixture = ChannelFixture.withEnhancedChannels()
        for byte in ["01", "02", "03", "04"] {
            fixture.tester(sends: "0100" + byte)
            fixture.application(receives: .arrived(Self.channels[0]))
        }
        fixture.weAreSilent()
        fixture.application(takes: "01")
        fixture.we(signal: "16 81 0400 4000 0100")
        fixture.application(takes: "02")
        fixture.application(takes: "03")
        fixture.we(signal: "16 82 0400 4000 0200")
        fixture.weAreSilent()
    }

    @Test("L2CAP/ECFC/BV-30-C: Disconnection Response, DCID not recognized")
    func unknownDestination() {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(signals: "06 02 0400 4200 5000")
        fixture.we(signal: "01 02 0600 0200 4200 5000")
        fixture.weAreSilent()
    }

    @Test(
        "A frame or an SDU that is too long closes its channel and no other",
        arguments: [
            ("L2CAP/ECFC/BV-33-C", "6500" + bytes(0..<10), L2CAP.Violation.sduTooLong),
            ("L2CAP/ECFC/BV-34-C", "6400" + bytes(0..<63), .frameTooLong),
            ("L2CAP/ECFC/BV-35-C", "0200 010203", .sduOverrun),
        ]
    )
    func tooLong(_ name: String, frame: String, violation: L2CAP.Violation) {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(sends: frame, on: 0x0041)
        fixture.application(receives: .closed(Self.channels[1], .violated(violation), unread: []))
        fixture.we(signal: "06 81 0400 5100 4100")
        fixture.tester(sends: "0100 07")
        fixture.application(receives: .arrived(Self.channels[0]))
        fixture.weAreSilent()
    }

    @Test("L2CAP/ECFC/BV-80-C: K-frame, SDU length = MPS")
    func exactLength() throws {
        var fixture = ChannelFixture.withEnhancedChannels()
        fixture.tester(sends: "4000" + bytes(0..<62))
        fixture.tester(sends: bytes(62..<64))
        fixture.application(receives: .arrived(Self.channels[0]))
        fixture.application(takes: bytes(0..<64))
        fixture.we(signal: "16 81 0400 4000 0200")
        try fixture.application(sends: bytes(0..<100))
        fixture.we(send: "6400" + bytes(0..<98))
        fixture.we(send: bytes(98..<100))
        fixture.application(receives: .sent(9))
    }
}
