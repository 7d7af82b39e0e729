// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

/// L2CAP/COS/CED on LE: malformed commands. Our side ignores or rejects each of them, and answers
/// the next request.
@Suite struct MalformedSignalingTests {
    private static let request = "14 02 0A00 8000 5000 6400 2000 0200"

    /// Expects that a correct request opens a channel, which the tester then closes.
    private func expectService(_ fixture: inout ChannelFixture) {
        fixture.tester(signals: Self.request)
        fixture.we(signal: "15 02 0A00 4000 6400 4000 0400 0000")
        fixture.tester(signals: "06 03 0400 4000 5000")
        fixture.we(signal: "07 03 0400 4000 5000")
        fixture.weAreSilent()
    }

    /// Returns a fragment with a frame on the signaling channel that announces this length.
    private func fragment(announcing length: UInt8, _ payload: [UInt8]) -> HCI.ACLPacket {
        HCI.ACLPacket(
            connectionHandle: .init(rawValue: 0x40),
            boundary: .firstFlushable,
            payload: ([length, 0, 5, 0] + payload)[...]
        )
    }

    @Test("L2CAP/COS/CED/BI-05-C: Incorrect PDU Length, C-Frame")
    func longFrame() throws {
        var fixture = ChannelFixture()
        var recombiner = FrameRecombiner()
        let payload = bytes(Self.request)
        let long = fragment(announcing: 13, payload)
        #expect(recombiner.receive(long) == .discarded(.overrun))
        guard case .frame(let frame) = recombiner.receive(fragment(announcing: 14, payload)) else {
            Issue.record("The correct frame is not received")
            return
        }
        #expect(frame.channel == .signaling)
        #expect(Array(frame.payload) == payload)
        expectService(&fixture)
    }

    @Test("L2CAP/COS/CED/BI-09-C: Data Length > PDU Space")
    func truncated() {
        var fixture = ChannelFixture()
        fixture.tester(signals: "14 01 0B00 8000 5000 6400 2000 0200")
        fixture.weAreSilent()
        expectService(&fixture)
    }

    @Test("L2CAP/COS/CED/BI-13-C: Shorter Data Length, Extra Zero Byte")
    func trailingByte() {
        var fixture = ChannelFixture()
        fixture.tester(signals: "14 01 0A00 8000 5000 6400 2000 0200 00")
        fixture.weAreSilent()
        expectService(&fixture)
    }

    @Test("L2CAP/COS/CED/BI-16-C: Two Connection Requests in one PDU, Data Truncated")
    func secondRequest() {
        var fixture = ChannelFixture()
        let first = "14 01 0A00 8000 5000 6400 2000 0200"
        fixture.tester(signals: first + "14 02 0B00 8000 5100 6400 2000 0200")
        // The frame is longer than the signaling MTU of 23 bytes.
        fixture.we(signal: "01 01 0400 0100 1700")
        fixture.weAreSilent()
        expectService(&fixture)
    }

    @Test("L2CAP/COS/CED/BI-17-C: A truncated Disconnection Request behind another request")
    func secondDisconnection() {
        var fixture = ChannelFixture()
        let first = "14 01 0A00 8000 5000 6400 2000 0200"
        fixture.tester(signals: first + "06 02 0500 4000 5000")
        fixture.weAreSilent()
        expectService(&fixture)
    }

    @Test("L2CAP/COS/CED/BI-11-C: Invalid Data Length for Command")
    func excessParameters() {
        var fixture = ChannelFixture.withChannel()
        fixture.tester(signals: "06 02 0500 4000 5000 00")
        fixture.we(signal: "01 02 0200 0000")
        fixture.weAreSilent()
        fixture.tester(sends: "0100 07")
        fixture.application(receives: .arrived(ChannelFixture.channel(0x0040)))
    }
}
