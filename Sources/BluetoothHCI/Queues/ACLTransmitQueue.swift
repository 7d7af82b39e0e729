// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The result of processing an entry of a Number Of Completed Packets event.
package enum CompletionResult: Equatable, Sendable {
    case accepted
    /// No open link has this handle: the link has ended, or the controller sent a wrong handle.
    case unknownHandle
    /// The entry counts more packets than were sent. The queue ignored the excess.
    case moreThanSent(ignored: Int)
}

/// A queue that fragments L2CAP frames to the size of the controller's buffers and releases the
/// fragments as buffers become free (Vol 3, Part A, 7.2.1; Vol 4, Part E, 4.1).
///
/// Each released packet occupies one of the controller's buffers until a Number Of Completed
/// Packets event or the end of its link frees it. The links take turns, one packet at a time. The
/// controller can hold the packets of a link for seconds while the peer is out of range, so each
/// link has a maximum share of the buffers. The queue divides the buffers among the links that have
/// data to send or occupy buffers. It keeps one buffer for every other open link if there are
/// enough.
package struct ACLTransmitQueue: Sendable {
    /// The maximum number of frames that wait on one link. Other frames wait in the layers above,
    /// where they can still be canceled.
    package static let frameLimit = 8

    /// After a link's queue was full, it accepts frames again when only this many wait. The layers
    /// above can then send several frames in one turn instead of one for each free buffer.
    package static let refillCount = 2

    private struct Link {
        let connectionHandle: ConnectionHandle
        /// The frames that wait. Each is preceded by the header of a packet that contains the whole
        /// frame, so a frame that fits into one packet is sent without a copy.
        var frames: [[UInt8]] = []
        /// The number of bytes of the first frame that are already released.
        var offset = 0
        /// The number of the controller's buffers that the link occupies.
        var outstanding = 0
        /// The number of packets that all frames of the link need, since it opened.
        var taken = 0
        /// The number of these packets that the controller has completed.
        var passed = 0
        /// Whether the queue was full, and has not reached `refillCount` since.
        var isFull = false

        var isBusy: Bool { outstanding > 0 || !frames.isEmpty }
    }

    private var packetLength = 0
    private var packetCount = 0
    private var outstanding = 0
    private var links: [Link] = []
    /// The number of busy links.
    private var busyCount = 0
    /// The index of the link whose turn is next.
    private var turn = 0

    package init() {}

    /// Sets the size and the number of the controller's buffers, and removes all links.
    ///
    /// - Parameters:
    ///   - packetLength: The maximum payload of a packet in bytes.
    ///   - packetCount: The number of packets that the controller can buffer. If either value is
    ///     not positive, the queue never releases a packet.
    package mutating func configure(packetLength: Int, packetCount: Int) {
        self = ACLTransmitQueue()
        self.packetLength = max(0, packetLength)
        self.packetCount = packetLength > 0 ? max(0, packetCount) : 0
    }

    /// Adds a new link. If a link with that handle is still open, the queue missed its end and
    /// removes it.
    package mutating func open(_ connectionHandle: ConnectionHandle) {
        close(connectionHandle)
        links.append(Link(connectionHandle: connectionHandle))
    }

    /// Removes a link that ended, drops its waiting frames, and counts its buffers in the
    /// controller as free.
    package mutating func close(_ connectionHandle: ConnectionHandle) {
        guard let index = index(of: connectionHandle) else { return }
        outstanding -= links[index].outstanding
        if links[index].isBusy { busyCount -= 1 }
        links.remove(at: index)
        if turn > index { turn -= 1 }
        if turn >= links.count { turn = 0 }
    }

    /// Returns whether `enqueue(_:on:)` would accept another frame.
    package func hasRoom(_ connectionHandle: ConnectionHandle) -> Bool {
        index(of: connectionHandle).map { hasRoom(at: $0) } ?? false
    }

    private func hasRoom(at index: Int) -> Bool { packetCount > 0 && !links[index].isFull }

    /// Reserves one of the controller's buffers for a frame that bypasses the queue. The caller
    /// sends the frame immediately, in one packet.
    ///
    /// - Returns: `false` if the frame must be enqueued instead: the link is not open or has frames
    ///   that wait, no buffer is free for it, or the frame is longer than a packet.
    package mutating func takeBuffer(
        forFrameOf count: Int,
        on connectionHandle: ConnectionHandle
    ) -> Bool {
        guard count <= packetLength, outstanding < packetCount,
            let index = index(of: connectionHandle), links[index].frames.isEmpty,
            links[index].outstanding < share(besides: index)
        else { return false }
        if links[index].outstanding == 0 { busyCount += 1 }
        links[index].taken += 1
        links[index].outstanding += 1
        outstanding += 1
        return true
    }

    /// Enqueues one complete L2CAP frame.
    ///
    /// - Returns: `false`, with the frame not enqueued, if the link is not open, its queue is full,
    ///   the frame is empty, or the controller has no buffers.
    @discardableResult
    package mutating func enqueue(
        _ frame: [UInt8],
        on connectionHandle: ConnectionHandle
    ) -> Bool {
        var packet: [UInt8] = []
        packet.reserveCapacity(HCI.ACLPacket.h4HeaderLength + frame.count)
        HCI.ACLPacket.appendHeader(of: frame.count, on: connectionHandle, to: &packet)
        packet.append(contentsOf: frame)
        return enqueue(packet: packet, on: connectionHandle)
    }

    /// Enqueues one complete L2CAP frame, preceded by the header that `HCI.ACLPacket.appendHeader`
    /// writes. If the frame fits into a packet, `nextPacket()` returns these bytes without a copy.
    ///
    /// - Returns: The same as `enqueue(_:on:)`.
    @discardableResult
    package mutating func enqueue(packet: [UInt8], on connectionHandle: ConnectionHandle) -> Bool {
        let count = packet.count - HCI.ACLPacket.h4HeaderLength
        guard count > 0, let index = index(of: connectionHandle), hasRoom(at: index)
        else { return false }
        if !links[index].isBusy { busyCount += 1 }
        links[index].frames.append(packet)
        links[index].isFull = links[index].frames.count == Self.frameLimit
        links[index].taken += packetCount(ofFrame: count)
        return true
    }

    /// Returns the position of the last packet of `frame` among all packets of the link, counted
    /// from 1, if `frame` is enqueued next. `hasPassed(_:on:)` returns whether the controller has
    /// completed this packet.
    package func end(of frame: [UInt8], on connectionHandle: ConnectionHandle) -> Int {
        (index(of: connectionHandle).map { links[$0].taken } ?? 0)
            + packetCount(ofFrame: frame.count)
    }

    /// Returns whether the controller has completed all packets of a link up to the number that
    /// `end(of:on:)` returned.
    package func hasPassed(_ end: Int, on connectionHandle: ConnectionHandle) -> Bool {
        (index(of: connectionHandle).map { links[$0].passed } ?? 0) >= end
    }

    /// Returns the next packet in H4 format, or `nil` if no frame waits or no buffer is free for
    /// it.
    package mutating func nextPacket() -> [UInt8]? {
        guard outstanding < packetCount else { return nil }
        let share = share(ofBusy: busyCount)
        var index = turn
        for _ in links.indices {
            let next = index + 1 < links.count ? index + 1 : 0
            if !links[index].frames.isEmpty, links[index].outstanding < share {
                turn = next
                return takePacket(fromLinkAt: index)
            }
            index = next
        }
        return nil
    }

    /// Frees the buffers of `count` packets of a link that the controller has completed.
    package mutating func packetsCompleted(
        _ connectionHandle: ConnectionHandle,
        count: Int
    ) -> CompletionResult {
        guard let index = index(of: connectionHandle) else { return .unknownHandle }
        let accepted = max(0, min(count, links[index].outstanding))
        let wasBusy = links[index].isBusy
        links[index].outstanding -= accepted
        if wasBusy, !links[index].isBusy { busyCount -= 1 }
        links[index].passed += accepted
        outstanding -= accepted
        return accepted < count ? .moreThanSent(ignored: count - accepted) : .accepted
    }

    /// Returns the number of the controller's buffers that a link occupies.
    package func outstanding(_ connectionHandle: ConnectionHandle) -> Int {
        index(of: connectionHandle).map { links[$0].outstanding } ?? 0
    }

    /// Returns the maximum number of buffers that the link at `index`, which is about to send, may
    /// occupy now.
    private func share(besides index: Int) -> Int {
        share(ofBusy: links[index].isBusy ? busyCount : busyCount + 1)
    }

    /// Returns the maximum number of buffers that one link may occupy, which is at least one.
    private func share(ofBusy busy: Int) -> Int {
        let leftForOthers = links.count - 1
        return max(1, min(packetCount / max(1, busy), packetCount - leftForOthers))
    }

    private func packetCount(ofFrame count: Int) -> Int {
        packetLength > 0 ? (count + packetLength - 1) / packetLength : 0
    }

    private mutating func takePacket(fromLinkAt index: Int) -> [UInt8] {
        links[index].outstanding += 1
        outstanding += 1
        let start = links[index].offset
        let count = links[index].frames[0].count - HCI.ACLPacket.h4HeaderLength
        let end = min(count, start + packetLength)
        guard end == count else {
            links[index].offset = end
            return makePacket(of: links[index].frames[0], start..<end, ofLinkAt: index)
        }
        var packet = links[index].frames.remove(at: 0)
        if links[index].frames.count <= Self.refillCount { links[index].isFull = false }
        links[index].offset = 0
        if start > 0 { HCI.ACLPacket.removeReleased(start, from: &packet) }
        return packet
    }

    /// Returns a packet with a part of a frame.
    private func makePacket(
        of packet: [UInt8],
        _ part: Range<Int>,
        ofLinkAt index: Int
    ) -> [UInt8] {
        let header = HCI.ACLPacket.h4HeaderLength
        return HCI.ACLPacket(
            connectionHandle: links[index].connectionHandle,
            boundary: part.lowerBound == 0 ? .firstNonFlushable : .continuing,
            payload: packet[header + part.lowerBound..<header + part.upperBound]
        ).h4Bytes
    }

    private func index(of connectionHandle: ConnectionHandle) -> Int? {
        links.firstIndex { $0.connectionHandle == connectionHandle }
    }
}
