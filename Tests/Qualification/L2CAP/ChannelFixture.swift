// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes
import Testing

/// The fixture of dialogues about credit-based channels. All PDUs are hexadecimal, in the order in
/// which the bytes are transmitted. A failure is reported at the place of its line.
///
/// Our side listens on 0x0080, and receives SDUs of at most 100 bytes in frames of at most 64 bytes,
/// with four credits.
struct ChannelFixture {
    static let options = L2CAP.ChannelOptions(mtu: 100, mps: 64, window: 4)

    private var link: LogicalLink
    var conditions = ChannelConditions()
    private var received: [LogicalLink.Action] = []

    init(terms configure: (inout ListenerTerms) -> Void = { _ in }) {
        link = LogicalLink(role: .peripheral)
        var terms = ListenerTerms()
        terms.options = Self.options
        configure(&terms)
        conditions.listeners[0x0080] = terms
    }

    /// Returns a fixture with a channel that the tester has opened: 0x0050 at the tester, 0x0040 at
    /// our side, and two credits for frames of at most 32 bytes to the tester.
    static func withChannel() -> ChannelFixture {
        var fixture = ChannelFixture()
        fixture.tester(signals: "14 01 0A00 8000 5000 6400 2000 0200")
        fixture.we(signal: "15 01 0A00 4000 6400 4000 0400 0000")
        fixture.application(receives: .accepted(0x0080, [channel(0x0040)]))
        return fixture
    }

    /// Returns a fixture with two enhanced channels: 0x0050 and 0x0051 at the tester, 0x0040 and
    /// 0x0041 at our side, with frames of at most 100 bytes to the tester.
    static func withEnhancedChannels() -> ChannelFixture {
        var fixture = ChannelFixture()
        fixture.tester(signals: "17 01 0C00 8000 6400 6400 0200 5000 5100")
        fixture.we(signal: "18 01 0C00 6400 4000 0400 0000 4000 4100")
        fixture.application(receives: .accepted(0x0080, [channel(0x0040), channel(0x0041)]))
        return fixture
    }

    static func channel(_ number: UInt16) -> ChannelIdentifier { .init(rawValue: number) }

    // MARK: The tester

    mutating func tester(signals command: String) {
        received += link.receiveSignaling(bytes(command)[...], under: conditions, now: .zero)
    }

    mutating func tester(sends payload: String, on number: UInt16 = 0x0040) {
        received += link.receive(bytes(payload)[...], on: Self.channel(number), now: .zero)
    }

    // MARK: Our side

    mutating func we(
        signal command: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let frame = link.nextUrgentFrame().map { $0.dropFirst(4).hexadecimal }
        #expect(frame == bytes(command).hexadecimal, sourceLocation: sourceLocation)
    }

    mutating func we(
        send payload: String,
        on number: UInt16 = 0x0050,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let next = link.nextDataFrame()
        received += next?.actions ?? []
        let expected = L2CAPFrame.encode(bytes(payload), on: Self.channel(number))
        #expect(next?.frame.hexadecimal == expected.hexadecimal, sourceLocation: sourceLocation)
    }

    mutating func weAreSilent(sourceLocation: SourceLocation = #_sourceLocation) {
        let frame = link.nextUrgentFrame() ?? link.nextDataFrame()?.frame
        #expect(frame == nil, "no other frame of our side", sourceLocation: sourceLocation)
    }

    // MARK: The application

    mutating func application(
        opens mode: L2CAP.Mode,
        count: Int = 1,
        id: UInt64 = 1
    ) throws {
        try link.open(0x0080, mode, count: count, options: Self.options, id: id, now: .zero)
    }

    mutating func application(sends sdu: String, on number: UInt16 = 0x0040) throws {
        try link.send(bytes(sdu), on: Self.channel(number), id: 9)
    }

    mutating func application(
        takes sdu: String,
        from number: UInt16 = 0x0040,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let taken = link.take(from: Self.channel(number))?.hexadecimal
        #expect(taken == bytes(sdu).hexadecimal, sourceLocation: sourceLocation)
    }

    mutating func application(closes number: UInt16 = 0x0040) {
        received += link.close(Self.channel(number), now: .zero)
    }

    mutating func application(
        resizes numbers: [UInt16],
        mtu: Int,
        mps: Int
    ) throws {
        let channels = numbers.map { Self.channel($0) }
        try link.reconfigure(channels, mtu: mtu, mps: mps, id: 7, now: .zero)
    }

    mutating func application(
        receives action: LogicalLink.Action,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let next = received.isEmpty ? nil : received.removeFirst()
        #expect(next == action, sourceLocation: sourceLocation)
    }
}

extension ArraySlice<UInt8> {
    /// The bytes in hexadecimal digits.
    fileprivate var hexadecimal: String { Array(self).hexadecimal }
}
