// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothL2CAP

/// Two ends of a link, connected in memory. Each end receives the frames that the opposite end
/// sends.
struct ChannelPair {
    /// The maximum number of rounds in ``drive(sourceLocation:)``. No test needs as many.
    static let frameLimit = 100_000

    /// One end, and the actions that it returned to its owner.
    struct End {
        var link: LogicalLink
        var conditions = ChannelConditions()
        var reported: [LogicalLink.Action] = []
        /// The lengths of the frames that this end has sent, in bytes.
        var frames: [Int] = []
    }

    var us = End(link: LogicalLink(role: .central))
    var peer = End(link: LogicalLink(role: .peripheral))
    var now = Instant.zero

    /// Returns a pair whose peer listens on 0x0080.
    static func listening(
        _ options: L2CAP.ChannelOptions = L2CAP.ChannelOptions(),
        terms configure: (inout ListenerTerms) -> Void = { _ in }
    ) -> ChannelPair {
        var pair = ChannelPair()
        var terms = ListenerTerms()
        terms.options = options
        configure(&terms)
        pair.peer.conditions.listeners[0x0080] = terms
        return pair
    }

    /// Returns a pair with one open channel, and the channel's identifier at each end.
    static func open(
        _ mode: L2CAP.Mode = .credit,
        ours: L2CAP.ChannelOptions = L2CAP.ChannelOptions(),
        peers: L2CAP.ChannelOptions = L2CAP.ChannelOptions()
    ) throws -> (ChannelPair, us: ChannelIdentifier, peer: ChannelIdentifier) {
        var pair = listening(peers)
        try pair.us.link.open(0x0080, mode, options: ours, id: 1, now: .zero)
        pair.drive()
        let local = try #require(pair.us.link.openChannels.first)
        let remote = try #require(pair.peer.link.openChannels.first)
        pair.us.reported = []
        pair.peer.reported = []
        return (pair, local, remote)
    }

    /// Exchanges frames until neither end has any.
    mutating func drive(sourceLocation: SourceLocation = #_sourceLocation) {
        for _ in 0..<Self.frameLimit {
            let sent = Self.pass(from: &us, to: &peer, now: now)
            let answered = Self.pass(from: &peer, to: &us, now: now)
            guard sent || answered else { return }
        }
        Issue.record("The two ends exchange frames without end", sourceLocation: sourceLocation)
    }

    /// Passes one frame. Returns `false` if there is none.
    static func pass(from sender: inout End, to receiver: inout End, now: Instant) -> Bool {
        guard let bytes = nextFrame(of: &sender) else { return false }
        guard let frame = try? L2CAPFrame(parsing: bytes[...]) else {
            Issue.record("Not a frame: \(bytes)")
            return false
        }
        sender.frames.append(frame.payload.count)
        receiver.reported += receive(frame, at: &receiver, now: now)
        return true
    }

    static func nextFrame(of end: inout End) -> [UInt8]? {
        if let command = end.link.nextUrgentFrame() { return command }
        guard let (frame, actions) = end.link.nextDataFrame() else { return nil }
        end.reported += actions
        return frame
    }

    static func receive(
        _ frame: L2CAPFrame,
        at end: inout End,
        now: Instant
    ) -> [LogicalLink.Action] {
        frame.channel == .signaling
            ? end.link.receiveSignaling(frame.payload, under: end.conditions, now: now)
            : end.link.receive(frame.payload, on: frame.channel, now: now)
    }
}

/// Returns `count` bytes: `0, 1, 2 …`.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0) }
}
