// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What a Number Of Completed Packets entry amounts to.
package enum CompletionVerdict: Equatable, Sendable {
    case accepted
    /// No such link is open: it was for one that is gone, or the controller made it up.
    case unknownHandle
    /// More packets than were sent; that many of them were ignored.
    case moreThanSent(ignored: Int)
}

/// Cuts L2CAP frames to the size of the controller's buffers and hands them out as buffers become
/// free (Vol 3, Part A, 7.2.1; Vol 4, Part E, 4.1).
///
/// Each packet handed out occupies one of the controller's buffers until a Number Of Completed
/// Packets event, or the end of its link, gives it back. Links take turns packet by packet. A link
/// whose peer is out of reach keeps its packets in the controller for seconds, so no link may
/// occupy more than its share: buffers are divided among the links that have something to send,
/// and one is left for every other link that is open.
package struct ACLTransmitQueue: Sendable {
    /// How many frames may wait on one link: enough to keep the buffers busy; the rest waits
    /// above, where it can still be cancelled.
    package static let frameLimit = 8

    private struct Link {
        let connectionHandle: ConnectionHandle
        var frames: [[UInt8]] = []
        /// How much of the first frame was handed out.
        var offset = 0
        /// How many of the controller's buffers the link occupies.
        var outstanding = 0
        /// How many packets the frames come to that were ever taken, and how many of those the controller
        /// has passed on.
        var taken = 0
        var passed = 0

        var isBusy: Bool { outstanding > 0 || !frames.isEmpty }
    }

    private var packetLength = 0
    private var packetCount = 0
    private var outstanding = 0
    private var links: [Link] = []
    /// The link whose turn it is.
    private var turn = 0

    package init() {}

    /// Tells how many octets a packet may carry and how many packets the controller can hold, and
    /// forgets all links. Where one of them is not positive nothing is ever handed out.
    package mutating func configure(packetLength: Int, packetCount: Int) {
        self = ACLTransmitQueue()
        self.packetLength = max(0, packetLength)
        self.packetCount = packetLength > 0 ? max(0, packetCount) : 0
    }

    /// A link was made. If one with that handle is still open, its end was missed: it is closed.
    package mutating func open(_ connectionHandle: ConnectionHandle) {
        close(connectionHandle)
        links.append(Link(connectionHandle: connectionHandle))
    }

    /// A link ended: what waits is dropped, and the controller's buffers that it occupied are free.
    package mutating func close(_ connectionHandle: ConnectionHandle) {
        guard let index = index(of: connectionHandle) else { return }
        outstanding -= links[index].outstanding
        links.remove(at: index)
        if turn > index { turn -= 1 }
        if turn >= links.count { turn = 0 }
    }

    /// Whether `enqueue(_:on:)` would take another frame.
    package func hasRoom(_ connectionHandle: ConnectionHandle) -> Bool {
        guard let index = index(of: connectionHandle) else { return false }
        return packetCount > 0 && links[index].frames.count < Self.frameLimit
    }

    /// Takes one whole L2CAP frame; returns false, and takes nothing, if the link is not open or
    /// has no room, or if the frame is empty.
    @discardableResult
    package mutating func enqueue(
        _ frame: [UInt8],
        on connectionHandle: ConnectionHandle
    ) -> Bool {
        guard !frame.isEmpty, hasRoom(connectionHandle), let index = index(of: connectionHandle)
        else { return false }
        links[index].frames.append(frame)
        links[index].taken += packetCount(of: frame)
        return true
    }

    /// Where in all that a link sends a frame ends that is enqueued now; see `hasPassed(_:on:)`.
    package func end(of frame: [UInt8], on connectionHandle: ConnectionHandle) -> Int {
        (index(of: connectionHandle).map { links[$0].taken } ?? 0) + packetCount(of: frame)
    }

    /// Whether the controller has passed on all that a link sends up to there.
    package func hasPassed(_ end: Int, on connectionHandle: ConnectionHandle) -> Bool {
        (index(of: connectionHandle).map { links[$0].passed } ?? 0) >= end
    }

    /// The next packet, as H4 bytes; nil if nothing waits or no buffer is free for what does.
    package mutating func nextPacket() -> [UInt8]? {
        guard outstanding < packetCount else { return nil }
        let share = shareOfLink
        for step in links.indices {
            let index = (turn + step) % links.count
            guard !links[index].frames.isEmpty, links[index].outstanding < share else { continue }
            turn = (index + 1) % links.count
            return takePacket(fromLinkAt: index)
        }
        return nil
    }

    /// The controller has passed on `count` packets of a link.
    package mutating func packetsCompleted(
        _ connectionHandle: ConnectionHandle,
        count: Int
    ) -> CompletionVerdict {
        guard let index = index(of: connectionHandle) else { return .unknownHandle }
        let accepted = max(0, min(count, links[index].outstanding))
        links[index].outstanding -= accepted
        links[index].passed += accepted
        outstanding -= accepted
        return accepted < count ? .moreThanSent(ignored: count - accepted) : .accepted
    }

    /// How many of the controller's buffers a link occupies.
    package func outstanding(_ connectionHandle: ConnectionHandle) -> Int {
        index(of: connectionHandle).map { links[$0].outstanding } ?? 0
    }

    /// The most buffers that one link may occupy now; at least one.
    private var shareOfLink: Int {
        let busy = links.count { $0.isBusy }
        let leftForOthers = links.count - 1
        return max(1, min(packetCount / max(1, busy), packetCount - leftForOthers))
    }

    private func packetCount(of frame: [UInt8]) -> Int {
        packetLength > 0 ? (frame.count + packetLength - 1) / packetLength : 0
    }

    private mutating func takePacket(fromLinkAt index: Int) -> [UInt8] {
        let start = links[index].offset
        let frame = links[index].frames[0]
        let end = min(frame.count, start + packetLength)
        if end == frame.count {
            links[index].frames.removeFirst()
            links[index].offset = 0
        } else {
            links[index].offset = end
        }
        links[index].outstanding += 1
        outstanding += 1
        return HCI.ACLPacket(
            connectionHandle: links[index].connectionHandle,
            boundary: start == 0 ? .firstNonFlushable : .continuing,
            payload: frame[start..<end]
        ).h4Bytes
    }

    private func index(of connectionHandle: ConnectionHandle) -> Int? {
        links.firstIndex { $0.connectionHandle == connectionHandle }
    }
}
